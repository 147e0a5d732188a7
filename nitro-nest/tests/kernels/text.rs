//! Kernels as text: for people, and in CUDA C++.

use nitro_nest::{
    Assignment, Binary, Bounds, Builder, Expression, Instruction, Integers, Range, Unroll, WIDE,
};

use crate::instructions::{combined, own, sum_of};
use crate::{I, THREAD, assign, at, program, reversed_in_blocks};

#[test]
fn kernels_read_well_and_are_cuda() {
    let program = reversed_in_blocks(true);
    let text = program.to_string();
    assert!(text.starts_with("launch reverse_0\n"), "{text}");
    assert!(text.contains("kernel reverse_0 over 0..n in blocks of 4 × 1 × 1 {"), "{text}");
    assert!(text.contains("    shared tile: f32[4]\n") && text.contains("    barrier;\n"), "{text}");
    let cuda = program.cuda(Integers::Bits64);
    for line in [
        "extern \"C\" __global__ void __launch_bounds__(4) reverse_0(long long n, float* __restrict__ x)",
        "__shared__ __align__(16) float tile[4];",
        "float own;",
        "const long long i = 4 * (long long)blockIdx.x + (long long)threadIdx.x;",
        "if (i < n) {",
        "tile[(long long)threadIdx.x] = x[i];",
        "__syncthreads();",
        "x[i] = own;",
    ] {
        assert!(cuda.contains(line), "{line}\n{cuda}");
    }
}

#[test]
fn names_that_cuda_has_taken_are_changed() {
    let mut builder = Builder::new("union");
    let n = builder.parameter("int");
    let x = builder.in_out("float", [n.into()]);
    builder.repeat("int_", Bounds::new(0, n), |builder, i| builder.assign(x.at([i]), x.at([i])));
    let nest = builder.finish().unwrap();
    let body = vec![Instruction::Define(0, vec![THREAD.into()]), assign(at(0, I), at(0, I))];
    let mut program = program(Vec::new());
    (program.nest, program.kernels[0].body) = (nest, body);
    let cuda = program.cuda(Integers::Bits64);
    assert!(cuda.contains("(long long int__, float* __restrict__ float_)"), "{cuda}");
    assert!(cuda.contains("float_[int_] = float_[int_];"), "{cuda}");
}

#[test]
fn only_the_first_lane_adds_what_the_shuffles_summed_up() {
    let cuda = program(sum_of(32)).cuda(Integers::Bits64);
    let [shuffle, lane, add] = [
        "own += __shfl_down_sync(0xffffffffu, own, lane);",
        "if (threadIdx.x % 32 == 0) {",
        "atomicAdd(&x[0], own);",
    ]
    .map(|line| cuda.find(line).unwrap_or_else(|| panic!("{line}\n{cuda}")));
    assert!(shuffle < lane && lane < add, "{cuda}");
    let alone = program(sum_of(1)).cuda(Integers::Bits64);
    assert!(alone.contains("atomicAdd(&x[0], own);") && !alone.contains("__shfl"), "{alone}");
}

#[test]
fn lanes_combine_in_pairs() {
    for (operator, line) in [
        (Binary::Add, "own = own + __shfl_xor_sync(0xffffffffu, own, lane);"),
        (Binary::Maximum, "own = fmaxf(own, __shfl_xor_sync(0xffffffffu, own, lane));"),
    ] {
        let program = program(combined(operator, 32));
        let cuda = program.cuda(Integers::Bits64);
        assert!(cuda.contains("for (int lane = 16; lane > 0; lane /= 2) {") && cuda.contains(line), "{cuda}");
        assert!(program.to_string().contains("combine own of 32 lanes by "), "{program}");
    }
}

#[test]
fn loops_are_written_out_as_often_as_they_say() {
    let of = |unroll| {
        let (lower, upper) = (vec![0.into()], vec![4.into()]);
        let range = Range { iterator: 0, lower, upper, step: 1, is_reversed: false };
        let mut program = program(Vec::new());
        program.kernels[0].body = vec![Instruction::Loop(range, unroll, vec![assign(at(0, I), 1.0)])];
        program.cuda(Integers::Bits64)
    };
    assert!(
        of(Unroll::All).contains("#pragma unroll\n    for (long long i = 0; i < 4; ++i) {"),
        "{}",
        of(Unroll::All)
    );
    assert!(of(Unroll::By(3)).contains("#pragma unroll 3\n"));
    assert!(!of(Unroll::Free).contains("#pragma"));
}

