//! A nest interpreted gives what its function gives, bit for bit.

mod support;

use nitro_polybench::kernels;
use support::{bits, data, sizes};

#[test]
fn functions_and_their_nests_agree() {
    for kernel in kernels() {
        let nest = (kernel.nest)();
        for (seed, sizes) in sizes(nest.parameters().len(), &[0, 1, 2, 5]).into_iter().enumerate() {
            let input = data(&nest, &sizes, seed as u64);
            let (mut expected, mut result) = (input.clone(), input.clone());
            (kernel.reference)(&mut expected);
            nest.run(&mut result).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(bits(&result), bits(&expected), "{} at {sizes:?}", nest.name());
            let does_something = sizes.iter().all(|size| *size >= 3);
            assert!(!does_something || result != input, "{} at {sizes:?}", nest.name());
        }
    }
}

#[test]
fn bounds_of_rounding_come_with_the_results_and_are_small() {
    for kernel in kernels() {
        let nest = (kernel.nest)();
        let sizes = &sizes(nest.parameters().len(), &[5])[0];
        let (mut expected, mut result) = (data(&nest, sizes, 1), data(&nest, sizes, 1));
        nest.run(&mut expected).unwrap();
        let bounds = nest.run_with_bounds(&mut result).unwrap();
        assert_eq!(bits(&result), bits(&expected), "{}", nest.name());
        for ((elements, bounds), declared) in result.arrays.iter().zip(&bounds).zip(nest.arrays()) {
            let largest = elements.iter().fold(1.0_f64, |largest, one| largest.max(f64::from(one.abs())));
            let is_small = |bound: &f64| *bound <= 1e-3 * largest;
            assert!(bounds.iter().all(is_small), "`{}` of {}: {bounds:?}", declared.name, nest.name());
            assert_eq!(bounds.iter().any(|bound| *bound > 0.0), declared.is_written, "{}", nest.name());
        }
    }
}

#[test]
fn nests_have_names_of_their_own_and_statements_in_order() {
    let nests: Vec<_> = kernels().iter().map(|kernel| (kernel.nest)()).collect();
    let names: std::collections::BTreeSet<_> = nests.iter().map(|nest| nest.name().to_owned()).collect();
    assert_eq!(names.len(), nests.len());
    for nest in &nests {
        let statements = nest.statements();
        assert!(statements.iter().enumerate().all(|(index, statement)| statement.index == index));
        assert!(nest.to_string().lines().count() > statements.len(), "{nest}");
    }
}
