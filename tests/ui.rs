//! What the compiler says of `#[code_variant]`, word for word: one topic a file in `ui/fail`, and programs it accepts in
//! `ui/pass`. `TRYBUILD=overwrite cargo test -p nitro --test ui` accepts what changed; read the diff.

#[test]
fn messages() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/fail/*.rs");
    cases.pass("tests/ui/pass/*.rs");
}
