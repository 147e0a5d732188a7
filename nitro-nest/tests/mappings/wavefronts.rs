//! Loops that all wait for each other become wavefronts whose iterations do not.

use nitro_nest::{Affine, Array2, Bounds, Builder, Expression, Mapping, Nest, nest};
use nitro_test_support::random::Random;

use crate::agreement::{assert_agrees, assert_same, data};

/// A stencil in place over some of the nine points around each, in one to three loops: a time loop, or none, around
/// rows and columns. Sometimes a second array takes part.
fn stencil(seed: u64) -> Nest {
    let mut random = Random::new(seed);
    let mut builder = Builder::new("stencil");
    let [n, m] = ["n", "m"].map(|name| Affine::from(builder.parameter(name)));
    let arrays = ["a", "b"].map(|name| builder.in_out(name, [n.clone() + 2, m.clone() + 2]));
    let steps = random.below(3) as i64;
    let statements = 1 + random.below(2);
    let mut statement = |_| {
        let mut near = || random.below(3) as i64 - 1;
        let reads: Vec<(usize, [i64; 2])> = (0..3).map(|read| (read % 2, [near(), near()])).collect();
        (random.below(2) as usize, reads)
    };
    let statements: Vec<_> = (0..statements).map(&mut statement).collect();
    let points = |builder: &mut Builder| {
        builder.repeat("i", Bounds::new(1, n.clone() + 1), |builder, i| {
            builder.repeat("j", Bounds::new(1, m.clone() + 1), |builder, j| {
                for (target, reads) in &statements {
                    let sum = reads.iter().fold(Expression::from(0.5), |sum, (array, [down, across])| {
                        (sum - arrays[*array].at([i + *down, j + *across])) * 0.5
                    });
                    builder.assign(arrays[*target].at([i, j]), sum);
                }
            });
        });
    };
    match steps {
        0 => points(&mut builder),
        _ => builder.repeat("t", Bounds::new(0, steps + 1), |builder, _| points(builder)),
    }
    builder.finish().unwrap()
}

#[test]
fn drawn_stencils_in_place_compute_the_same_on_wavefronts() {
    let mut skewed = 0;
    for seed in 0..40 {
        let nest = stencil(seed);
        let changed = nest.with_wavefronts().unwrap();
        skewed += usize::from(changed != nest);
        let mut random = Random::new(seed);
        for _ in 0..3 {
            let sizes = [random.below(6) as i64, random.below(6) as i64];
            let data = data(&nest, &sizes, 6, seed);
            assert_same(&nest, &changed, &data);
            let program = changed.map(&changed.dependences().unwrap(), &Mapping::sane());
            assert_agrees(&changed, &program, &data, seed);
        }
    }
    assert!(skewed > 10, "{skewed} of the nests drawn have no parallel loop");
}

#[nest]
fn triangle(n: usize, #[shape(n, n)] a: &mut Array2<f32>) {
    for i in 1..n {
        for j in 1..i {
            a[[i, j]] += a[[i - 1, j]] + a[[i, j - 1]];
        }
    }
}

#[nest]
fn serial(n: usize, #[shape(n, n)] a: &mut Array2<f32>) {
    for i in 1..n {
        for j in 1..n {
            a[[i, j]] += a[[n - i, n - j]];
        }
    }
}

#[test]
fn what_is_no_hyperplane_stays_as_it_is() {
    for nest in [triangle::nest(), serial::nest()] {
        assert_eq!(nest.with_wavefronts().unwrap(), nest);
    }
}

/// Rows and columns that can be summed up apart need no wavefronts, though no loop is parallel for both.
#[test]
fn statements_that_can_be_apart_stay_as_they_are() {
    #[nest]
    fn sums(
        n: usize,
        m: usize,
        #[shape(n, m)] a: &Array2<f32>,
        #[shape(n)] rows: &mut [f32],
        #[shape(m)] columns: &mut [f32],
    ) {
        for i in 0..n {
            for j in 0..m {
                rows[i] += a[[i, j]];
                columns[j] += a[[i, j]];
            }
        }
    }
    assert_eq!(sums::nest().with_wavefronts().unwrap(), sums::nest());
}
