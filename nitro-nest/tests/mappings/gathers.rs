//! Reads at places that arrays of integers say.

use nitro_nest::{Array2, Data, Form, LaunchPlan, Mapping, Nest, RunError, nest};
use nitro_test_support::random::Random;

use crate::agreement::{assert_agrees, bits, data};

/// y ← y + a·x, each row with `width` elements, those of `a` in the columns that `idx` says.
#[nest(reassoc)]
fn ell(
    n: usize,
    m: usize,
    width: usize,
    #[shape(n, width)] a: &Array2<f32>,
    #[shape(n, width)] idx: &Array2<u32>,
    #[shape(m)] x: &[f32],
    #[shape(n)] y: &mut [f32],
) {
    for i in 0..n {
        for k in 0..width {
            y[i] += a[[i, k]] * x[idx[[i, k]] as usize];
        }
    }
}

/// The same for several vectors, whose elements are neighbours.
#[nest(reassoc)]
fn ell_of_rows(
    n: usize,
    m: usize,
    width: usize,
    #[shape(n, width)] idx: &Array2<u32>,
    #[shape(n, width)] a: &Array2<f32>,
    #[shape(m, n)] x: &Array2<f32>,
    #[shape(n, n)] y: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..n {
            y[[i, j]] = 0.0;
            for k in 0..width {
                let row = idx[[i, k]] as usize;
                y[[i, j]] += a[[i, k]] * x[[row, j]];
            }
        }
    }
}

/// The rows of a table that `ids` says, those behind a limit apart.
#[nest]
fn lookup(
    n: usize,
    m: usize,
    width: usize,
    #[shape(m, width)] table: &Array2<f32>,
    #[shape(n)] ids: &[u32],
    #[shape(n, width)] out: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..width {
            if i + j > 2 {
                out[[i, j]] = table[[ids[i] as usize, j]] + table[[0, j]];
            } else {
                out[[i, j]] = (j + 1) as f32 * table[[ids[i] as usize, width - 1 - j]];
            }
        }
    }
}

/// A row is read by what is in the same kernel its largest element: rows keep what they read in registers.
#[nest(reassoc)]
fn softmax_of_some(
    n: usize,
    m: usize,
    width: usize,
    #[shape(n, width)] idx: &Array2<u32>,
    #[shape(m)] x: &[f32],
    #[shape(n)] largest: &mut [f32],
    #[shape(n, width)] y: &mut Array2<f32>,
) {
    for i in 0..n {
        largest[i] = f32::NEG_INFINITY;
        for j in 0..width {
            largest[i] = largest[i].max(y[[i, j]] * x[idx[[i, j]] as usize]);
        }
        for j in 0..width {
            y[[i, j]] = y[[i, j]] * x[idx[[i, j]] as usize] - largest[i];
        }
    }
}

/// A nest and its function.
type Function = (Nest, fn(&mut Data));

fn nests() -> [Function; 4] {
    [
        (ell::nest(), ell::reference),
        (ell_of_rows::nest(), ell_of_rows::reference),
        (lookup::nest(), lookup::reference),
        (softmax_of_some::nest(), softmax_of_some::reference),
    ]
}

/// Whole numbers, and subscripts below the second size.
fn with_indices(nest: &Nest, sizes: &[i64; 3], seed: u64) -> Data {
    let mut data = data(nest, sizes, 0, seed);
    let mut random = Random::new(seed);
    data.indices.iter_mut().flatten().for_each(|index| *index = random.below(sizes[1].max(1) as u64) as u32);
    data
}

const SIZES: [[i64; 3]; 5] = [[5, 7, 3], [1, 1, 1], [33, 2, 18], [0, 3, 2], [4, 9, 0]];

#[test]
fn a_nest_with_gathers_gives_what_its_function_gives() {
    for (nest, reference) in nests() {
        for sizes in &SIZES {
            let data = with_indices(&nest, sizes, 1);
            let (mut interpreted, mut expected) = (data.clone(), data);
            nest.run(&mut interpreted).unwrap();
            reference(&mut expected);
            assert_eq!(interpreted, expected, "{nest}");
            assert_eq!(nest.run_with_bounds(&mut interpreted.clone()).unwrap().len(), nest.arguments());
        }
    }
}

