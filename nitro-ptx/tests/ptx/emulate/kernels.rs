//! Compiled kernels give what plain Rust gives, to the last bit, in every order of threads.

use nitro_ptx::emulate::Memory;
use nitro_test_support::random::Random;

use super::support::{emulator, kernels, launch, orders, pack, unpack};

fn floats(count: usize, seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..count).map(|_| (random.below(2_000_001) as f32 - 1e6) / 4096.0).collect()
}

#[test]
fn a_reduction_with_shuffles() {
    let Some(module) = kernels() else { return };
    let values = floats(1000, 1);
    let of_block = |block: usize| {
        let thread = |thread: usize| {
            (block * 128 + thread..values.len()).step_by(3 * 128).fold(0.0, |sum, i| sum + values[i])
        };
        let of_warp = |mut sums: Vec<f32>| {
            for width in [16, 8, 4, 2, 1] {
                sums = (0..32)
                    .map(|lane| sums[lane] + sums[if lane + width < 32 { lane + width } else { lane }])
                    .collect();
            }
            sums[0]
        };
        let mut warps: Vec<f32> =
            (0..4).map(|warp| of_warp((0..32).map(|lane| thread(warp * 32 + lane)).collect())).collect();
        warps.resize(32, 0.0);
        of_warp(warps)
    };
    let expected: Vec<f32> = (0..3).map(of_block).collect();
    let emulator = emulator(&module, "reduce");
    for options in orders() {
        let mut memory = Memory::new();
        let (input, output) = (memory.allocate(pack(&values)), memory.allocate_uninitialised(12));
        let parameters = [pack(&[input]), pack(&[output]), pack(&[1000_u32])];
        launch(&emulator, "reduce", ([3, 1, 1], [128, 1, 1]), &parameters, &mut memory, &options).unwrap();
        assert_eq!(unpack::<f32>(memory.bytes(output)), expected);
    }
}

#[test]
fn a_transpose_in_tiles() {
    let Some(module) = kernels() else { return };
    let (rows, columns) = (37_usize, 50_usize);
    let values = floats(rows * columns, 2);
    let expected: Vec<f32> = (0..columns * rows).map(|at| values[at % rows * columns + at / rows]).collect();
    let emulator = emulator(&module, "transpose");
    for options in orders() {
        let mut memory = Memory::new();
        let (input, output) =
            (memory.allocate(pack(&values)), memory.allocate_uninitialised(values.len() * 4));
        let parameters = [pack(&[input]), pack(&[output]), pack(&[rows as i32]), pack(&[columns as i32])];
        launch(&emulator, "transpose", ([4, 3, 1], [16, 16, 1]), &parameters, &mut memory, &options).unwrap();
        assert_eq!(unpack::<f32>(memory.bytes(output)), expected);
    }
}

#[test]
fn a_histogram_with_atomics() {
    let Some(module) = kernels() else { return };
    let mut random = Random::new(3);
    let values: Vec<u8> = (0..3000).map(|_| (random.below(16) * random.below(16)) as u8).collect();
    let mut expected = vec![0_u32; 256];
    values.iter().for_each(|value| expected[usize::from(*value)] += 1);
    let emulator = emulator(&module, "histogram");
    for options in orders() {
        let mut memory = Memory::new();
        let (input, bins) = (memory.allocate(values.clone()), memory.allocate(vec![0; 1024]));
        let parameters = [pack(&[input]), pack(&[bins]), pack(&[3000_i32])];
        launch(&emulator, "histogram", ([4, 1, 1], [96, 1, 1]), &parameters, &mut memory, &options).unwrap();
        assert_eq!(unpack::<u32>(memory.bytes(bins)), expected);
    }
}

#[test]
fn a_matrix_product_in_tiles() {
    let Some(module) = kernels() else { return };
    let n = 24;
    let (a, b) = (floats(n * n, 4), floats(n * n, 5));
    let element =
        |at: usize| (0..n).fold(0.0_f32, |sum, k| a[at / n * n + k].mul_add(b[k * n + at % n], sum));
    let expected: Vec<f32> = (0..n * n).map(element).collect();
    let emulator = emulator(&module, "multiply");
    for options in orders() {
        let mut memory = Memory::new();
        let (left, right) = (memory.allocate(pack(&a)), memory.allocate(pack(&b)));
        let product = memory.allocate_uninitialised(n * n * 4);
        let parameters = [pack(&[left]), pack(&[right]), pack(&[product]), pack(&[n as i32])];
        launch(&emulator, "multiply", ([3, 3, 1], [8, 8, 1]), &parameters, &mut memory, &options).unwrap();
        assert_eq!(unpack::<f32>(memory.bytes(product)), expected);
    }
}

