//! Products on matrix units are as far off as their arithmetic says, and no further.

use nitro_nest::{
    Array2, Array3, Data, FragmentProduct, Instruction, Mapping, MatrixArithmetic, Nest, Program, Schedule,
    Tiling, nest,
};
use nitro_test_support::random::Random;

use crate::agreement::{assert_agrees, data};

/// Products of matrices and of tensors, in both precisions.
macro_rules! products {
    ($module:ident $number:ident) => {
        mod $module {
            use nitro_nest::{Array2, Array3, Array4, nest};

            #[nest(reassoc)]
            pub fn scaled(
                n: usize,
                m: usize,
                l: usize,
                alpha: $number,
                beta: $number,
                #[shape(n, l)] a: &Array2<$number>,
                #[shape(l, m)] b: &Array2<$number>,
                #[shape(n, m)] c: &mut Array2<$number>,
            ) {
                for i in 0..n {
                    for j in 0..m {
                        c[[i, j]] *= beta;
                    }
                    for k in 0..l {
                        for j in 0..m {
                            c[[i, j]] += alpha * a[[i, k]] * b[[k, j]];
                        }
                    }
                }
            }

            #[nest(reassoc)]
            pub fn layer(
                n: usize,
                m: usize,
                l: usize,
                #[shape(n, l)] a: &Array2<$number>,
                #[shape(m, l)] b: &Array2<$number>,
                #[shape(n, m)] c: &mut Array2<$number>,
            ) {
                for i in 0..n {
                    for j in 0..m {
                        for k in 0..l {
                            c[[i, j]] += a[[i, k]] * b[[j, k]];
                        }
                    }
                }
            }

            #[nest(reassoc)]
            pub fn transposed(
                n: usize,
                m: usize,
                l: usize,
                #[shape(l, n)] a: &Array2<$number>,
                #[shape(m, l)] b: &Array2<$number>,
                #[shape(n, m)] c: &mut Array2<$number>,
            ) {
                for i in 0..n {
                    for j in 0..m {
                        for k in 0..l {
                            c[[i, j]] += b[[j, k]] * a[[k, i]];
                        }
                    }
                }
            }

            #[nest(reassoc)]
            pub fn batch(
                n: usize,
                m: usize,
                l: usize,
                #[shape(3, n, l)] a: &Array3<$number>,
                #[shape(3, l, m)] b: &Array3<$number>,
                #[shape(3, n, m)] c: &mut Array3<$number>,
            ) {
                for z in 0..3 {
                    for i in 0..n {
                        for j in 0..m {
                            for k in 0..l {
                                c[[z, i, j]] += a[[z, i, k]] * b[[z, k, j]];
                            }
                        }
                    }
                }
            }

            #[nest(reassoc)]
            pub fn contraction(
                n: usize,
                m: usize,
                l: usize,
                #[shape(n, l, 3)] a: &Array3<$number>,
                #[shape(l, m, 2)] b: &Array3<$number>,
                #[shape(3, n, 2, m)] c: &mut Array4<$number>,
            ) {
                for p in 0..3 {
                    for i in 0..n {
                        for q in 0..2 {
                            for j in 0..m {
                                for k in 0..l {
                                    c[[p, i, q, j]] += a[[i, k, p]] * b[[k, j, q]];
                                }
                            }
                        }
                    }
                }
            }
        }
    };
}
/// Several matrices by one.
#[nest(reassoc)]
fn layers(
    n: usize,
    m: usize,
    l: usize,
    #[shape(3, n, l)] a: &Array3<f32>,
    #[shape(m, l)] b: &Array2<f32>,
    #[shape(3, n, m)] c: &mut Array3<f32>,
) {
    for p in 0..3 {
        for i in 0..n {
            for j in 0..m {
                for k in 0..l {
                    c[[p, i, j]] += a[[p, i, k]] * b[[j, k]];
                }
            }
        }
    }
}

products!(single f32);
products!(double f64);

#[nest]
fn in_order(
    n: usize,
    m: usize,
    l: usize,
    #[shape(n, l)] a: &Array2<f32>,
    #[shape(l, m)] b: &Array2<f32>,
    #[shape(n, m)] c: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..m {
            for k in 0..l {
                c[[i, j]] += a[[i, k]] * b[[k, j]];
            }
        }
    }
}

#[nest(reassoc)]
fn filtered(
    n: usize,
    m: usize,
    #[shape(n + 7)] x: &[f32],
    #[shape(8, m)] w: &Array2<f32>,
    #[shape(n, m)] c: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..m {
            for k in 0..8 {
                c[[i, j]] += x[i + k] * w[[k, j]];
            }
        }
    }
}

