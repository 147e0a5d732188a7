//! Products on matrix units are as far off as their arithmetic says, and no further.

use nitro_nest::{
    Data, FragmentProduct, Instruction, Mapping, MatrixArithmetic, Nest, Program, Schedule, Tiling,
};
use nitro_test_support::random::Random;

use crate::agreement::{assert_agrees, data};
#[cfg(feature = "half")]
use crate::products::stored;
use crate::products::{in_order, nests};
use crate::warp_groups::{group_products, of_groups};

/// Blocks of one, two and four warps, in one buffer and in several.
pub fn tilings(arithmetic: MatrixArithmetic) -> [Tiling; 3] {
    let depth = arithmetic.depth();
    let small = Tiling {
        block: [4, 8, 1],
        thread_tile: [2, 2, 1],
        tile_k: depth,
        promotes: true,
        matrix_units: Some(arithmetic),
        ..Tiling::default()
    };
    [
        small.clone(),
        Tiling { block: [8, 8, 1], thread_tile: [4, 2, 1], tile_k: 2 * depth, stages: 2, ..small.clone() },
        Tiling { block: [8, 16, 1], thread_tile: [2, 4, 1], stages: 3, ..small },
    ]
}

pub fn program(nest: &Nest, tiling: &Tiling) -> Program {
    let schedule = Schedule { fuses: true, sums_in_parallel: true, coalesces: true, ..Schedule::default() };
    let mapping = Mapping::sane().with_schedule(schedule);
    nest.map(&nest.dependences().unwrap(), &mapping.with_usual_tilings([(); 3].map(|()| tiling.clone())))
}

/// Calls `visitor` with all products of fragments.
fn visit(instructions: &mut [Instruction], visitor: &mut dyn FnMut(&mut FragmentProduct)) {
    for instruction in instructions {
        match instruction {
            Instruction::Loop(_, _, body) => visit(body, visitor),
            Instruction::If(_, body, otherwise) => {
                visit(body, visitor);
                visit(otherwise, visitor);
            }
            Instruction::Multiply(product) => visitor(product),
            _ => {}
        }
    }
}

pub fn products(program: &mut Program) -> usize {
    let mut count = 0;
    program.kernels.iter_mut().for_each(|kernel| visit(&mut kernel.body, &mut |_| count += 1));
    count
}

/// Numbers whose sums tell the accuracy of products.
#[derive(Clone, Copy, Debug)]
pub enum Inputs {
    Usual,
    /// Sums of numbers with one sign lose most by rounding down.
    Positive,
    /// Neighbouring terms cancel each other but for the last bits.
    Cancelling,
    /// Exponents from −60 to 60.
    Wide,
}

impl Inputs {
    fn number(self, random: &mut Random, at: usize) -> f32 {
        let fraction = f32::from_bits(0x3f80_0000 + random.below(1 << 23) as u32);
        let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
        match self {
            Self::Usual => sign * fraction,
            Self::Positive => fraction,
            Self::Cancelling => {
                (if at.is_multiple_of(2) { 1.0 } else { -1.0 }) * (1.0 + (fraction - 1.0) / 4096.0)
            }
            Self::Wide => sign * fraction * 2.0_f32.powi(random.below(121) as i32 - 60),
        }
    }
}

/// Returns the largest error of an element of the last array, relative to what the arithmetic states.
pub fn worst(nests: &[Nest; 2], program: &Program, sizes: [i64; 3], inputs: Inputs, seed: u64) -> f64 {
    let mut random = Random::new(seed);
    let scalars = vec![1.5; nests[0].scalars().len()];
    let mut own = Data::new(&nests[0], &sizes, &scalars).unwrap();
    for array in &mut own.arrays {
        for (at, element) in array.iter_mut().enumerate() {
            *element = inputs.number(&mut random, at);
        }
    }
    let wide_scalars: Vec<f64> = scalars.iter().map(|one| f64::from(*one)).collect();
    let mut exact = Data::in_double(&nests[1], &sizes, &wide_scalars).unwrap();
    let mut magnitudes = exact.clone();
    for (array, (exact, magnitudes)) in
        own.arrays.iter().zip(exact.arrays.iter_mut().zip(&mut magnitudes.arrays))
    {
        *exact = array.iter().map(|one| f64::from(*one)).collect();
        *magnitudes = exact.iter().map(|one| one.abs()).collect();
    }
    nests[1].run(&mut exact).unwrap();
    nests[1].run(&mut magnitudes).unwrap();
    let run = program.run(&mut own, |threads| random.below(threads as u64) as usize);
    run.unwrap_or_else(|error| panic!("{error}\n{sizes:?}\n{program}"));
    let arithmetic = program.kernels.iter().find_map(arithmetic).expect("it has a product on matrix units");
    // The old element is a term, and the scaling of it and of a factor round too.
    let stated = arithmetic.worst_error(sizes[2].unsigned_abs() + 1) + 2.0 * f64::from(f32::EPSILON);
    let results = own.arrays.last().unwrap().iter().zip(exact.arrays.last().unwrap());
    let errors = results.zip(magnitudes.arrays.last().unwrap()).map(|((found, exact), magnitude)| {
        let error = (f64::from(*found) - exact).abs() / (stated * magnitude + 1e-37);
        if error.is_nan() { f64::INFINITY } else { error }
    });
    errors.fold(0.0, f64::max)
}