#[test]
fn a_stencil_with_constants() {
    let Some(module) = kernels() else { return };
    let values = floats(300, 6);
    let taps = [0.0625_f32, 0.25, 0.375, 0.25, 0.0625];
    let at = |i: i64| values[i.clamp(0, 299) as usize];
    let element = |i: i64| (0..5).fold(0.0_f32, |sum, k| taps[k as usize].mul_add(at(i + k - 2), sum));
    let expected: Vec<f32> = (0..300).map(element).collect();
    let emulator = emulator(&module, "stencil");
    for options in orders() {
        let mut memory = Memory::new();
        let (input, output) = (memory.allocate(pack(&values)), memory.allocate_uninitialised(1200));
        let parameters = [pack(&[input]), pack(&[output]), pack(&[300_i32])];
        launch(&emulator, "stencil", ([3, 1, 1], [128, 1, 1]), &parameters, &mut memory, &options).unwrap();
        assert_eq!(unpack::<f32>(memory.bytes(output)), expected);
    }
}

#[test]
fn a_scan() {
    let Some(module) = kernels() else { return };
    let values: Vec<i32> = (0..256).map(|i| i * 7 % 31 - 12).collect();
    let sums = values.iter().scan(0, |sum, value| {
        *sum += value;
        Some(*sum)
    });
    let expected: Vec<i32> = sums.collect();
    let emulator = emulator(&module, "scan");
    for options in orders() {
        let mut memory = Memory::new();
        let (input, output) = (memory.allocate(pack(&values)), memory.allocate_uninitialised(1024));
        launch(
            &emulator,
            "scan",
            ([1; 3], [256, 1, 1]),
            &[pack(&[input]), pack(&[output])],
            &mut memory,
            &options,
        )
        .unwrap();
        assert_eq!(unpack::<i32>(memory.bytes(output)), expected);
    }
}

#[test]
fn calls_of_functions_by_name_and_by_pointer() {
    let Some(module) = kernels() else { return };
    let n = 75;
    let number = |i: i32| [0, 1, 1, 2, 3, 5, 8, 13, 21][i as usize % 9];
    let value = |i: i32| if i % 3 == 0 { (i * i) as f32 } else { i as f32 * 0.5 };
    let emulator = emulator(&module, "calls");
    for options in orders() {
        let mut memory = Memory::new();
        let (quotients, remainders) = (memory.allocate(vec![0; 8 * n]), memory.allocate(vec![0; 4 * n]));
        let (numbers, values) = (memory.allocate(vec![0; 4 * n]), memory.allocate(vec![0; 4 * n]));
        let buffers = [quotients, remainders, numbers, values].map(|buffer| pack(&[buffer]));
        let parameters = [buffers.as_slice(), &[pack(&[n as i32])]].concat();
        for launched in 1..3 {
            launch(&emulator, "calls", ([2, 1, 1], [64, 1, 1]), &parameters, &mut memory, &options).unwrap();
            // What a launch leaves in the module's variables, the next one finds.
            assert_eq!(unpack::<i32>(emulator.variable("launches", &memory).unwrap()), [3 + launched]);
        }
        let all = || 0..n as i32;
        let (a, b) = (|i: i32| i * 37 - 200, |i: i32| i % 7 + 1);
        assert!(
            unpack::<f64>(memory.bytes(quotients))
                .into_iter()
                .eq(all().map(|i| f64::from(a(i)) / f64::from(b(i))))
        );
        assert!(unpack::<i32>(memory.bytes(remainders)).into_iter().eq(all().map(|i| a(i) % b(i))));
        assert!(unpack::<i32>(memory.bytes(numbers)).into_iter().eq(all().map(number)));
        assert!(unpack::<f32>(memory.bytes(values)).into_iter().eq(all().map(value)));
    }
}

#[test]
fn doubles() {
    let Some(module) = kernels() else { return };
    let values: Vec<f64> = floats(40, 7).into_iter().map(|value| f64::from(value) / 77.0).collect();
    let element = |i: usize| {
        let term = |x: f64| x.abs().sqrt() / x.mul_add(x, 1.0) - x.mul_add(x, -0.5);
        let sum = (0..40).fold(0.0, |sum, k| sum + term(values[(i + k) % 40]));
        if sum > 1e3 { sum.round_ties_even() } else { (sum * 1024.0) as i64 as f64 / 1024.0 }
    };
    let expected: Vec<f64> = (0..40).map(element).collect();
    let emulator = emulator(&module, "doubles");
    for options in orders() {
        let mut memory = Memory::new();
        let (input, output) = (memory.allocate(pack(&values)), memory.allocate_uninitialised(320));
        let parameters = [pack(&[input]), pack(&[output]), pack(&[40_i32])];
        launch(&emulator, "doubles", ([1; 3], [40, 1, 1]), &parameters, &mut memory, &options).unwrap();
        assert_eq!(unpack::<f64>(memory.bytes(output)), expected);
    }
}

