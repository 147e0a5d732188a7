//! Products by groups of four warps.

use nitro_nest::{Instruction, Mapping, MatrixArithmetic, Nest, Program, Tiling};
use nitro_test_support::random::Random;

use crate::agreement::{assert_agrees, data};
use crate::matrix_units::{Inputs, program, tilings, worst};
#[cfg(feature = "half")]
use crate::products::stored;
use crate::products::{filtered, layers, nests, shifted, single, some_products};

/// One group of warps with one fragment of rows each, and with two.
pub fn of_groups(arithmetic: MatrixArithmetic) -> [Tiling; 2] {
    let depth = arithmetic.depth();
    let small = Tiling {
        block: [4, 32, 1],
        thread_tile: [2, 2, 1],
        tile_k: depth,
        promotes: true,
        matrix_units: Some(arithmetic),
        warp_groups: true,
        ..Tiling::default()
    };
    [small.clone(), Tiling { thread_tile: [4, 4, 1], tile_k: 2 * depth, ..small }]
}

/// Counts the products of four warps.
pub fn group_products(program: &Program) -> usize {
    program.to_string().matches("columns of four warps").count()
}

#[test]
fn products_of_warp_groups_are_within_the_stated_error() {
    let mut seed = 0;
    for nests in nests() {
        for arithmetic in MatrixArithmetic::ALL {
            for tiling in of_groups(arithmetic) {
                let program = program(&nests[0], &tiling);
                assert!(group_products(&program) > 0, "{program}");
                seed += 1;
                let mut random = Random::new(seed);
                let sizes = [(); 3].map(|()| 1 + random.below([12, 70][seed as usize % 2]) as i64);
                let found = worst(&nests, &program, sizes, Inputs::Usual, seed);
                assert!(found <= 1.0, "{found} of {arithmetic} at {sizes:?}\n{program}");
            }
        }
    }
}

/// Numbers of single precision are their own TF32: those along the sum go to shared memory as they are.
#[test]
fn operands_along_the_sum_are_read_from_shared_memory_as_they_are() {
    let stays = |nest: Nest, arithmetic| {
        let program = program(&nest, &of_groups(arithmetic)[1]);
        (group_products(&program) > 0, program.to_string().contains(" but the last "))
    };
    let nests = [single::scaled::nest(), single::layer::nest(), single::transposed::nest()];
    assert_eq!(
        nests.map(|nest| stays(nest, MatrixArithmetic::Tf32)),
        [(true, true), (true, true), (true, false)]
    );
    assert_eq!(stays(single::layer::nest(), MatrixArithmetic::Tf32x3), (true, false));
}

/// Operands that are stored in the format of parts go to shared memory as they are, if warp groups multiply them.
#[cfg(feature = "half")]
#[test]
fn operands_of_warp_groups_stay_as_they_are_stored() {
    use MatrixArithmetic::{Bf16, F16};
    let nests = [
        (stored::rows::nest(), Bf16),
        (stored::terms::nest(), F16),
        (stored::shifted::nest(), Bf16),
        (stored::columns::nest(), F16),
    ];
    for (seed, (nest, arithmetic)) in (0..).zip(nests) {
        for (block, thread_tile) in [([4, 32, 1], [16, 2, 1]), ([4, 64, 1], [16, 4, 1])] {
            let [tiling, _] = of_groups(arithmetic);
            let program = program(&nest, &Tiling { block, thread_tile, ..tiling });
            assert!(program.to_string().contains(" but the last "), "{program}");
            // Whole numbers, so that no sum rounds. Rows of multiples of 8 come at once.
            for sizes in [[64, 64, 136], [70, 72, 200], [21, 19, 45], [72, 8, 16]] {
                assert_agrees(&nest, &program, &data(&nest, &sizes, 0, seed), seed);
            }
        }
    }
}

/// Where no 16 bytes of an operand are at a multiple, numbers come one by one.
#[cfg(feature = "half")]
#[test]
fn operands_that_never_lie_at_multiples_come_one_by_one() {
    let nest = stored::odd::nest();
    let [tiling, _] = of_groups(MatrixArithmetic::F16);
    let program = program(&nest, &Tiling { thread_tile: [16, 2, 1], ..tiling });
    assert_agrees(&nest, &program, &data(&nest, &[66, 64, 70], 0, 1), 1);
    let text = program.cuda(nitro_nest::Integers::Bits32);
    assert!(text.contains("    fetch(&a_tile[") && !text.contains("    fetch_16_bytes("), "{text}");
    assert!(text.contains(" void fetch(unsigned short* target"), "what is called is defined: {text}");
}

