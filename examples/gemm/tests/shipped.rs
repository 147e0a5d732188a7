//! What ships: recordings, and the model that is fitted from them, with the kernels that it picks.

use std::path::Path;
use std::process::Command;

use nitro_core::model::Model;
use nitro_cuda::{Executable, Integers, LaunchPlan, Options};
use nitro_gemm::units::LEAST_INNER;
use nitro_gemm::{BF16X6_ERROR, MOST_INNER, TF32_ERROR};
use nitro_nest::{Mapping, MatrixArithmetic, NestView};
use nitro_polybench::blas;
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

/// The kernels of the variants on matrix units are those that the mapping gives.
#[test]
fn plans_on_matrix_units_are_what_the_mapping_gives_and_compile() {
    use MatrixArithmetic::{Bf16x6, Tf32};
    for (mapping, call, text) in [
        (Mapping::on_matrix_units(Tf32), "multiply_fragments_tf32(own", include_str!("../src/tf32.json")),
        (
            Mapping::on_matrix_units(Bf16x6),
            "multiply_fragments_bf16x6(own",
            include_str!("../src/bf16x6.json"),
        ),
        (
            Mapping::on_warp_groups(Tf32),
            "begin_product_rows256_parts_tf32_128_4(own",
            include_str!("../src/tf32-groups.json"),
        ),
        (
            Mapping::on_warp_groups(Bf16x6),
            "begin_product_bf16x6_128_1(step",
            include_str!("../src/bf16x6-groups.json"),
        ),
    ] {
        let plan = NestView::new(&blas::gemm::nest(), &mapping).unwrap().program().plan();
        assert!(plan.to_json() == text, "write it again: `gemm-units plans examples/gemm/src`");
        assert!(plan.cuda.contains(call), "{call}");
        // Groups of warps are those of one architecture.
        let is_of_groups = call.starts_with("begin");
        assert_eq!([plan.runs_on(90).is_ok(), plan.runs_on(100).is_ok()], [true, !is_of_groups], "{call}");
        let Some(_) = NVRTC.found(nitro_cuda::nvrtc_version()) else { continue };
        let image = Executable::image(&plan, Integers::Bits32, Options::new(90)).unwrap();
        assert!(plan.kernels[0].shared_bytes > 48 << 10 && image.usage(&plan.kernels[0].name).is_some());
    }
}

/// All arithmetics have functions of warp groups that compile, for operands that are stored as parts are too.
#[test]
fn products_of_warp_groups_compile() {
    let Some(_) = NVRTC.found(nitro_cuda::nvrtc_version()) else { return };
    for arithmetic in MatrixArithmetic::ALL {
        let view = NestView::new(&blas::gemm::nest(), &Mapping::on_warp_groups(arithmetic)).unwrap();
        let plan = view.program().plan();
        let image = Executable::image(&plan, Integers::Bits32, Options::new(90));
        let image = image.unwrap_or_else(|error| panic!("{arithmetic}: {error}"));
        let usage = image.usage(&plan.kernels[0].name).unwrap();
        assert_eq!(usage.spill_bytes, 0, "{arithmetic}");
    }
}

/// The old element of C is a term, and what scales it and a factor rounds.
#[test]
fn stated_errors_of_matrix_units_hold_for_the_largest_sums() {
    let scaled = 2.0 * f64::from(f32::EPSILON);
    for (arithmetic, stated) in
        [(MatrixArithmetic::Tf32, TF32_ERROR), (MatrixArithmetic::Bf16x6, BF16X6_ERROR)]
    {
        let worst = arithmetic.worst_error(u64::from(MOST_INNER) + 1) + scaled;
        assert!(worst <= stated, "{worst} of {arithmetic}");
    }
    assert!(MatrixArithmetic::Bf16x6.is_as_good_as_single(LEAST_INNER.into()));
}