fn integer(x: i32, y: i32) -> i64 {
    let (u, v) = (x as u32, y as u32);
    let wide = i64::from(x) * i64::from(y);
    let joined = u64::from(v) << 32 | u64::from(u);
    let funnel = ((joined << (u & 31)) >> 32) as u32;
    let byte = |at: u32| (joined >> ((u >> (4 * at) & 7) * 8) & 0xff) as u32;
    let permuted: u32 = (0..4).map(|at| byte(at) << (8 * at)).sum();
    let shifted = (x >> (y & 31)) ^ ((u << (v & 31)) ^ funnel ^ permuted) as i32;
    let first = if x == 0 { 0 } else { x.trailing_zeros() + 1 };
    let counted =
        (u.count_ones() + 100 * x.leading_zeros() + 10_000 * first) as i32 + (u.reverse_bits() & 15) as i32;
    let divided = match y {
        0 => 0,
        _ => x
            .wrapping_div(y)
            .wrapping_add(x.wrapping_rem(y))
            .wrapping_add((u / v) as i32)
            .wrapping_add((u % v) as i32),
    };
    let high = ((u128::from(wide as u64) * 0x0123_4567_89ab_cdef) >> 64) as u64;
    let high =
        high.wrapping_add((wide >> 32) as i32 as u64).wrapping_add((u64::from(u) * u64::from(v)) >> 32);
    let sad = u.wrapping_add(x.abs_diff(y));
    let most = i64::from(x.min(y)).wrapping_mul(i64::from(u.max(v)));
    let terms = [
        shifted.into(),
        counted.into(),
        divided.into(),
        high as i64,
        i64::from(x.wrapping_add(y) as i16),
        i64::from(x as i8),
        i64::from(sad),
        wide >> (v & 63),
        most,
        i64::from(x.wrapping_abs()),
    ];
    terms.into_iter().fold(wide, i64::wrapping_add)
}

#[test]
fn integers() {
    let Some(module) = kernels() else { return };
    let mut random = Random::new(8);
    let values: Vec<i32> = (0..200)
        .map(|_| (random.bits() >> (random.below(32) + 32)) as i32 * (1 - 2 * random.below(2) as i32))
        .collect();
    let expected: Vec<i64> = (0..200).map(|i| integer(values[i], values[(i + 1) % 200])).collect();
    let emulator = emulator(&module, "integers");
    for options in orders() {
        let mut memory = Memory::new();
        let (input, output) = (memory.allocate(pack(&values)), memory.allocate_uninitialised(1600));
        let parameters = [pack(&[input]), pack(&[output]), pack(&[200_i32])];
        launch(&emulator, "integers", ([4, 1, 1], [64, 1, 1]), &parameters, &mut memory, &options).unwrap();
        assert_eq!(unpack::<i64>(memory.bytes(output)), expected);
    }
}

#[test]
fn what_threads_of_a_warp_do_together() {
    let Some(module) = kernels() else { return };
    let values: Vec<u32> = (0..96).map(|i: u32| i.wrapping_mul(2_654_435_761) >> 20).collect();
    let result = |at: usize| {
        let (warp, lane) = (&values[at / 32 * 32..][..32], at % 32);
        let (v, ballot) = (warp[lane], |holds: &dyn Fn(u32) -> bool| {
            (0..32).filter(|other| holds(warp[*other])).fold(0_u32, |all, other| all | 1 << other)
        });
        let (sum, most) = (warp.iter().sum::<u32>(), *warp.iter().max().unwrap());
        let up = if lane % 8 >= 3 { warp[lane - 3] } else { v };
        let branch = if lane % 3 == 0 { ballot(&|v| v & 2 != 0) & 0x4924_9249 } else { 7 };
        let of = |value: u32, by: u32| value.wrapping_mul(by);
        sum ^ of(most, 3)
            ^ of(warp[(lane + 5) % 32], 5)
            ^ of(up, 7)
            ^ of(warp[lane ^ 6], 11)
            ^ of(ballot(&|v| v & 1 != 0), 13)
            ^ of(ballot(&|other| other % 4 == v % 4), 17)
            ^ of(branch, 19)
    };
    let expected: Vec<u32> = (0..96).map(result).collect();
    let emulator = emulator(&module, "warps");
    for options in orders() {
        let mut memory = Memory::new();
        let (input, output) = (memory.allocate(pack(&values)), memory.allocate_uninitialised(384));
        launch(
            &emulator,
            "warps",
            ([1; 3], [96, 1, 1]),
            &[pack(&[input]), pack(&[output])],
            &mut memory,
            &options,
        )
        .unwrap();
        assert_eq!(unpack::<u32>(memory.bytes(output)), expected);
    }
}

#[test]
fn the_order_of_threads_is_drawn_from_the_seed() {
    let Some(module) = kernels() else { return };
    let emulator = emulator(&module, "count");
    let run = |options| {
        let mut memory = Memory::new();
        let (tickets, order) = (memory.allocate(vec![0; 4]), memory.allocate_uninitialised(4 * 200));
        let parameters = [pack(&[tickets]), pack(&[order]), pack(&[200_i32])];
        launch(&emulator, "count", ([2, 1, 1], [128, 1, 1]), &parameters, &mut memory, &options).unwrap();
        unpack::<u32>(memory.bytes(order))
    };
    let drawn: Vec<Vec<u32>> = orders().map(run).collect();
    for (at, order) in drawn.iter().enumerate() {
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..200), "each thread comes once");
        assert_eq!(
            drawn.iter().position(|other| other == order),
            Some(at),
            "no other seed has the same order"
        );
    }
    assert!(orders().map(run).eq(drawn), "the same seed has");
}
