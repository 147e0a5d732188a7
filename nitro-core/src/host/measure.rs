//! Device features that only a benchmark can tell: what compiled Rust code reaches with a number of threads at once.
//! Each is the median of five runs of some ten milliseconds.

use std::hint::black_box;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::DeviceFeature;

const RUNS: usize = 5;
/// Data of the bandwidth and latency benchmarks together: beyond the private caches of every present processor.
const BUFFER_BYTES: usize = 64 << 20;

/// The measured device features of `threads` threads of this machine.
pub(super) fn features(threads: usize) -> Vec<DeviceFeature> {
    let feature = |name: &str, value: f64| DeviceFeature { name: name.to_owned(), value };
    vec![
        feature("copy_gbps", copy_bytes_per_ns(threads)),
        feature("gflops_sp", flops_per_ns::<f32>(threads)),
        feature("gflops_dp", flops_per_ns::<f64>(threads)),
        feature("atomic_uncontended_mops", atomics_per_ns(threads, false) * 1e3),
        feature("atomic_contended_mops", atomics_per_ns(threads, true) * 1e3),
        feature("random_access_ns", random_access_ns(threads)),
    ]
}

/// Median over the runs of the slowest thread's time, in nanoseconds. `work` gets the number of its thread; what it
/// returns becomes the thread's state for the next run.
fn median_ns<S: Send>(
    threads: usize,
    prepare: impl Fn(usize) -> S + Sync,
    work: impl Fn(&mut S) + Sync,
) -> f64 {
    let barrier = Barrier::new(threads);
    let timed = |index: usize| {
        let mut state = prepare(index);
        work(&mut state); // warm-up: touches every page
        let run = |_| {
            barrier.wait();
            let begin = Instant::now();
            work(&mut state);
            begin.elapsed().as_nanos() as f64
        };
        (0..RUNS).map(run).collect::<Vec<f64>>()
    };
    let times: Vec<Vec<f64>> = std::thread::scope(|scope| {
        let spawned: Vec<_> = (0..threads)
            .map(|index| {
                let timed = &timed;
                scope.spawn(move || timed(index))
            })
            .collect();
        spawned.into_iter().map(|thread| thread.join().expect("a benchmark does not panic")).collect()
    });
    let mut slowest: Vec<f64> =
        (0..RUNS).map(|run| times.iter().map(|thread| thread[run]).fold(1.0, f64::max)).collect();
    slowest.sort_by(f64::total_cmp);
    slowest[RUNS / 2]
}

/// Bytes read plus bytes written by a copy, in a nanosecond (that is GB/s).
fn copy_bytes_per_ns(threads: usize) -> f64 {
    let words = BUFFER_BYTES / 8 / threads;
    let prepare = |index: usize| (vec![index as u64; words], vec![0u64; words]);
    let time_ns = median_ns(threads, prepare, |(source, target)| {
        target.copy_from_slice(black_box(source));
        black_box(target);
    });
    (2 * 8 * words * threads) as f64 / time_ns
}

/// Multiplications plus additions in a nanosecond (that is GFLOP/s), vectorised as the compiler does for the target.
fn flops_per_ns<T>(threads: usize) -> f64
where
    T: Copy + From<i8> + std::ops::Mul<Output = T> + std::ops::Add<Output = T> + Send,
{
    const LANES: usize = 64;
    const STEPS: usize = 40_000;
    let time_ns = median_ns(
        threads,
        |_| [T::from(1); LANES],
        |lanes| {
            let (factor, term) = (black_box(T::from(-1)), black_box(T::from(1)));
            for _ in 0..STEPS {
                for lane in lanes.iter_mut() {
                    *lane = *lane * factor + term;
                }
            }
            black_box(lanes);
        },
    );
    (2 * LANES * STEPS * threads) as f64 / time_ns
}

/// Atomic additions of all threads in a nanosecond, on one counter or on one a thread.
fn atomics_per_ns(threads: usize, contended: bool) -> f64 {
    const STEPS: usize = 100_000;
    /// A counter with its cache line and the neighbour that processors fetch with it.
    #[repr(align(128))]
    #[derive(Default)]
    struct Counter(AtomicU64);
    let counters: Vec<Counter> = (0..threads).map(|_| Counter::default()).collect();
    let time_ns = median_ns(
        threads,
        |index| if contended { 0 } else { index },
        |&mut index| {
            for _ in 0..STEPS {
                counters[index].0.fetch_add(1, Ordering::Relaxed);
            }
        },
    );
    (STEPS * threads) as f64 / time_ns
}

/// Nanoseconds of one access that depends on the one before, at random in a buffer beyond the private caches.
fn random_access_ns(threads: usize) -> f64 {
    const STEPS: usize = 100_000;
    /// One element a cache line.
    #[repr(align(64))]
    #[derive(Clone, Copy)]
    struct Line(u32);
    let count = BUFFER_BYTES / size_of::<Line>();
    let mut ring: Vec<Line> = (0..count).map(|next| Line(next as u32)).collect();
    // Sattolo's shuffle leaves one cycle through all lines.
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for last in (1..count).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ring.swap(last, (state >> 33) as usize % last);
    }
    let time_ns = median_ns(
        threads,
        |index| (index * count / threads) as u32,
        |place| {
            for _ in 0..STEPS {
                *place = ring[*place as usize].0;
            }
            black_box(place);
        },
    );
    time_ns / STEPS as f64
}
