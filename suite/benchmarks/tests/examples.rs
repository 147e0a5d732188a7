//! Examples whose result is what a model chooses say so when there is none.
//!
//! In a file of its own, in one test: `NITRO_MODELS` is the process's.

#[path = "../examples/shown/mod.rs"]
mod shown;

use std::process::ExitCode;

use nitro_benchmarks::transpose;

#[test]
fn without_a_model_there_is_nothing_to_show() {
    let folder = tempfile::tempdir().unwrap();
    // SAFETY: this is the only test of the process, and no other thread runs yet.
    unsafe { std::env::set_var("NITRO_MODELS", folder.path()) };
    let select = || shown::by_model(transpose::function(), transpose::select(&mut [1.0; 6], 2, 3));
    let message = select().expect_err("no place has a model").to_string();
    assert!(message.contains("`transpose`") && message.contains("NITRO_MODELS"), "{message}");
    let ended = shown::shown(|_| select().map(drop));
    assert_eq!(format!("{ended:?}"), format!("{:?}", ExitCode::FAILURE));

    std::fs::copy("../../models/transpose.model", folder.path().join("transpose.model")).unwrap();
    transpose::function().reload().unwrap();
    assert!(select().is_ok(), "with a model there is");
}
