//! Points of spaces of decisions compile, and files about them are read; `time-decided` runs them on a GPU.

use std::fs;

use nitro_cuda::{Buffer, Executable, Options, Source, Usage, compile, device, nvrtc_version};
use nitro_decide::{DecidedSpace, LOADINGS, Limits, OpenChoices, TileSizes};
use nitro_nest::{Data, Integers};
use nitro_polybench::decided::{Asked, Kernel, Tiles, Timed, rates, read};
use nitro_test_support::random::Random;
use nitro_test_support::tools::NVRTC;

fn everything() -> TileSizes {
    TileSizes { open: OpenChoices::ALL, ..TileSizes::full() }
}

fn drawn(space: &DecidedSpace, random: &mut Random) -> Vec<usize> {
    let mut walk = || space.root().draw(|count| random.below(count as u64) as usize)?.solution();
    (0..1000).find_map(|_| walk()).expect("of a thousand walks one comes to an end")
}

fn usage(space: &DecidedSpace, values: &[usize]) -> Usage {
    let program = space.program(values);
    let text = program.cuda(Integers::Bits32);
    let image = compile(&Source::new("decided.cu", &text), &Options::new(90));
    let image = image.unwrap_or_else(|error| panic!("{error}\n{}\n{text}", space.show(values)));
    image.usage(&program.kernels[0].name).expect("the kernel is in the log")
}

#[test]
fn a_product_as_experts_write_it_is_a_point_and_spills_nothing_however_tiles_are_loaded() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    let space = DecidedSpace::sgemm([1024; 3], &everything(), &Limits::default()).unwrap();
    let point = "size of i1 = 16; size of i2 = 8; size of j1 = 2; size of j2 = 16; size of j3 = 4; size of k1 = 8;
        kind of k1 = unrolled; memory of a = shared; layout of a = transposed; memory of b = shared; layout of b = as it lies;
        kind of a_k2 = vector; kind of b_j3 = vector; kind of store_j3 = vector; order of i1 and j2 = outer";
    for (loading, tiles) in LOADINGS.into_iter().zip([1, 1, 2]) {
        let point = format!("{point}; loading of tiles = {loading}");
        let usage = usage(&space, &space.parse(&point).unwrap());
        println!("{loading}: {usage:?}");
        assert_eq!((usage.spill_bytes, usage.stack_bytes), (0, 0));
        assert_eq!(usage.static_shared_bytes, tiles * 2 * 128 * 8 * 4);
        assert!((64..=128).contains(&usage.registers), "{usage:?}");
    }
}

#[test]
fn drawn_points_compile_and_stage_no_more_than_a_block_may() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    let mut random = Random::new(1);
    let limits = Limits { unrolled: 128, ..Limits::default() }; // longer texts take seconds each
    for space in spaces(&everything(), &limits) {
        for _ in 0..6 {
            let usage = usage(&space, &drawn(&space, &mut random));
            assert!(u64::from(usage.static_shared_bytes) <= limits.shared_bytes);
        }
    }
}

/// All kernels that there are spaces of.
fn spaces(tiles: &TileSizes, limits: &Limits) -> Vec<DecidedSpace> {
    vec![
        DecidedSpace::sgemm([1024; 3], tiles, limits).unwrap(),
        DecidedSpace::batched_sgemm(64, [128; 3], tiles, limits).unwrap(),
        DecidedSpace::axpy(1 << 24, tiles, limits).unwrap(),
        DecidedSpace::matvec([4096, 16384], tiles, limits).unwrap(),
        DecidedSpace::gesummv(16384, tiles, limits).unwrap(),
        DecidedSpace::matvec_by_warps([4096, 16384], tiles, limits).unwrap(),
        DecidedSpace::gesummv_by_warps(16384, tiles, limits).unwrap(),
    ]
}

#[test]
fn spaces_that_can_be_timed_whole_have_as_many_points_as_the_guide_says() {
    for (space, size, tiles, name, points) in [
        (Kernel::Sgemm, 1024, Tiles::Reduced, "sgemm 1024 reduced", 10_640),
        (Kernel::Sgemm, 1024, Tiles::Ahead, "sgemm 1024 ahead", 16_320),
        (Kernel::MatvecByWarps, 16384, Tiles::Full, "matvecbywarps 16384 full", 486),
    ] {
        let asked = Asked { space, size, batch: 1, tiles, device: "cuda:0".into() };
        assert_eq!(asked.name(), name);
        assert_eq!(asked.space().unwrap().root().count(20_000), Some(points), "{name}");
    }
}

