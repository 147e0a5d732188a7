//! Places with quotients and remainders.

use nitro_nest::{Array2, Array3, Data, Form, Mapping, Nest, nest};

use crate::agreement::{assert_agrees, data};

/// Each element of a plane four times.
#[nest]
fn upsampled(n: usize, m: usize, #[shape(n, m)] a: &Array2<f32>, #[shape(2 * n, 2 * m)] y: &mut Array2<f32>) {
    for i in 0..2 * n {
        for j in 0..2 * m {
            y[[i, j]] = a[[i / 2, j / 2]];
        }
    }
}

/// The same of slices, with names for places.
#[nest]
fn upsampled_slices(n: usize, m: usize, #[shape(n, m)] a: &[f32], #[shape(2 * n, 2 * m)] y: &mut [f32]) {
    for i in 0..2 * n {
        let row = i / 2;
        for j in 0..2 * m {
            y[i * (2 * m) + j] = a[row * m + j / 2];
        }
    }
}

#[nest]
fn shuffled(
    c: usize,
    h: usize,
    w: usize,
    #[shape(4 * c, h, w)] a: &Array3<f32>,
    #[shape(c, 2 * h, 2 * w)] y: &mut Array3<f32>,
) {
    for q in 0..c {
        for i in 0..2 * h {
            for j in 0..2 * w {
                y[[q, i, j]] = a[[q * 4 + (i % 2) * 2 + j % 2, i / 2, j / 2]];
            }
        }
    }
}

/// Neighbours on a ring, of what the nest itself has written.
#[nest]
fn rings(
    n: usize,
    m: usize,
    steps: usize,
    #[shape(n, m)] a: &mut Array2<f32>,
    #[shape(n, m)] b: &mut Array2<f32>,
) {
    for _t in 0..steps {
        for i in 0..n {
            for j in 0..m {
                b[[i, j]] = a[[(i + 1) % n, j]] + a[[(i + n - 1) % n, j]]
                    - a[[i, (j + 1) % m]] * a[[i, (j + m - 1) % m]];
            }
        }
        for i in 0..n {
            for j in 0..m {
                a[[i, j]] = 0.5 * b[[i, j]];
            }
        }
    }
}

/// A ring of a number of elements.
#[nest]
fn ring_of_eight(n: usize, #[shape(n, 8)] a: &Array2<f32>, #[shape(n, 8)] y: &mut Array2<f32>) {
    for i in 0..n {
        for j in 0..8 {
            y[[i, j]] = a[[i, (j + 1) % 8]] + a[[i, (j + 7) % 8]] + a[[i, (j * 3) % 8]];
        }
    }
}

/// Other values in even places, and at some.
#[nest]
fn even(n: usize, m: usize, #[shape(n, m)] a: &Array2<f32>, #[shape(n, m)] y: &mut Array2<f32>) {
    for i in 0..n {
        for j in 0..m {
            if (i + j) % 2 == 0 {
                y[[i, j]] = a[[i, j]] * (j / 3) as f32;
            } else {
                y[[i, j]] = -a[[i, j]];
            }
            if i % 3 == 1 && j >= 1 {
                y[[i, j]] += (i % 5) as f32 + if j % 4 >= 2 { 1.0 } else { a[[i / 4, j - 1]] };
            }
        }
    }
}

/// The sum of what is positive and in other columns than each third.
#[nest(reassoc)]
fn some(n: usize, m: usize, #[shape(n, m)] a: &Array2<f32>, #[shape(n)] sum: &mut [f32]) {
    for i in 0..n {
        sum[i] = 0.0;
        for j in 0..m {
            if j % 3 == 0 || a[[i, j]] < 0.0 {
                continue;
            }
            sum[i] += a[[i, j]];
        }
    }
}

/// A convolution whose input has zeros between its elements.
#[nest(reassoc)]
fn transposed(
    n: usize,
    k: usize,
    #[shape(n)] x: &[f32],
    #[shape(k)] w: &[f32],
    #[shape(2 * n + k)] y: &mut [f32],
) {
    for i in 0..2 * n + k {
        y[i] = 0.0;
        for u in 0..k {
            if i >= u && i < 2 * n + u {
                if (i - u) % 2 == 0 {
                    y[i] += w[u] * x[(i - u) / 2];
                }
            }
        }
    }
}

