//! What a search begins with, and what it draws, for nests of the kinds that people write.

use std::collections::BTreeSet;

use nitro_nest::{
    Array2, Array4, Instruction, Kernel, LaunchPlan, Mapping, MappingSpace, Nest, Program, Schedule, Space,
    Tiling, nest,
};
use nitro_search::{AntColony, Ask, Budget, Engine, Generator, Paths};

use crate::agreement::{assert_agrees, data};

#[nest(reassoc)]
fn global_means(
    n: usize,
    c: usize,
    h: usize,
    w: usize,
    #[shape(n, c, h, w)] x: &Array4<f32>,
    #[shape(n, c)] y: &mut Array2<f32>,
) {
    for image in 0..n {
        for channel in 0..c {
            y[[image, channel]] = 0.0;
            for i in 0..h {
                for j in 0..w {
                    y[[image, channel]] += x[[image, channel, i, j]];
                }
            }
            y[[image, channel]] /= h as f32 * w as f32;
        }
    }
}

#[nest(reassoc)]
fn convolution(
    n: usize,
    c: usize,
    k: usize,
    h: usize,
    w: usize,
    #[shape(n, c, h + 2, w + 2)] input: &Array4<f32>,
    #[shape(k, c, 3, 3)] weights: &Array4<f32>,
    #[shape(n, k, h, w)] output: &mut Array4<f32>,
) {
    for image in 0..n {
        for to in 0..k {
            for y in 0..h {
                for x in 0..w {
                    output[[image, to, y, x]] = 0.0;
                    for from in 0..c {
                        for u in 0..3 {
                            for v in 0..3 {
                                output[[image, to, y, x]] +=
                                    input[[image, from, y + u, x + v]] * weights[[to, from, u, v]];
                            }
                        }
                    }
                }
            }
        }
    }
}

#[nest(reassoc)]
fn total(n: usize, m: usize, #[shape(n, m)] x: &Array2<f32>, #[shape(1)] sum: &mut [f32]) {
    sum[0] = 0.0;
    for i in 0..n {
        for j in 0..m {
            sum[0] += x[[i, j]];
        }
    }
}

#[nest]
fn permuted(
    b: usize,
    h: usize,
    s: usize,
    d: usize,
    #[shape(b, s, h, d)] x: &Array4<f32>,
    #[shape(b, h, d, s)] y: &mut Array4<f32>,
) {
    for q in 0..b {
        for i in 0..h {
            for j in 0..s {
                for k in 0..d {
                    y[[q, i, k, j]] = x[[q, j, i, k]];
                }
            }
        }
    }
}

fn guesses(nest: &Nest, sizes: &[i64]) -> Vec<LaunchPlan> {
    let own = sizes.to_vec();
    let space = MappingSpace::new(nest).unwrap().with_sizes(move |_| Some(own.clone()));
    let texts = space.guesses("any", &|feature| (feature == "sm_count").then_some(132.0));
    assert_eq!(texts.iter().collect::<BTreeSet<_>>().len(), texts.len(), "a guess comes twice");
    texts.iter().map(|text| LaunchPlan::from_json(text).unwrap()).collect()
}

/// The blocks of the largest grid of a plan.
fn blocks(plan: &LaunchPlan, sizes: &[i64]) -> i64 {
    let mut most = 0;
    plan.launches(sizes, |launch| {
        most = most.max(launch.grid.iter().product());
        Ok::<(), nitro_nest::PlanError>(())
    })
    .unwrap();
    most
}

#[test]
fn what_is_asked_alike_has_the_same_answers() {
    // In one form rows of an image are split, in another one all its elements: terms are counted otherwise.
    for nest in [global_means::nest(), convolution::nest(), total::nest(), permuted::nest()] {
        let space = MappingSpace::new(&nest).unwrap();
        let mut search = Engine::new(Paths::new(&space, AntColony::new(1)), Budget::evaluations(50));
        assert!(matches!(search.ask(10), Ok(Ask::Evaluate(_))), "{}", nest.name());
    }
}