/// A sum over two loops, the inner one of which ends before its arrays do.
#[nest(reassoc)]
fn shifted(
    n: usize,
    m: usize,
    l: usize,
    #[shape(3, n, l + 5)] a: &Array3<f32>,
    #[shape(3, l + 5, m)] b: &Array3<f32>,
    #[shape(n, m)] c: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..m {
            for r in 0..3 {
                for k in 1..l {
                    c[[i, j]] += a[[r, i, k + 2]] * b[[r, k - 1, j]];
                }
            }
        }
    }
}

/// Some elements have fewer products than others.
#[nest(reassoc)]
fn some_products(
    n: usize,
    m: usize,
    l: usize,
    #[shape(n, l)] a: &Array2<f32>,
    #[shape(l, m)] b: &Array2<f32>,
    #[shape(n, m)] c: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..m {
            c[[i, j]] *= 2.0;
            if j <= i {
                for k in 0..l {
                    c[[i, j]] += a[[i, k]] * b[[k, j]];
                }
            }
        }
    }
}

fn nests() -> [[Nest; 2]; 5] {
    [
        [single::scaled::nest(), double::scaled::nest()],
        [single::layer::nest(), double::layer::nest()],
        [single::transposed::nest(), double::transposed::nest()],
        [single::batch::nest(), double::batch::nest()],
        [single::contraction::nest(), double::contraction::nest()],
    ]
}

/// Blocks of one, two and four warps, in one buffer and in several.
fn tilings(arithmetic: MatrixArithmetic) -> [Tiling; 3] {
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

/// One group of warps with one fragment of rows each, and with two.
fn of_groups(arithmetic: MatrixArithmetic) -> [Tiling; 2] {
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
fn group_products(program: &Program) -> usize {
    program.to_string().matches("columns of four warps").count()
}

fn program(nest: &Nest, tiling: &Tiling) -> Program {
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

fn products(program: &mut Program) -> usize {
    let mut count = 0;
    program.kernels.iter_mut().for_each(|kernel| visit(&mut kernel.body, &mut |_| count += 1));
    count
}

/// Numbers whose sums tell the accuracy of products.
#[derive(Clone, Copy, Debug)]
enum Inputs {
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
fn worst(nests: &[Nest; 2], program: &Program, sizes: [i64; 3], inputs: Inputs, seed: u64) -> f64 {
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

/// Operands of 16 bits in all orders of dimensions.
#[cfg(feature = "half")]
mod stored {
    use half::{bf16, f16};
    use nitro_nest::{Array2, nest};

    #[nest(reassoc)]
    pub fn rows(
        n: usize,
        m: usize,
        l: usize,
        #[shape(n, l)] a: &Array2<bf16>,
        #[shape(l, m)] b: &Array2<bf16>,
        #[shape(n, m)] c: &mut Array2<f32>,
    ) {
        for i in 0..n {
            for j in 0..m {
                for k in 0..l {
                    c[[i, j]] += a[[i, k]].to_f32() * b[[k, j]].to_f32();
                }
            }
        }
    }

    #[nest(reassoc)]
    pub fn terms(
        n: usize,
        m: usize,
        l: usize,
        #[shape(n, l)] a: &Array2<f16>,
        #[shape(m, l)] b: &Array2<f16>,
        #[shape(n, m)] c: &mut Array2<f32>,
    ) {
        for i in 0..n {
            for j in 0..m {
                for k in 0..l {
                    c[[i, j]] += a[[i, k]].to_f32() * b[[j, k]].to_f32();
                }
            }
        }
    }

    #[nest(reassoc)]
    pub fn shifted(
        n: usize,
        m: usize,
        l: usize,
        #[shape(l + 8, n + 3)] a: &Array2<bf16>,
        #[shape(l + 2, m + 8)] b: &Array2<bf16>,
        #[shape(n, m)] c: &mut Array2<f32>,
    ) {
        for i in 0..n {
            for j in 0..m {
                for k in 0..l {
                    c[[i, j]] += a[[k + 8, i + 3]].to_f32() * b[[k + 1, j + 8]].to_f32();
                }
            }
        }
    }

    #[nest(reassoc)]
    pub fn columns(
        n: usize,
        m: usize,
        l: usize,
        #[shape(l, n)] a: &Array2<f16>,
        #[shape(m, l)] b: &Array2<f16>,
        #[shape(n, m)] c: &mut Array2<f32>,
    ) {
        for i in 0..n {
            for j in 0..m {
                for k in 0..l {
                    c[[i, j]] += a[[k, i]].to_f32() * b[[j, k]].to_f32();
                }
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

#[test]
#[should_panic(expected = "matrix units for blocks of [16, 4, 1] threads of [2, 2, 1] values")]
fn a_block_without_warps_of_four_by_eight_is_refused() {
    let tiling = Tiling { block: [16, 4, 1], ..tilings(MatrixArithmetic::Tf32)[0].clone() };
    let _ = Mapping::sane().with_usual_tilings([(); 3].map(|()| tiling.clone()));
}