#[test]
fn what_is_not_fetched_needs_no_helper() {
    let fetch = Instruction::Fetch { target: at(1, THREAD), source: at(0, I), width: 1 };
    let hidden = Instruction::If(Vec::new(), Vec::new(), vec![fetch]);
    let cuda = program(vec![hidden, Instruction::Await(0)]).cuda(Integers::Bits64);
    assert!(cuda.contains("void fetch(float* target") && cuda.contains("        fetch(&tile["), "{cuda}");
    assert!(!reversed_in_blocks(true).cuda(Integers::Bits64).contains("fetch"));
}

#[test]
fn a_kernel_says_for_how_many_blocks_there_are_to_be_registers() {
    let mut program = program(Vec::new());
    assert!(program.cuda(Integers::Bits64).contains("__launch_bounds__(4) "));
    program.kernels[0].resident_blocks = 2;
    assert!(program.cuda(Integers::Bits64).contains("__launch_bounds__(4, 2) "));
}

#[test]
fn what_is_copied_at_once_is_up_to_sixteen_bytes() {
    let tile = |subscript: i64| at(1, subscript);
    let cuda = |one: Instruction| program(vec![one]).cuda(Integers::Bits64);
    let fetch = cuda(Instruction::Fetch { target: tile(0), source: at(0, THREAD * 4), width: WIDE });
    for line in ["cp.async.cg.shared.global [%0], [%1], 16;", "    fetch_wide(&tile[0], &x["] {
        assert!(fetch.contains(line), "{line}: {fetch}");
    }
    let copy = cuda(Instruction::Copy { target: tile(0), source: at(0, THREAD * 4), width: 4 });
    assert!(copy.contains("*(float4*)&tile[0] = *(const float4*)&x["), "{copy}");
    let pair = cuda(Instruction::Copy { target: tile(0), source: at(0, THREAD * 2), width: 2 });
    assert!(pair.contains("*(float2*)&tile[0] = *(const float2*)&x["), "{pair}");
    assert!(!copy.contains("fetch"), "{copy}");
}

#[test]
fn integers_are_as_long_as_the_sizes_want() {
    let assignment = Assignment { target: own(), value: 0.0.into() };
    let program = program(vec![Instruction::Assign(assignment)]);
    let small = program.cuda(Integers::Bits32);
    assert!(
        small.contains("(int n, ") && small.contains("const int i = ") && !small.contains("long long"),
        "{small}"
    );
    assert!(program.cuda(Integers::Bits64).contains("(long long n, "));
    assert_eq!(program.integers(&[1000]).unwrap(), Integers::Bits32);
    assert_eq!(program.integers(&[1 << 31]).unwrap(), Integers::Bits64);
    assert!(program.integers(&[]).is_err());
}

#[test]
fn one_large_array_is_enough_for_long_integers() {
    let mut builder = Builder::new("square");
    let n = builder.parameter("n");
    let x = builder.in_out("x", [n.into(), n.into()]);
    builder.repeat("i", Bounds::new(0, n), |builder, i| builder.assign(x.at([i, i]), 0.0));
    let mut program = program(Vec::new());
    program.nest = builder.finish().unwrap();
    let found = [1 << 14, 1 << 16].map(|size| program.integers(&[size]).unwrap());
    assert_eq!(found, [Integers::Bits32, Integers::Bits64]);
}

#[test]
fn functions_are_those_of_cuda_without_fast_math() {
    let own = || Expression::from(at(0, I));
    let value = own().exp() + own().ln() - own().tanh() * own().sin() / own().cos().mul_add(own(), 2.0);
    let program = program(vec![assign(at(0, I), value.max(f32::NEG_INFINITY))]);
    let cuda = program.cuda(Integers::Bits64);
    let line = "x[i] = fmaxf(((expf(x[i])) + (logf(x[i]))) - (((tanhf(x[i])) * (sinf(x[i]))) \
                / fmaf(cosf(x[i]), x[i], 2.0f)), __int_as_float(0xff800000));";
    assert!(cuda.contains(line), "{cuda}");
}
