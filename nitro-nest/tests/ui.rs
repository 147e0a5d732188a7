//! What the compiler says of `#[nest]`, word for word: one topic a file. `TRYBUILD=overwrite cargo test -p
//! nitro-variants-nest --test ui` accepts what changed; read the difference.

// With the feature the messages are the same, and isl would be built once more for them, which takes minutes.
#[cfg(not(feature = "polyhedral"))]
#[test]
fn messages() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