fn arithmetic(kernel: &nitro_nest::Kernel) -> Option<MatrixArithmetic> {
    fn find(instructions: &[Instruction]) -> Option<MatrixArithmetic> {
        instructions.iter().find_map(|instruction| match instruction {
            Instruction::Loop(_, _, body) => find(body),
            Instruction::If(_, body, otherwise) => find(body).or_else(|| find(otherwise)),
            Instruction::Multiply(product) => Some(product.arithmetic),
            Instruction::BeginProduct(product) => Some(product.arithmetic),
            _ => None,
        })
    }
    find(&kernel.body)
}

#[test]
fn products_of_all_shapes_are_within_the_stated_error() {
    let mut seed = 0;
    for nests in nests() {
        for arithmetic in MatrixArithmetic::ALL {
            for tiling in tilings(arithmetic) {
                let mut program = program(&nests[0], &tiling);
                assert!(products(&mut program) > 0, "{program}");
                seed += 1;
                let mut random = Random::new(seed);
                let sizes = [(); 3].map(|()| 1 + random.below([12, 40][seed as usize % 2]) as i64);
                let found = worst(&nests, &program, sizes, Inputs::Usual, seed);
                assert!(found <= 1.0, "{found} of {arithmetic} at {sizes:?}\n{program}");
            }
        }
    }
}

/// Operands that are stored in the format of parts come by `ldmatrix`, and lose nothing.
#[cfg(feature = "half")]
#[test]
fn stored_operands_are_not_rounded() {
    use MatrixArithmetic::{Bf16, F16};
    for (seed, (nest, arithmetic)) in
        (0..).zip([(stored::rows::nest(), Bf16), (stored::columns::nest(), F16)])
    {
        for tiling in tilings(arithmetic) {
            let program = program(&nest, &tiling);
            assert!(program.to_string().contains("load fragments"), "{program}");
            let text = program.cuda(nitro_nest::Integers::Bits32);
            assert!(text.contains(&format!("multiply_stored_{arithmetic}(own")), "{text}");
            // Whole numbers, so that no sum rounds.
            for sizes in [[16, 16, 32], [21, 19, 45], [40, 8, 16]] {
                assert_agrees(&nest, &program, &data(&nest, &sizes, 0, seed), seed);
            }
        }
    }
}

#[test]
fn hostile_numbers_are_within_the_stated_error() {
    let [nests, ..] = nests();
    for arithmetic in MatrixArithmetic::ALL {
        let most: &[Inputs] = match arithmetic {
            // Wide exponents are none of its numbers.
            MatrixArithmetic::F16 => &[Inputs::Positive, Inputs::Cancelling],
            _ => &[Inputs::Positive, Inputs::Cancelling, Inputs::Wide],
        };
        for tiling in [&tilings(arithmetic)[0], &of_groups(arithmetic)[0]] {
            let program = program(&nests[0], tiling);
            for (seed, inputs) in (0..).zip(most) {
                let found = worst(&nests, &program, [17, 9, 320], *inputs, seed);
                assert!(found <= 1.0, "{found} of {arithmetic} for {inputs:?}");
            }
        }
    }
}

/// Registers that are exchanged, on either side or among the sums, are noticed.
#[test]
fn a_wrong_layout_is_noticed() {
    let [_, _, nests, ..] = nests();
    for arithmetic in MatrixArithmetic::ALL {
        let right = program(&nests[0], &tilings(arithmetic)[1]);
        let wrong: [fn(&mut FragmentProduct); 3] = [
            |product| product.sums.swap(1, 2),
            |product| product.sums.swap(0, 3),
            |product| product.sums.rotate_left(2),
        ];
        for change in wrong {
            let mut program = right.clone();
            program.kernels.iter_mut().for_each(|kernel| visit(&mut kernel.body, &mut |one| change(one)));
            assert!(worst(&nests, &program, [16, 16, 32], Inputs::Usual, 1) > 1.0, "{program}");
        }
    }
}

/// Exact products stay exact, whatever tiling is asked for.
#[test]
fn nests_that_keep_the_order_of_sums_have_no_products_of_fragments() {
    let nest = in_order::nest();
    let [groups, _] = of_groups(MatrixArithmetic::Tf32);
    for tiling in tilings(MatrixArithmetic::Tf32).into_iter().chain([groups]) {
        let mut program = program(&nest, &tiling);
        assert_eq!([products(&mut program), group_products(&program)], [0, 0], "{program}");
        assert_agrees(&nest, &program, &data(&nest, &[21, 13, 19], 6, 1), 1);
    }
}

#[test]
fn presets_have_no_matrix_units() {
    for (name, mapping) in Mapping::presets() {
        assert_eq!(mapping.matrix_units(), None, "{name}");
        for [nest, _] in nests() {
            assert_eq!(products(&mut nest.map(&nest.dependences().unwrap(), &mapping)), 0, "{name}");
        }
    }
}

#[test]
fn the_class_as_good_as_single_precision_is_what_the_bounds_say() {
    use MatrixArithmetic as Of;
    let is_good = |terms| Of::ALL.map(|one| one.is_as_good_as_single(terms));
    // tf32, tf32x3, bf16, bf16x3, bf16x6, bf16x9, f16
    assert_eq!(is_good(16), [false; 7]);
    assert_eq!(is_good(64), [false, true, false, false, true, true, false]);
    assert_eq!(is_good(1 << 20), [false, true, false, false, true, true, false]);
}

#[test]
#[should_panic(expected = "matrix units for blocks of [16, 4, 1] threads of [2, 2, 1] values")]
fn a_block_without_warps_of_four_by_eight_is_refused() {
    let tiling = Tiling { block: [16, 4, 1], ..tilings(MatrixArithmetic::Tf32)[0].clone() };
    let _ = Mapping::sane().with_usual_tilings([(); 3].map(|()| tiling.clone()));
}
