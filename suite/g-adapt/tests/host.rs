//! Every configuration of the functions on the host gives what their definitions say.

use nitro::CodeChoice;
use nitro_g_adapt::host::{host_product, host_stencil};
use nitro_g_adapt::inputs::{self, names, shape, values};

/// All choices of a function, in the type of its calls.
fn choices<C: CodeChoice>(function: &nitro::Function) -> Vec<C> {
    let of_variant = |(variant, info): (usize, &'static nitro::VariantInfo)| {
        info.configurations().map(move |configuration| C::of(nitro::Choice { variant, configuration }))
    };
    function.variants().iter().enumerate().flat_map(of_variant).collect()
}

fn expected_product(left: &[f32], right: &[f32], [rows, inner, columns]: [usize; 3]) -> Vec<f32> {
    let at = |row: usize, column: usize| -> f32 {
        (0..inner).map(|step| left[row * inner + step] * right[step * columns + column]).sum()
    };
    (0..rows * columns).map(|index| at(index / columns, index % columns)).collect()
}

#[test]
fn every_configuration_multiplies() {
    let all: Vec<host_product::Choice> = choices(host_product::function());
    assert_eq!(all.len(), 3 * 4 * 5);
    for shape in [[1, 1, 1], [31, 33, 31], [4, 8, 32], [5, 513, 33], [33, 1, 7], [3, 0, 2], [0, 4, 4]] {
        let [rows, inner, columns] = shape;
        let (left, right) = (values(rows * inner, 3), values(inner * columns, 4));
        let expected = expected_product(&left, &right, shape);
        for choice in &all {
            let mut product = vec![f32::NAN; rows * columns];
            host_product::call(*choice, &left, &right, &mut product, rows, inner, columns);
            assert!(product == expected, "{choice} of {shape:?}");
        }
    }
}

fn expected_sweep(from: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    let at = |index: usize| {
        let (row, column) = (index / columns, index % columns);
        match row == 0 || column == 0 || row + 1 == rows || column + 1 == columns {
            true => from[index],
            false => {
                0.25 * (from[index - columns] + from[index + columns] + from[index - 1] + from[index + 1])
            }
        }
    };
    (0..from.len()).map(at).collect()
}

#[test]
fn every_configuration_sweeps_a_grid() {
    let all: Vec<host_stencil::Choice> = choices(host_stencil::function());
    assert_eq!(all.len(), 3 * 4 * 4);
    for (rows, columns) in [(1, 1), (2, 9), (3, 3), (31, 33), (9, 34), (66, 35), (10, 700), (0, 5)] {
        let from = values(rows * columns, 5);
        let expected = expected_sweep(&from, rows, columns);
        for choice in &all {
            let mut to = vec![f32::NAN; from.len()];
            host_stencil::call(*choice, &from, &mut to, rows, columns);
            assert!(to == expected, "{choice} of {rows} x {columns}");
        }
    }
}

#[test]
fn names_say_sizes_and_every_list_has_inputs_to_train_and_to_test_with() {
    fn check<const N: usize>(shapes: &[[u32; N]]) {
        let names = names(shapes);
        for (name, expected) in names.iter().zip(shapes) {
            assert_eq!(shape::<N>(name).as_ref(), Ok(expected));
        }
        let distinct: std::collections::HashSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), shapes.len());
        let tests = names.iter().filter(|name| name.starts_with("test/")).count();
        assert!(tests >= 2 && names.len() - tests >= 4, "{names:?}");
    }
    check(&inputs::REDUCTION);
    check(&inputs::MV_MUL);
    check(&inputs::TRANSPOSE);
    check(&inputs::MATRIX_MUL);
    check(&inputs::CONVOLUTION);
    check(&inputs::SCALAR_PROD);
    check(&inputs::HOST_PRODUCT);
    check(&inputs::HOST_STENCIL);
    let elements = inputs::MV_MUL.map(|[rows, columns]| u64::from(rows) * u64::from(columns));
    assert!(
        elements[..15].iter().all(|own| *own == 1 << 28) && elements[15..].iter().all(|own| *own == 1 << 27)
    );
    assert!(shape::<2>("train/5").is_err() && shape::<1>("train/x").is_err());
}

/// What is filled on the device is compared with what this gives.
#[test]
fn values_are_small_whole_numbers_of_all_kinds() {
    let values = values(1000, 1);
    assert!((-2..=2).all(|wanted| values.contains(&(wanted as f32))));
    assert!(values.iter().all(|value| value.abs() <= 2.0 && value.fract() == 0.0));
    assert_ne!(values, inputs::values(1000, 2));
}
