//! Reductions and scans whose text the emulator runs: it gives what the functions give.

#[path = "support/emulated.rs"]
mod emulated;
mod support;

use emulated::emulated;
use nitro_nest::{Data, Form, Mapping, MappingSpace};
use nitro_polybench::{Kernel, reductions, strangers};
use support::{assert_near, bounds, data};

fn numbers(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|one| f32::from_le_bytes(one.try_into().unwrap())).collect()
}

fn assert_text_agrees(kernel: &Kernel, mapping: &Mapping, sizes: &[i64]) {
    let nest = (kernel.nest)();
    let program = MappingSpace::new(&nest).unwrap().map(mapping);
    let before = data(&nest, sizes, 1);
    let bytes = |array: &Vec<f32>| array.iter().flat_map(|one| one.to_le_bytes()).collect::<Vec<u8>>();
    let scalars: Vec<Vec<u8>> = before.scalars.iter().map(|one| one.to_le_bytes().to_vec()).collect();
    let arrays = before.arrays.iter().map(bytes).collect();
    let Some(found) = emulated(&program.plan(), sizes, &scalars, arrays) else { return };
    let result = Data { arrays: found.iter().map(|one| numbers(one)).collect(), ..before.clone() };
    let mut expected = before;
    (kernel.reference)(&mut expected);
    assert_near(&result, &expected, &bounds(&nest, sizes, 1), &program.to_string());
}

macro_rules! kernel {
    ($module:ident::$name:ident) => {
        Kernel { nest: $module::$name::nest, reference: $module::$name::reference }
    };
}

#[test]
fn scans_and_single_rows_give_what_the_functions_give() {
    assert_text_agrees(&kernel!(reductions::cumulative_sums), &Mapping::sane(), &[2, 600]);
    assert_text_agrees(&kernel!(reductions::largest_magnitude), &Mapping::sane(), &[3, 150]);
}

#[test]
fn two_stages_give_what_the_functions_give() {
    let sane = Mapping::sane();
    let parted = sane.clone().with_form(Form { parts_reductions: true, ..sane.form() });
    assert_text_agrees(&kernel!(strangers::batch_statistics), &parted, &[3, 2, 8, 10]);
    assert_text_agrees(&kernel!(reductions::largest_magnitude), &parted, &[3, 150]);
}

#[test]
fn rows_of_several_loops_give_what_the_functions_give() {
    for sizes in [[1, 2, 3, 40], [1, 2, 3, 5], [1, 1, 9, 512]] {
        assert_text_agrees(&kernel!(reductions::group_norm), &Mapping::sane(), &sizes);
    }
}
