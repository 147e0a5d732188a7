//! What the compiler says of `#[code_variant]`, word for word: one topic a file, our own messages in `ui/fail`, rustc's about
//! expanded code in `ui/rustc`, and programs that are accepted in `ui/pass`. `TRYBUILD=overwrite cargo test -p nitro --test ui`
//! accepts what changed; read the difference.

use std::process::Command;

/// The compiler whose words `ui/rustc` holds: another one may say the same otherwise.
const RUSTC: &str = "rustc 1.95.";

#[test]
fn messages() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/fail/*.rs");
    cases.pass("tests/ui/pass/*.rs");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().expect("rustc runs").stdout;
    match String::from_utf8_lossy(&version) {
        version if version.starts_with(RUSTC) => cases.compile_fail("tests/ui/rustc/*.rs"),
        version => eprintln!("ui/rustc is left out: it holds the messages of {RUSTC}x, this is {version}"),
    }
}
