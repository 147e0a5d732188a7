//! On a GPU the kernels give what the functions give. `cargo test --release -p nitro-polybench --features search --test
//! gpu -- --ignored`.

mod support;

use std::collections::BTreeMap;

use nitro_cuda::{Buffer, Executable, LaunchPlan, device};
use nitro_nest::{Data, Mapping, MappingSpace, Program, Tiling};
use nitro_polybench::results::{Found, found};
use nitro_polybench::{Kernel, kernels};
use support::{all_kernels, assert_near, bits, bounds, data, instances, sizes};

/// Runs a program on the first GPU.
fn run(executable: &Executable, data: &mut Data) {
    // An empty array has an address too.
    let upload = |array: &Vec<f32>| Buffer::from_slice(if array.is_empty() { &[0.0] } else { array });
    let buffers: Vec<Buffer<f32>> = data.arrays.iter().map(|array| upload(array).unwrap()).collect();
    // SAFETY: the arrays are those of the nest, and the interpreter finds no access out of bounds.
    unsafe { executable.run(&data.parameters, &data.scalars, &buffers) }
        .unwrap_or_else(|error| panic!("{error}\n{}", executable.plan().cuda));
    for (array, buffer) in data.arrays.iter_mut().zip(&buffers) {
        let length = array.len();
        *array = buffer.to_vec().unwrap()[..length].to_vec();
    }
}

fn tiled(points: [u32; 3], inner: u32, buffers: u32) -> Mapping {
    let of = |block: [u32; 3], points| Tiling {
        block,
        thread_tile: points,
        vector_width: 4,
        tile_k: inner,
        stages: buffers,
        transposes: buffers != 2,
        promotes: true,
        ..Tiling::default()
    };
    let usual = [of([64, 1, 1], [1; 3]), of([16, 8, 1], points), of([16, 4, 2], points)];
    Mapping::naive().with_usual_tilings(usual)
}

/// Mappings, and whether results are those of the function bit for bit.
fn mappings() -> Vec<(Mapping, bool)> {
    let small = [[32, 1, 1], [8, 4, 1], [4, 4, 2]];
    vec![
        (Mapping::naive().with_register_promotion(), true),
        (Mapping::naive().with_blocks(small), true),
        (tiled([2, 4, 1], 16, 1), true),
        (tiled([4, 2, 2], 8, 2), true),
        (tiled([8, 4, 1], 8, 3), true),
        (Mapping::ppcg_default(), true),
        (Mapping::sane(), false),
        (Mapping::sliced(), false),
    ]
}

/// A nest mapped, compiled and loaded; whether its results are those of the function bit for bit.
struct Loaded {
    what: String,
    executable: Executable,
    is_exact: bool,
}

impl Loaded {
    fn new(program: Program, what: String, is_exact: bool) -> Self {
        let plan = LaunchPlan { contracts: !is_exact, ..program.plan() };
        let executable =
            Executable::new(plan, device(0).unwrap()).unwrap_or_else(|error| panic!("{what}: {error}"));
        Self { what, executable, is_exact }
    }
}

/// At all these sizes.
fn assert_gives_what_the_function_gives(kernel: &Kernel, loaded: &[Loaded], all: &[Vec<i64>]) {
    let nest = (kernel.nest)();
    for (seed, sizes) in all.iter().enumerate() {
        let seed = seed as u64;
        let mut expected = data(&nest, sizes, seed);
        (kernel.reference)(&mut expected);
        let bounds = bounds(&nest, sizes, seed);
        for Loaded { what, executable, is_exact } in loaded {
            let mut result = data(&nest, sizes, seed);
            run(executable, &mut result);
            let what = format!("{} at {sizes:?} by {what}", nest.name());
            if *is_exact {
                assert!(bits(&result) == bits(&expected), "{what}");
            } else {
                assert_near(&result, &expected, &bounds, &what);
            }
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn kernels_give_what_the_functions_give() {
    for kernel in all_kernels() {
        let nest = (kernel.nest)().with_temporaries().unwrap();
        let dependences = nest.dependences().unwrap();
        let load = |(mapping, is_exact): &(Mapping, bool)| {
            let is_exact = *is_exact && !nest.calls_library();
            Loaded::new(nest.map(&dependences, mapping), format!("{mapping:?}"), is_exact)
        };
        let loaded: Vec<Loaded> = mappings().iter().map(load).collect();
        let all = sizes(nest.parameters().len(), &[0, 1, 2, 31, 33, 63, 65]);
        assert_gives_what_the_function_gives(&kernel, &loaded, &all);
    }
}

/// What ships as the fastest, by nest.
fn found_kernels() -> impl Iterator<Item = (Kernel, Vec<Loaded>)> {
    kernels().into_iter().map(|kernel| {
        let nest = (kernel.nest)();
        let space = MappingSpace::new(&nest).unwrap();
        let load = |(mapping, has_fused_loops): (Mapping, bool)| {
            let program = match has_fused_loops {
                true => space.map_with_fused_loops(&mapping),
                false => space.map(&mapping),
            };
            Loaded::new(program, format!("{mapping:?}"), false)
        };
        let of_nest = found().into_iter().filter(|found| found.nest == nest.name());
        (kernel, best_of_each_size(of_nest).map(load).collect())
    })
}

/// At sizes around those of tiles, where it takes no minutes on the host.
#[test]
#[ignore = "needs a CUDA device"]
fn what_searches_found_gives_what_the_functions_give() {
    for (kernel, loaded) in found_kernels() {
        let nest = (kernel.nest)();
        let is_quick = |size: &i64| instances(&nest, *size) <= 3_000_000;
        let around: Vec<i64> = [15, 17, 31, 33, 64, 127, 129].into_iter().filter(is_quick).collect();
        assert_gives_what_the_function_gives(&kernel, &loaded, &sizes(nest.parameters().len(), &around));
    }
}

/// At few sizes, for `compute-sanitizer`, which takes a hundred times as long.
#[test]
#[ignore = "needs a CUDA device"]
fn little_is_touched_as_it_should_be() {
    for (kernel, loaded) in found_kernels() {
        let parameters = (kernel.nest)().parameters().len();
        assert_gives_what_the_function_gives(&kernel, &loaded, &[vec![17; parameters], vec![33; parameters]]);
    }
}

/// The fastest of all searches at these sizes, and at those.
fn best_of_each_size(found: impl Iterator<Item = Found>) -> impl Iterator<Item = (Mapping, bool)> {
    let mut best: BTreeMap<String, Found> = BTreeMap::new();
    for one in found.filter(|one| one.mapping.is_some()) {
        let is_better = best.get(&one.size).is_none_or(|best| one.best_ms < best.best_ms);
        if is_better {
            best.insert(one.size.clone(), one);
        }
    }
    best.into_values().filter_map(|found| Some((found.mapping?, found.has_fused_loops)))
}
