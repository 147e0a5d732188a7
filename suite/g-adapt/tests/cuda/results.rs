//! On a GPU: every configuration gives what the host computes, at sizes around those of blocks and tiles.

use nitro::{CodeChoice, Function, VariantInfo};
use nitro_cuda::{Buffer, CudaError};
use nitro_g_adapt::cuda::{
    RADIUS, convolution, differences, filled, matrix_mul, mv_mul, reduction, scalar_prod,
    transpose_coalesced, transpose_naive,
};
use nitro_g_adapt::inputs::values;

const SIZES: [u32; 9] = [1, 15, 31, 33, 63, 65, 127, 128, 129];

/// Shapes of matrices: around tiles, square and not.
const SHAPES: [[u32; 2]; 13] = [
    [1, 1],
    [31, 31],
    [33, 33],
    [1, 33],
    [31, 1],
    [15, 17],
    [63, 65],
    [127, 129],
    [128, 64],
    [64, 512],
    [513, 47],
    [193, 191],
    [300, 1000],
];

fn choices<C: CodeChoice>(function: &Function) -> Vec<C> {
    let of_variant = |(variant, info): (usize, &'static VariantInfo)| {
        info.configurations().map(move |configuration| C::of(nitro::Choice { variant, configuration }))
    };
    function.variants().iter().enumerate().flat_map(of_variant).collect()
}

/// Runs every choice into a buffer of no numbers, and compares it with what the host computed.
fn check<C: CodeChoice + std::fmt::Display>(
    function: &Function,
    what: &str,
    expected: &[f32],
    call: impl Fn(C, &mut Buffer<f32>) -> Result<(), CudaError>,
) {
    for choice in choices::<C>(function) {
        let text = choice.to_string();
        let mut found = Buffer::uninit(expected.len()).unwrap();
        found.fill_bytes(0xff).unwrap();
        call(choice, &mut found).unwrap_or_else(|error| panic!("{text} of {what}: {error}"));
        assert!(found.to_vec().unwrap() == expected, "{text} of {what}");
    }
}

fn enter() {
    nitro_cuda::device(0).unwrap().enter();
}

#[test]
#[ignore = "needs a CUDA device"]
fn what_is_filled_is_what_the_host_says_and_differences_are_counted() {
    enter();
    for length in [0, 1, 31, 1_000_003] {
        let (on_device, on_host) = (filled(length, 7).unwrap(), values(length, 7));
        assert!(on_device.to_vec().unwrap() == on_host);
        let mut other = on_host.clone();
        other.iter_mut().step_by(10).for_each(|value| *value += 1.0);
        let changed = Buffer::from_slice(&other).unwrap();
        assert_eq!(differences(&on_device, &changed).unwrap() as usize, length.div_ceil(10));
        assert_eq!(differences(&on_device, &on_device).unwrap(), 0);
    }
    let not_a_number = Buffer::from_slice(&[f32::NAN]).unwrap();
    assert_eq!(differences(&not_a_number, &not_a_number).unwrap(), 1);
    assert!(differences(&not_a_number, &filled(2, 1).unwrap()).is_err());
}

