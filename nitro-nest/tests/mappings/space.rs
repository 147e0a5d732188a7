//! What a search may choose.

use std::collections::BTreeSet;

use nitro_nest::{Array2, Instruction, Kernel, LaunchPlan, Mapping, MappingSpace, Nest, Space, nest};
use nitro_search::{Ask, Budget, Crossing, Decisions, Engine, Generator, Paths, RandomPaths};

#[nest(reassoc)]
fn products(
    n: usize,
    m: usize,
    #[shape(n, m)] a: &Array2<f32>,
    #[shape(m)] x: &[f32],
    #[shape(n)] y: &mut [f32],
    #[shape(n, n)] c: &mut Array2<f32>,
) {
    for i in 0..n {
        y[i] = 0.0;
        for j in 0..m {
            y[i] += a[[i, j]] * x[j];
        }
    }
    for i in 0..n {
        for j in 0..n {
            for k in 0..m {
                c[[i, j]] += a[[i, k]] * a[[j, k]];
            }
        }
    }
}

#[nest]
fn scale(n: usize, m: usize, #[shape(n, m)] c: &mut Array2<f32>) {
    for i in 0..n {
        for j in 0..m {
            for _k in 0..m {
                c[[i, j]] *= 2.0;
            }
        }
    }
}

#[nest]
fn stencil(n: usize, t: usize, #[shape(n)] x: &mut [f32], #[shape(n)] y: &mut [f32]) {
    for _s in 0..t {
        for i in 1..n - 1 {
            y[i] = x[i - 1] + x[i + 1];
        }
        for i in 1..n - 1 {
            x[i] = y[i];
        }
    }
}

#[nest]
fn prefix(n: usize, #[shape(n)] x: &mut [f32]) {
    for i in 1..n {
        x[i] += x[i - 1];
    }
}

/// What a random search proposes first.
fn random_path(space: &MappingSpace, seed: u64) -> Vec<Crossing> {
    let mut search = Engine::new(Paths::new(space, RandomPaths::new(seed)), Budget::evaluations(1));
    let Ask::Evaluate(mut paths) = search.ask(1).unwrap() else { panic!("nothing was proposed") };
    paths.remove(0)
}

/// The kernels of so many first proposals of random searches.
fn kernels(nest: &Nest, searches: u64) -> Vec<Kernel> {
    let space = MappingSpace::new(nest).unwrap();
    let proposed = |seed| space.program(&random_path(&space, seed)).kernels;
    (0..searches).flat_map(proposed).collect()
}

#[test]
fn blocks_are_of_a_warp_at_least_and_of_as_many_threads_as_a_gpu_grants_at_most() {
    let kernels = kernels(&products::nest(), 200);
    assert!(kernels.len() >= 400, "{} kernels", kernels.len());
    for kernel in &kernels {
        assert!((32..=1024).contains(&kernel.threads()), "{:?}", kernel.block);
    }
    let found = |threads| kernels.iter().any(|kernel| kernel.threads() == threads);
    assert!(found(32) && found(1024), "both ends are drawn");
}

#[test]
fn what_has_no_parallel_loop_is_one_thread_whatever_is_chosen() {
    let kernels = kernels(&prefix::nest(), 1);
    assert_eq!(kernels.iter().map(Kernel::threads).collect::<Vec<_>>(), [1]);
}

#[nest(reassoc)]
fn sum_of_all(n: usize, #[shape(n)] x: &[f32], #[shape(1)] sum: &mut [f32]) {
    sum[0] = 0.0;
    for i in 0..n {
        sum[0] += x[i];
    }
}

#[test]
fn no_thread_is_alone_with_a_loop_that_others_share() {
    let is_loop = |one: &Instruction| matches!(one, Instruction::Loop(..));
    for kernel in kernels(&sum_of_all::nest(), 10) {
        assert!(kernel.threads() > 1 || !kernel.body.iter().any(is_loop), "{kernel:?}");
    }
}

fn is_product(kernel: &Kernel) -> bool {
    kernel.statements == [2]
}

fn is_staged(local: &nitro_nest::Local) -> bool {
    local.space == Space::Shared && local.name.contains("_tile")
}

#[test]
fn products_have_large_tiles_whose_operands_are_all_staged_and_registers_for_a_block() {
    let kernels = kernels(&products::nest(), 200);
    let products: Vec<_> = kernels.iter().filter(|kernel| is_product(kernel)).collect();
    assert_eq!(products.len(), 200);
    for kernel in &products {
        let points: u32 = kernel.points.iter().product();
        assert!(
            (64..=512).contains(&kernel.threads()) && (32..=128).contains(&points),
            "{:?}",
            kernel.points
        );
        let registers = kernel.resident_blocks * kernel.threads() * (points + 64);
        assert!(kernel.resident_blocks > 0 && registers <= 1 << 16, "{} blocks", kernel.resident_blocks);
        assert_eq!(kernel.locals.iter().filter(|local| is_staged(local)).count(), 2, "{:?}", kernel.locals);
    }
    let has = |buffers: usize| {
        let in_buffers = |local: &nitro_nest::Local| is_staged(local) && local.shape.len() == buffers;
        products.iter().any(|kernel| kernel.locals.iter().any(in_buffers))
    };
    assert!(has(2) && has(3), "one buffer and several are drawn");
    for slices in [1, 2, 4] {
        assert!(products.iter().any(|kernel| kernel.block[2] == slices), "{slices} slices are drawn");
    }
}

