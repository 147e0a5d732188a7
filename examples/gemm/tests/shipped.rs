//! What ships: recordings, and the model that is fitted from them, with the kernels that it picks.

use std::path::Path;
use std::process::Command;

use nitro_core::model::Model;
use nitro_cuda::{Executable, Integers, LaunchPlan, Options};
use nitro_test_support::tools::NVRTC;

fn shipped() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models/gemm.model")
}

#[test]
fn the_model_is_what_the_recordings_give() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_train-gemm"));
    command.args(["fit", "--models", "m"]).current_dir(folder.path()).env_remove("NITRO_STORE");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let fitted = std::fs::read(folder.path().join("m/gemm.model")).unwrap();
    assert!(
        fitted == std::fs::read(shipped()).unwrap(),
        "fit it again: `train-gemm fit --models examples/gemm/models`"
    );
}

#[test]
fn kernels_that_the_model_brings_are_plans_and_compile() {
    let model = Model::read(&shipped()).unwrap();
    let found = model.choices.iter().filter(|choice| choice.starts_with("found{")).count();
    assert!(found >= 1 && model.artifacts.len() == found, "{:?}", model.choices);
    for artifact in &model.artifacts {
        let plan = LaunchPlan::from_json(artifact.text().unwrap()).unwrap();
        assert_eq!((plan.sizes.len(), plan.scalars.len(), plan.arrays.len()), (3, 2, 3), "{artifact}");
        let Some(_) = NVRTC.found(nitro_cuda::nvrtc_version()) else { continue };
        Executable::image(&plan, Integers::Bits32, Options::new(90))
            .unwrap_or_else(|error| panic!("{error}"));
    }
}