#[test]
fn results_are_read_by_space_and_what_is_no_result_is_named_by_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("decided.jsonl");
    let space = DecidedSpace::axpy(64, &TileSizes::full(), &Limits::default()).unwrap();
    let results = || read(&path, "axpy 64 full", &space);
    assert!(results().unwrap().is_empty(), "there is no file yet");
    let values = drawn(&space, &mut Random::new(2));
    let timed = |space_name: &str, time_ns| Timed {
        space: space_name.into(),
        point: space.show(&values).replace('\n', ";"),
        time_ns,
        times_ns: Vec::from_iter(time_ns),
        registers: 8,
        shared_bytes: 0,
        spill_bytes: 0,
        error: None,
    };
    let line = |space, time_ns| serde_json::to_string(&timed(space, time_ns)).unwrap();
    let (one, other) = (line("axpy 64 full", Some(7.5)), line("axpy 32 full", None));
    fs::write(&path, format!("{one}\n{}\n{other}\n\n{one}\n", &other[..20])).unwrap();
    let found: Vec<_> = results().unwrap().into_iter().map(|(values, own)| (values, own.time_ns)).collect();
    assert_eq!(found, [(values.clone(), Some(7.5)), (values, Some(7.5))]);
    for (from, to, expected) in [
        ("[7.5]", "[7.5,true]", "line 2: no result"),
        ("size of i0", "size of i9", "line 2: no point of axpy 64 full: there is no choice `size of i9`"),
    ] {
        fs::write(&path, format!("{one}\n{}\n", one.replace(from, to))).unwrap();
        let error = results().unwrap_err().to_string();
        assert!(error.contains("decided.jsonl, ") && error.contains(expected), "{error}");
    }
}

#[test]
fn rates_that_cannot_be_read_are_named_by_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rates.json");
    for (text, expected) in [
        (None, "rates.json: No such file"),
        (Some("{\n\"sm_count\": \"many\"}"), "rates.json, line 2: invalid type"),
        (Some("{\"sm_count\": 132}"), "rates.json: the device feature clock_rate_mhz is not known"),
    ] {
        text.into_iter().for_each(|text| fs::write(&path, text).unwrap());
        let error = rates(&path).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// `cargo test --release -p nitro-polybench --features search --test decided -- --ignored`.
#[test]
#[ignore = "needs a CUDA device"]
fn drawn_points_give_on_a_gpu_what_their_plain_loops_give() {
    device(0).unwrap().enter();
    let tiles = everything();
    let mut random = Random::new(4);
    let limits = Limits { unrolled: 128, ..Limits::default() };
    let spaces = [
        DecidedSpace::sgemm([64, 96, 32], &tiles, &limits).unwrap(),
        DecidedSpace::batched_sgemm(5, [32, 64, 32], &tiles, &limits).unwrap(),
        DecidedSpace::axpy(1 << 14, &tiles, &limits).unwrap(),
        DecidedSpace::matvec([128, 256], &tiles, &limits).unwrap(),
        DecidedSpace::gesummv(128, &tiles, &limits).unwrap(),
        DecidedSpace::matvec_by_warps([128, 256], &tiles, &limits).unwrap(),
        DecidedSpace::gesummv_by_warps(128, &tiles, &limits).unwrap(),
    ];
    for space in spaces {
        let nest = space.nest();
        let scalars = vec![1.5; nest.scalars().len()];
        let mut expected = Data::new(nest, &[], &scalars).unwrap();
        // Integers so small that sums are exact, however products and sums are joined.
        expected.arrays.iter_mut().flatten().for_each(|one| *one = random.below(9) as f32 - 4.0);
        let inputs = expected.arrays.clone();
        nest.run(&mut expected).unwrap();
        for _ in 0..30 {
            let values = drawn(&space, &mut random);
            let executable = Executable::new(space.program(&values).plan(), device(0).unwrap()).unwrap();
            let buffers: Vec<Buffer<f32>> =
                inputs.iter().map(|array| Buffer::from_slice(array).unwrap()).collect();
            // SAFETY: the arrays are those of the nest, and the interpreter finds no access out of bounds.
            unsafe { executable.run(&[], &scalars, &buffers) }.unwrap();
            for (found, expected) in buffers.iter().zip(&expected.arrays) {
                assert!(found.to_vec().unwrap() == *expected, "{}", space.show(&values));
            }
        }
    }
}