#[test]
fn kernels_of_all_presets_give_what_the_nest_gives() {
    for (nest, _) in nests() {
        let forms = nest.with_temporaries().unwrap().with_joined_sums().unwrap().with_joined_rows();
        for nest in [nest, forms] {
            let dependences = nest.dependences().unwrap();
            for (name, mapping) in Mapping::presets() {
                let program = nest.map(&dependences, &mapping.with_form(Form::default()));
                for sizes in &SIZES[..3] {
                    assert_agrees(&nest, &program, &with_indices(&nest, sizes, 2), 3);
                }
                let text = program.cuda(nitro_nest::Integers::Bits32);
                assert!(!text.contains("x_tile") && !text.contains("table_tile[(int)"), "{name}: {text}");
            }
        }
    }
}

/// The loops over rows are parallel, though nobody knows what is read.
#[test]
fn what_is_read_anywhere_carries_no_dependence() {
    let dependences = ell_of_rows::nest().dependences().unwrap();
    assert!(dependences.is_parallel(&[0, 1], 0) && dependences.is_parallel(&[0, 1], 1), "{dependences}");
    let program = lookup::nest().map(&lookup::nest().dependences().unwrap(), &Mapping::naive());
    assert_eq!(program.kernels.iter().map(|kernel| kernel.grid.len()).collect::<Vec<_>>(), [2], "{program}");
}

#[test]
fn a_subscript_of_no_element_is_found_by_interpreters_and_before_a_launch() {
    let nest = lookup::nest();
    let program = nest.map(&nest.dependences().unwrap(), &Mapping::sane());
    let sizes = [5, 7, 3];
    let mut data = with_indices(&nest, &sizes, 1);
    data.indices[0][3] = 7;
    let of_nest = nest.run(&mut data.clone()).unwrap_err();
    let of_program = program.run(&mut data.clone(), |threads| threads - 1).unwrap_err();
    for error in [of_nest, of_program] {
        let RunError::OutOfBounds { array, subscripts, .. } = &error else { panic!("{error}") };
        assert_eq!((array.as_str(), subscripts[0]), ("table", 7), "{error}");
    }
    let plan = LaunchPlan::from_json(&program.plan().to_json()).unwrap();
    let error = plan.check_indices(&sizes, 0, &data.indices[0]).unwrap_err().to_string();
    let expected = "element 3 of `ids` is 7, and `lookup` reads with it where there are 7 elements: write numbers \
        below 7";
    assert_eq!(error, expected);
    data.indices[0][3] = 6;
    assert_eq!(plan.check_indices(&sizes, 0, &data.indices[0]), Ok(()));
    assert!(nest.run(&mut data).is_ok());
    data.indices[0].pop();
    assert!(
        nest.run(&mut data).unwrap_err().to_string().contains("takes 5 elements of `ids` and was given 4")
    );
}

#[test]
fn drawn_mappings_of_gathers_give_what_the_nest_gives() {
    #[cfg(feature = "search")]
    for (nest, _) in nests() {
        use nitro_search::{Ask, Budget, Engine, Paths, RandomPaths};
        let space = nitro_nest::MappingSpace::new(&nest).unwrap();
        let mut search = Engine::new(Paths::new(&space, RandomPaths::new(4)), Budget::evaluations(6));
        let Ask::Evaluate(paths) = search.ask(6).unwrap() else { panic!() };
        for path in paths {
            let (program, data) = (space.program(&path), with_indices(&nest, &[5, 7, 3], 5));
            let (mut result, mut expected) = (data.clone(), data);
            let mut random = Random::new(6);
            program.run(&mut result, |threads| random.below(threads as u64) as usize).unwrap();
            nest.run(&mut expected).unwrap();
            assert_eq!(bits(&result), bits(&expected), "{program}");
        }
    }
}