#[test]
#[ignore = "needs a CUDA device"]
fn every_configuration_adds_up_an_array() {
    enter();
    for length in [0, 1, 31, 33, 127, 128, 129, 1023, 1025, 100_003, 5_000_001] {
        let array = filled(length, 1).unwrap();
        let expected: f32 = values(length, 1).iter().sum();
        check(reduction::function(), &length.to_string(), &[expected], |choice: reduction::Choice, sum| {
            reduction::call(choice, &array, sum)
        });
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn every_configuration_multiplies_pairs_of_vectors() {
    enter();
    for (vectors, elements) in [(1, 1), (1, 31), (33, 33), (5, 1025), (300, 127), (4097, 3), (2, 100_001)] {
        let length = (vectors * elements) as usize;
        let (left, right) = (filled(length, 1).unwrap(), filled(length, 2).unwrap());
        let (ours, theirs) = (values(length, 1), values(length, 2));
        let product = |(a, b): (&[f32], &[f32])| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let length = elements as usize;
        let expected: Vec<f32> = ours.chunks(length).zip(theirs.chunks(length)).map(product).collect();
        check(
            scalar_prod::function(),
            &format!("{vectors} x {elements}"),
            &expected,
            |choice: scalar_prod::Choice, to| scalar_prod::call(choice, &left, &right, to, vectors, elements),
        );
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn every_configuration_multiplies_a_matrix_and_a_vector() {
    enter();
    for [rows, columns] in SHAPES.into_iter().chain([[2, 100_000], [100_000, 4], [7, 10_001]]) {
        let (matrix, vector) =
            (filled((rows * columns) as usize, 1).unwrap(), filled(columns as usize, 2).unwrap());
        let (ours, theirs) = (values((rows * columns) as usize, 1), values(columns as usize, 2));
        let of_row = |row: &[f32]| row.iter().zip(&theirs).map(|(a, b)| a * b).sum::<f32>();
        let expected: Vec<f32> = ours.chunks(columns as usize).map(of_row).collect();
        check(mv_mul::function(), &format!("{rows} x {columns}"), &expected, |choice: mv_mul::Choice, to| {
            mv_mul::call(choice, &matrix, &vector, to, rows, columns)
        });
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn every_configuration_multiplies_matrices() {
    enter();
    let squares = SIZES.map(|size| [size; 3]);
    for [rows, inner, columns] in
        squares.into_iter().chain([[1, 33, 65], [65, 1, 31], [200, 77, 129], [16, 300, 40]])
    {
        let (left_length, right_length) = ((rows * inner) as usize, (inner * columns) as usize);
        let (left, right) = (filled(left_length, 1).unwrap(), filled(right_length, 2).unwrap());
        let (ours, theirs) = (values(left_length, 1), values(right_length, 2));
        let expected: Vec<f32> = (0..(rows * columns) as usize)
            .map(|at| {
                let (row, column) = (at / columns as usize, at % columns as usize);
                let line = &ours[row * inner as usize..][..inner as usize];
                line.iter().enumerate().map(|(step, a)| a * theirs[step * columns as usize + column]).sum()
            })
            .collect();
        check(
            matrix_mul::function(),
            &format!("{rows} x {inner} x {columns}"),
            &expected,
            |choice: matrix_mul::Choice, to| {
                matrix_mul::call(choice, &left, &right, to, rows, inner, columns)
            },
        );
    }
}

/// Filters along one direction: elements lie `step` apart in lines of `length`.
fn filtered(from: &[f32], weights: &[f32], position: impl Fn(usize) -> (usize, usize, usize)) -> Vec<f32> {
    let at = |index: usize| {
        let (within, length, step) = position(index);
        let tap = |(tap, weight): (usize, &f32)| {
            let there = (within + tap).checked_sub(RADIUS as usize).filter(|there| *there < length);
            there.map_or(0.0, |there| weight * from[index - within * step + there * step])
        };
        weights.iter().enumerate().map(tap).sum()
    };
    (0..from.len()).map(at).collect()
}

#[test]
#[ignore = "needs a CUDA device"]
fn every_configuration_filters_an_image() {
    enter();
    let count = 2 * RADIUS as usize + 1;
    let (weights, ours) = (filled(count, 2).unwrap(), values(count, 2));
    for [rows, columns] in SHAPES.into_iter().chain([[47, 512], [49, 513], [24, 511]]) {
        let (height, width) = (rows as usize, columns as usize);
        let image = filled(height * width, 1).unwrap();
        let along_rows = filtered(&values(height * width, 1), &ours, |index| (index % width, width, 1));
        let expected = filtered(&along_rows, &ours, |index| (index / width, height, width));
        let between = std::cell::RefCell::new(Buffer::uninit(height * width).unwrap());
        check(
            convolution::function(),
            &format!("{rows} x {columns}"),
            &expected,
            |choice: convolution::Choice, to| {
                let between = &mut *between.borrow_mut();
                between.fill_bytes(0xff)?;
                convolution::call(choice, &image, &weights, between, to, rows, columns)
            },
        );
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn every_configuration_of_both_transposes() {
    enter();
    // The last has more rows of blocks than a launch.
    for [rows, columns] in SHAPES.into_iter().chain([[7, 9], [9, 7], [150_000, 3], [3, 150_000]]) {
        let (height, width) = (rows as usize, columns as usize);
        let (from, ours) = (filled(height * width, 1).unwrap(), values(height * width, 1));
        let expected: Vec<f32> =
            (0..height * width).map(|at| ours[at % height * width + at / height]).collect();
        let what = format!("{rows} x {columns}");
        check(transpose_naive::function(), &what, &expected, |choice: transpose_naive::Choice, to| {
            transpose_naive::call(choice, &from, to, rows, columns)
        });
        check(
            transpose_coalesced::function(),
            &what,
            &expected,
            |choice: transpose_coalesced::Choice, to| {
                transpose_coalesced::call(choice, &from, to, rows, columns)
            },
        );
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn buffers_of_other_lengths_are_refused() {
    enter();
    let (six, mut five) = (filled(6, 1).unwrap(), filled(5, 1).unwrap());
    for choice in choices::<transpose_naive::Choice>(transpose_naive::function()) {
        let refused = transpose_naive::call(choice, &six, &mut five, 2, 3);
        assert!(matches!(refused, Err(CudaError::Length { expected: 6, found: 5 })), "{refused:?}");
    }
    let mut two = filled(2, 1).unwrap();
    for choice in choices::<reduction::Choice>(reduction::function()) {
        assert!(matches!(reduction::call(choice, &six, &mut two), Err(CudaError::Length { .. })));
    }
}
