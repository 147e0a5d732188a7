//! What the compiler says of `#[code_variant]`, word for word: one topic a file, our own messages in `ui/fail`,
//! rustc's about expanded code in `ui/rustc`. `TRYBUILD=overwrite cargo test -p nitro-variants --test ui` accepts
//! what changed; read the difference. Programs that are accepted are in `accepted`: here every dependency would be
//! built once more to run them.

use std::process::Command;

use nitro_test_support::tools::RUSTC;

/// `ui/rustc` holds the words of one compiler: another one may say the same otherwise.
#[test]
fn messages() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/fail/*.rs");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().expect("rustc runs").stdout;
    let version = String::from_utf8_lossy(&version).into_owned();
    let found = if version.starts_with(&format!("{}.", RUSTC.name)) { Ok(()) } else { Err(version) };
    if RUSTC.found(found).is_some() {
        cases.compile_fail("tests/ui/rustc/*.rs");
    }
}
