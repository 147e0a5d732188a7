//! Device features that only a benchmark can tell. They are what compiled Rust code reaches with a number of threads
//! at once. Each has five runs of some ten milliseconds.

use std::hint::black_box;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::Benchmark;

const RUNS: usize = 5;
/// Data of the bandwidth and latency benchmarks together: beyond the private caches of every present processor.
const BUFFER_BYTES: usize = 64 << 20;

/// The benchmarks of this machine used with `threads` threads.
pub(super) fn benchmarks(threads: usize) -> Vec<Benchmark> {
    vec![
        Benchmark::on_host("copy_gbps", move || copy_bytes_per_ns(threads)),
        Benchmark::on_host("gflops_sp", move || flops_per_ns::<f32>(threads)),
        Benchmark::on_host("gflops_dp", move || flops_per_ns::<f64>(threads)),
        Benchmark::on_host("atomic_uncontended_mops", move || atomics_per_us(threads, false)),
        Benchmark::on_host("atomic_contended_mops", move || atomics_per_us(threads, true)),
        Benchmark::on_host("random_access_ns", move || random_access_ns(threads)),
    ]
}

/// One run of a thread, of some milliseconds: it may be boxed. It changes what it has for the next one.
type Work<'a> = Box<dyn FnMut() + 'a>;

/// Times runs on several threads: of each run the slowest thread's time, in nanoseconds. `work` gets the number of its
/// thread, and prepares what the thread does in each run.
fn runs_ns<'a>(threads: usize, work: &(dyn Fn(usize) -> Work<'a> + Sync)) -> Vec<f64> {
    let barrier = Barrier::new(threads);
    let times: Vec<Vec<f64>> = std::thread::scope(|scope| {
        let barrier = &barrier;
        let spawned: Vec<_> =
            (0..threads).map(|index| scope.spawn(move || thread_runs_ns(barrier, work(index)))).collect();
        spawned.into_iter().map(|thread| thread.join().expect("a benchmark does not panic")).collect()
    });
    (0..RUNS).map(|run| times.iter().map(|thread| thread[run]).fold(1.0, f64::max)).collect()
}

/// Times the runs of one thread, in nanoseconds; each begins together with those of the other threads.
fn thread_runs_ns(barrier: &Barrier, mut work: Work<'_>) -> Vec<f64> {
    work(); // warm-up: touches every page
    let mut times_ns = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        barrier.wait();
        let waited_before_ns = waited_ns();
        let begin = Instant::now();
        work();
        let passed_ns = begin.elapsed().as_nanos() as f64;
        // On a busy machine others have the processor for most of a run: that is no time of the machine's.
        times_ns.push((passed_ns - (waited_ns() - waited_before_ns)).max(1.0));
    }
    times_ns
}

/// The time for which this thread has been ready to run while others had the processor, in nanoseconds. Only Linux
/// tells it; 0 elsewhere.
fn waited_ns() -> f64 {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    schedule.split_whitespace().nth(1).and_then(|waited| waited.parse().ok()).unwrap_or(0.0)
}

/// The work of each run in a unit of time.
fn rates(amount: usize, times: &[f64]) -> Vec<f64> {
    times.iter().map(|time| amount as f64 / time).collect()
}

/// Bytes read plus bytes written by a copy, in a nanosecond (that is GB/s).
fn copy_bytes_per_ns(threads: usize) -> Vec<f64> {
    let words = BUFFER_BYTES / 8 / threads;
    // Source and target together fill the buffer, which no cache holds.
    let times_ns = runs_ns(threads, &|index| {
        let (source, mut target) = (vec![index as u64; words], vec![0u64; words]);
        Box::new(move || {
            target.copy_from_slice(black_box(&source));
            black_box(&mut target);
        })
    });
    rates(2 * 8 * words * threads, &times_ns)
}

/// Multiplications plus additions in a nanosecond (that is GFLOP/s), vectorised as the compiler does for the target.
fn flops_per_ns<T>(threads: usize) -> Vec<f64>
where
    T: Copy + From<i8> + std::ops::Mul<Output = T> + std::ops::Add<Output = T> + 'static,
{
    const LANES: usize = 64;
    const STEPS: usize = 40_000;
    // The lanes do not depend on each other, so that many operations are under way at once. They alternate between
    // 1 and 0: nothing overflows or is denormal, and the compiler does not see it.
    let times_ns = runs_ns(threads, &|_| {
        let mut lanes = [T::from(1); LANES];
        Box::new(move || {
            let (factor, term) = (black_box(T::from(-1)), black_box(T::from(1)));
            for _ in 0..STEPS {
                for lane in &mut lanes {
                    *lane = *lane * factor + term;
                }
            }
            black_box(&mut lanes);
        })
    });
    rates(2 * LANES * STEPS * threads, &times_ns)
}

/// Atomic additions of all threads in a microsecond, on one counter or on one a thread.
fn atomics_per_us(threads: usize, contended: bool) -> Vec<f64> {
    const STEPS: usize = 100_000;
    /// A counter with its cache line and the neighbour that processors fetch with it.
    #[repr(align(128))]
    #[derive(Default)]
    struct Counter(AtomicU64);
    let counters: Vec<Counter> = (0..threads).map(|_| Counter::default()).collect();
    let times_ns = runs_ns(threads, &|index| {
        let counter = &counters[if contended { 0 } else { index }].0;
        Box::new(move || {
            for _ in 0..STEPS {
                counter.fetch_add(1, Ordering::Relaxed);
            }
        })
    });
    rates(1000 * STEPS * threads, &times_ns)
}

/// Nanoseconds of one access that depends on the one before, at random in a buffer beyond the private caches.
fn random_access_ns(threads: usize) -> Vec<f64> {
    const STEPS: usize = 100_000;
    /// One element a cache line.
    #[repr(align(64))]
    #[derive(Clone, Copy)]
    struct Line(u32);
    let count = BUFFER_BYTES / size_of::<Line>();
    let mut ring: Vec<Line> = (0..count).map(|next| Line(next as u32)).collect();
    // Sattolo's shuffle ("An algorithm to generate a random cyclic permutation", 1986) leaves one cycle through all
    // lines, so that no walk is short and no prefetcher sees a pattern.
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for last in (1..count).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ring.swap(last, (state >> 33) as usize % last);
    }
    // Threads begin at different places of the cycle.
    let ring = &ring;
    let times_ns = runs_ns(threads, &|thread| {
        let mut index = (thread * count / threads) as u32;
        Box::new(move || {
            for _ in 0..STEPS {
                index = ring[index as usize].0;
            }
            black_box(&mut index);
        })
    });
    times_ns.iter().map(|time| time / STEPS as f64).collect()
}
