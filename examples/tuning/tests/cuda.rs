//! The slice on a GPU.

use nitro_cuda::Buffer;
use nitro_tuning::cuda::cuda_transpose::{self, Choice};

#[test]
#[ignore = "needs a CUDA device"]
fn every_configuration_that_is_possible_transposes() {
    let (rows, columns) = (70, 45);
    let values: Vec<f64> = (0..rows * columns).map(|index| index as f64).collect();
    let expected = nitro_benchmarks::cuda::transpose::reference(&values, rows, columns);
    let function = cuda_transpose::function();
    let mut count = 0;
    for (variant, info) in function.variants().iter().enumerate() {
        for configuration in info.configurations() {
            let choice = <Choice as nitro::CodeChoice>::of(nitro::Choice { variant, configuration });
            let mut buffer = Buffer::from_slice(&values).unwrap();
            cuda_transpose::call(choice, &mut buffer, rows, columns).unwrap();
            assert!(buffer.to_vec().unwrap() == expected, "{choice}");
            count += 1;
        }
    }
    assert_eq!(count, 1 + 16, "tiles of 16, 32 and 64 with as many rows as 1,024 threads have");
}

#[test]
#[ignore = "needs a CUDA device"]
fn the_trainer_measures_learns_and_chooses_configurations() {
    let folder = tempfile::tempdir().unwrap();
    let train = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_train-tuning"));
        let output = command.args(arguments).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let of = ["--function", "tuning::cuda_transpose", "--store", "s.db"];
    train(&[&["record", "--device", "cuda:0", "--repeat-ms", "5"], of.as_slice()].concat());
    train(&[&["fit", "--models", "m", "--device-features", "none"], of.as_slice()].concat());
    let inspected = train(&["inspect", "m/tuning.cuda_transpose.model", "--json"]);
    assert!(inspected.contains("tiled{tile="), "a copy in tiles is faster than in place: {inspected}");
}