/// Loads left operands after the products that read them have begun.
fn load_too_late(instructions: &mut [Instruction]) {
    let begins = |one: &Instruction| matches!(one, Instruction::Loop(_, _, body) if matches!(body[..], [Instruction::BeginProduct(_)]));
    if let Some(at) = instructions.iter().position(begins) {
        return instructions.swap(at - 1, at);
    }
    for instruction in instructions {
        if let Instruction::Loop(_, _, body) | Instruction::If(_, body, _) = instruction {
            load_too_late(body);
        }
    }
}

/// What a product reads may not change until it is awaited.
#[test]
fn an_operand_that_changes_while_it_is_multiplied_is_noticed() {
    let nest = single::transposed::nest();
    let mut program = program(&nest, &of_groups(MatrixArithmetic::Bf16x3)[0]);
    program.kernels.iter_mut().for_each(|kernel| load_too_late(&mut kernel.body));
    let error = program.run(&mut data(&nest, &[8, 8, 48], 0, 1), |_| 0).unwrap_err().to_string();
    assert!(error.ends_with("what a product reads has changed while it was computed"), "{error}");
}

/// Several matrices in one block have a right operand each, or share one.
#[test]
fn blocks_of_several_matrices_have_all_of_their_operands() {
    for arithmetic in [MatrixArithmetic::Tf32, MatrixArithmetic::Bf16x6] {
        let ([groups, _], [warps, ..]) = (of_groups(arithmetic), tilings(arithmetic));
        for tiling in [Tiling { block: [4, 32, 2], ..groups }, Tiling { block: [4, 8, 2], ..warps }] {
            for nest in [single::batch::nest(), single::contraction::nest(), layers::nest()] {
                let program = program(&nest, &tiling);
                assert_agrees(&nest, &program, &data(&nest, &[9, 11, 20], 0, 1), 1);
            }
        }
    }
}

/// Where a sum goes through a window too, each warp multiplies by itself, or nobody does.
#[test]
fn sums_that_are_no_plain_products_have_none_of_warp_groups() {
    let nest = filtered::nest();
    for tiling in of_groups(MatrixArithmetic::Bf16x6) {
        let program = program(&nest, &tiling);
        assert_eq!(group_products(&program), 0, "{program}");
        assert!(program.plan().target.is_none());
    }
    let [plain, _] = of_groups(MatrixArithmetic::Bf16x6);
    let plan = program(&single::scaled::nest(), &plain).plan();
    assert_eq!([80, 90, 100].map(|device| plan.runs_on(device).is_ok()), [false, true, false]);
}

/// Tiles follow each other through all loops of a sum, and end where it does.
#[test]
fn sums_over_several_loops_and_parts_of_arrays_are_whole() {
    let nest = shifted::nest();
    for tiling in of_groups(MatrixArithmetic::Bf16x6) {
        let program = program(&nest, &tiling);
        assert_eq!(group_products(&program), (tiling.tile_k / 16) as usize, "{program}");
        for (seed, sizes) in (0..).zip([[5, 9, 35], [66, 17, 33], [3, 8, 1], [7, 20, 2]]) {
            assert_agrees(&nest, &program, &data(&nest, &sizes, 0, seed), seed);
        }
    }
}

/// Products are added where their statement runs, and nowhere else.
#[test]
fn products_under_a_condition_of_points_are_added_where_it_holds() {
    let nest = some_products::nest();
    for tiling in of_groups(MatrixArithmetic::Bf16x6).iter().chain(&tilings(MatrixArithmetic::Bf16x6)) {
        let program = program(&nest, tiling);
        // Whole numbers, so that no sum rounds.
        assert_agrees(&nest, &program, &data(&nest, &[5, 9, 35], 0, 1), 1);
    }
}

#[test]
#[should_panic(expected = "matrix units for blocks of [8, 32, 1] threads of [2, 2, 1] values")]
fn a_block_without_groups_of_warps_above_each_other_is_refused() {
    let tiling = Tiling { block: [8, 32, 1], ..of_groups(MatrixArithmetic::Tf32)[0].clone() };
    let _ = Mapping::sane().with_usual_tilings([(); 3].map(|()| tiling.clone()));
}