#[test]
fn a_sane_product_has_large_tiles_and_what_is_none_has_not() {
    let nest = products::nest();
    let program = nest.map(&nest.dependences().unwrap(), &Mapping::sane());
    let found: Vec<_> =
        program.kernels.iter().map(|kernel| (is_product(kernel), kernel.points == [8, 8, 1])).collect();
    assert!(
        found.len() > 1 && found.iter().all(|(is_product, is_large)| is_product == is_large),
        "{program}"
    );
}

#[test]
fn paths_of_the_same_kernels_give_one_text() {
    for nest in [products::nest(), prefix::nest(), scale::nest(), stencil::nest()] {
        let space = MappingSpace::new(&nest).unwrap();
        let (mut plans, mut texts) = (BTreeSet::new(), BTreeSet::new());
        for seed in 0..400 {
            let path = random_path(&space, seed);
            // What a compiler would write out too much of has no text.
            let Ok(text) = space.artifact(&path) else { continue };
            plans.insert(space.program(&path).plan().to_json());
            let plan = LaunchPlan::from_json(&text).unwrap();
            for kernel in &plan.kernels {
                assert_eq!(space.part_of(&text, &kernel.name).as_ref(), Some(&kernel.part));
            }
            assert_eq!(LaunchPlan { origin: String::new(), ..plan }, space.program(&path).plan());
            texts.insert(text);
        }
        assert_eq!(texts.len(), plans.len(), "{}", nest.name());
    }
}

#[test]
fn a_search_begins_with_the_presets_that_it_could_have_found() {
    let space = MappingSpace::new(&products::nest()).unwrap();
    let found: Vec<Vec<Kernel>> =
        space.initial_paths().iter().map(|path| space.program(path).kernels).collect();
    let product = |kernels: &[Kernel]| kernels.iter().find(|kernel| is_product(kernel)).cloned();
    for mapping in [Mapping::sane(), Mapping::split(), Mapping::sliced()] {
        let expected = product(&space.map(&mapping).kernels);
        assert!(found.iter().any(|kernels| product(kernels) == expected), "{expected:?}");
    }
    // A thread goes through 512 elements of a row in `sane`, which no search decides: 256 are the nearest.
    let sum = found[0].iter().find(|kernel| kernel.statements.contains(&1)).unwrap();
    assert_eq!((sum.block, sum.points[0]), ([32, 8, 1], 256));
}

#[nest(reassoc)]
fn product(
    n: usize,
    m: usize,
    #[shape(n, m)] a: &Array2<f32>,
    #[shape(m, n)] b: &Array2<f32>,
    #[shape(n, n)] c: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..n {
            for k in 0..m {
                c[[i, j]] += a[[i, k]] * b[[k, j]];
            }
        }
    }
}

/// Returns how many elements the blocks of a product cover, for each guess at these sizes.
fn covered(nest: &Nest, sizes: &[i64]) -> Vec<i64> {
    let own = sizes.to_vec();
    let space = MappingSpace::new(nest).unwrap().with_sizes(move |_| Some(own.clone()));
    let texts = space.guesses("any", &|feature| (feature == "sm_count").then_some(132.0));
    let of_text = |text: &String| {
        let plan = LaunchPlan::from_json(text).unwrap();
        let mut most = 0;
        plan.launches(sizes, |launch| {
            let kernel = &plan.kernels[launch.kernel];
            let along = |axis: usize| launch.grid[axis] * i64::from(kernel.block[axis] * kernel.points[axis]);
            most = most.max(along(0) * along(1));
            Ok::<(), nitro_nest::PlanError>(())
        })
        .unwrap();
        most
    };
    texts.iter().map(of_text).collect()
}

#[test]
fn what_a_search_begins_with_fits_the_sizes() {
    // Tiles of presets, 128 x 128, would cover seven times as much as there is of 48 x 48.
    for n in [48, 96, 200, 1000, 4096] {
        let covered = covered(&product::nest(), &[n, 512]);
        assert!((2..=8).contains(&covered.len()), "{n}: {covered:?}");
        assert!(covered[0] <= 2 * n * n, "{n}: {covered:?}");
    }
    // Nor do those of points: few blocks of many points would leave multiprocessors idle.
    let covered = covered(&scale::nest(), &[100, 100]);
    assert!((2..=8).contains(&covered.len()) && covered[0] <= 2 * 100 * 100, "{covered:?}");
}