#[test]
fn a_search_for_a_convolution_has_guesses_and_few_texts_that_are_refused() {
    let nest = convolution::nest();
    assert_eq!(guesses(&nest, &[16, 128, 128, 56, 56]).len(), 5);
    let space = MappingSpace::new(&nest).unwrap();
    let mut search = Engine::new(Paths::new(&space, AntColony::new(0)), Budget::evaluations(50));
    let Ok(Ask::Evaluate(paths)) = search.ask(20) else { panic!("a search begins with something") };
    let refused = paths.iter().filter(|path| space.artifact(path).is_err()).count();
    assert!(5 * refused <= paths.len(), "{refused} of {}", paths.len());
}

#[test]
fn guesses_know_the_length_of_loops_that_were_joined() {
    let sizes = [4096, 2048];
    let all = guesses(&total::nest(), &sizes);
    // Neither a block for each warp's worth of values nor fewer than there are multiprocessors for.
    assert!((66..=2048).contains(&blocks(&all[0], &sizes)), "{}", all[0].cuda);
}

#[test]
fn each_kernel_of_points_has_guesses_and_transpositions_come_through_shared_memory() {
    let nest = permuted::nest();
    let all = guesses(&nest, &[16, 16, 512, 64]);
    let first = &all.first().expect("there is a model of points").cuda;
    assert!(first.contains("__shared__"), "{first}");
    let sane = MappingSpace::new(&nest).unwrap().map(&Mapping::sane());
    assert!(sane.kernels[0].locals.iter().any(|local| local.space == Space::Shared), "{sane}");
    // Neighbouring threads write neighbours, and read these of shared memory.
    assert!(sane.to_string().contains("let j = j_0 + 32 * j_g + threadIdx.x;"), "{sane}");
    assert_agrees(&nest, &sane, &data(&nest, &[2, 3, 70, 9], 0, 1), 2);
}

#[test]
fn a_block_adds_its_part_of_one_sum_once() {
    fn adds(all: &[Instruction]) -> usize {
        let of = |one: &Instruction| match one {
            Instruction::Loop(_, _, body) => adds(body),
            Instruction::If(_, body, otherwise) => adds(body) + adds(otherwise),
            other => usize::from(matches!(other, Instruction::Add { lanes: 1, .. })),
        };
        all.iter().map(of).sum()
    }
    let nest = total::nest();
    let (dependences, schedule) = (nest.dependences().unwrap(), Mapping::sane().schedule());
    for (block, points) in [([64, 1, 1], [3, 1, 1]), ([32, 4, 1], [2, 3, 1]), ([32, 2, 2], [1, 2, 1])] {
        let tiling = Tiling { block, thread_tile: points, promotes: true, ..Tiling::default() };
        let mapping = Mapping::naive()
            .with_schedule(Schedule { rows: false, ..schedule })
            .with_usual_tilings([tiling.clone(), tiling.clone(), tiling]);
        let program: Program = nest.map(&dependences, &mapping);
        let sums: Vec<&Kernel> = program.kernels.iter().filter(|kernel| adds(&kernel.body) > 0).collect();
        assert!(!sums.is_empty() && program.to_string().contains("parts_"), "{program}");
        for sizes in [[1, 1], [5, 67], [40, 33]] {
            assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), 2);
        }
    }
}

#[test]
fn tiles_of_one_value_have_no_code_for_those_that_are_cut_off() {
    let space = MappingSpace::new(&convolution::nest()).unwrap();
    let program = space.map(&Mapping::sane());
    let text = program.to_string();
    assert!(text.contains("for from in from_0..from_0 + 1 {"), "{text}");
    assert!(!text.contains("min(from_0 + 1, c)"), "{text}");
}

/// A polynomial at all points
#[nest]
fn horner(
    n: usize,
    m: usize,
    k: usize,
    #[shape(k)] by: &[f32],
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(n, m)] y: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..m {
            y[[i, j]] = 0.0;
            for l in 0..k {
                y[[i, j]] = y[[i, j]] * x[[i, j]] + by[l];
            }
        }
    }
}

#[test]
fn guesses_stage_nothing_that_is_the_same_for_all_threads() {
    let space = MappingSpace::new(&horner::nest()).unwrap().with_sizes(|_| Some(vec![1024, 1024, 16]));
    let guesses = space.guesses("large", &|_| Some(132.0));
    assert!(!guesses.is_empty() && guesses.iter().all(|guess| !guess.contains("__shared__")));
}