/// A mean over columns of which each is read twice, in rows that come to one kernel.
#[nest(reassoc)]
fn paired(
    n: usize,
    m: usize,
    #[shape(n, m)] a: &Array2<f32>,
    #[shape(n)] sum: &mut [f32],
    #[shape(n, 2 * m)] y: &mut Array2<f32>,
) {
    for i in 0..n {
        sum[i] = 0.0;
        for j in 0..2 * m {
            sum[i] += a[[i, j / 2]];
        }
        for j in 0..2 * m {
            y[[i, j]] = a[[i, j / 2]] - sum[i];
        }
    }
}

/// A nest and its function.
type Function = (Nest, fn(&mut Data));

fn nests() -> [Function; 9] {
    [
        (some::nest(), some::reference),
        (upsampled::nest(), upsampled::reference),
        (upsampled_slices::nest(), upsampled_slices::reference),
        (shuffled::nest(), shuffled::reference),
        (rings::nest(), rings::reference),
        (ring_of_eight::nest(), ring_of_eight::reference),
        (even::nest(), even::reference),
        (transposed::nest(), transposed::reference),
        (paired::nest(), paired::reference),
    ]
}

const SIZES: [[i64; 3]; 5] = [[5, 7, 3], [1, 1, 1], [33, 2, 2], [0, 3, 2], [4, 9, 0]];

fn given(nest: &Nest, sizes: &[i64; 3], seed: u64) -> Data {
    data(nest, &sizes[..nest.parameters().len()], 0, seed)
}

#[test]
fn a_nest_with_quotients_gives_what_its_function_gives() {
    for (nest, reference) in nests() {
        for sizes in &SIZES {
            let data = given(&nest, sizes, 1);
            let (mut interpreted, mut expected) = (data.clone(), data);
            nest.run(&mut interpreted).unwrap_or_else(|error| panic!("{error}\n{nest}"));
            reference(&mut expected);
            assert_eq!(interpreted, expected, "{nest}");
            assert_eq!(nest.run_with_bounds(&mut interpreted.clone()).unwrap().len(), nest.arguments());
        }
    }
}

#[test]
fn kernels_of_all_presets_give_what_the_nest_with_quotients_gives() {
    for (nest, _) in nests() {
        let forms = nest.with_temporaries().unwrap().with_joined_sums().unwrap().with_joined_rows();
        for nest in [nest, forms] {
            let dependences = nest.dependences().unwrap();
            for (_, mapping) in Mapping::presets() {
                let program = nest.map(&dependences, &mapping.with_form(Form::default()));
                for sizes in &SIZES[..3] {
                    assert_agrees(&nest, &program, &given(&nest, sizes, 2), 3);
                }
            }
        }
    }
}

/// One thread for each element: no dependence is seen where there is none.
#[test]
fn places_with_quotients_carry_no_dependence() {
    for nest in [upsampled::nest(), upsampled_slices::nest(), even::nest()] {
        let dependences = nest.dependences().unwrap();
        assert!((0..2).all(|depth| dependences.is_parallel(&[0], depth)), "{nest}\n{dependences}");
    }
    let text = upsampled::nest().to_string();
    assert!(text.contains("y[i, j] = a[(i / 2), (j / 2)];"), "{text}");
    let text = ring_of_eight::nest().to_string();
    assert!(text.contains("(if (j - 7) as f32 >= 0.0 { a[i, j - 7] } else { a[i, j + 1] })"), "{text}");
}

#[test]
fn drawn_mappings_of_quotients_give_what_the_nest_gives() {
    #[cfg(feature = "search")]
    for (nest, _) in nests() {
        use nitro_search::{Ask, Budget, Engine, Paths, RandomPaths};
        use nitro_test_support::random::Random;

        use crate::agreement::bits;
        let space = nitro_nest::MappingSpace::new(&nest).unwrap();
        let mut search = Engine::new(Paths::new(&space, RandomPaths::new(4)), Budget::evaluations(6));
        let Ask::Evaluate(paths) = search.ask(6).unwrap() else { panic!() };
        for path in paths {
            let (program, data) = (space.program(&path), given(&nest, &[5, 7, 3], 5));
            let (mut result, mut expected) = (data.clone(), data);
            let mut random = Random::new(6);
            program.run(&mut result, |threads| random.below(threads as u64) as usize).unwrap();
            nest.run(&mut expected).unwrap();
            assert_eq!(bits(&result), bits(&expected), "{program}");
        }
    }
}
