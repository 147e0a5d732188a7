//! What a dispatched call costs beside a direct one: `cargo bench --bench dispatch`.
//!
//! Everything is measured in one run, in turn, and printed as a ratio to the direct call too: absolute figures of
//! two runs, let alone two machines, do not compare. With the path of LIBSVM's library in `LIBSVM`, its predictor
//! is measured on the same machines:
//!
//! ```text
//! pip install -r scripts/requirements.txt
//! export LIBSVM=$(python3 -c 'import libsvm.clib as c; print(c.__file__)') OMP_NUM_THREADS=1
//! cargo bench --bench dispatch
//! ```
//!
//! (LIBSVM would share one prediction between threads, which costs it 10 us.)

mod libsvm;
mod models;
#[cfg(target_arch = "x86_64")]
mod targets;

use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;

use multiversion::multiversion;
use nitro::code_variant;
use nitro::model::{Gate, Selector};

/// Six features of an input, as a function would find them in its arguments.
pub struct Input {
    a: f64,
    b: f64,
    c: f64,
    d: f64,
    e: f64,
    f: f64,
}

impl Input {
    fn new([a, b, c, d, e, f]: [f64; 6]) -> Self {
        Self { a, b, c, d, e, f }
    }

    fn values(&self) -> [f64; 6] {
        let Self { a, b, c, d, e, f } = *self;
        [a, b, c, d, e, f]
    }
}

#[inline(never)]
fn forward(input: &Input) -> f64 {
    input.values().iter().sum()
}

#[inline(never)]
fn backward(input: &Input) -> f64 {
    input.values().iter().rev().sum()
}

/// The two lines that somebody who knows the gate of [`models::gate`] would write.
fn by_hand(input: &Input) -> f64 {
    if input.a > 999.0 { backward(input) } else { forward(input) }
}

fn pairs(input: &Input) -> f64 {
    input.values().chunks(2).map(|pair| pair[0] + pair[1]).sum()
}

fn halves(input: &Input) -> f64 {
    input.values()[..3].iter().sum::<f64>() + input.values()[3..].iter().sum::<f64>()
}

#[multiversion(targets("x86_64+avx2+fma", "x86_64+avx"))]
fn multiversioned(input: &Input) -> f64 {
    input.values().iter().sum()
}

/// A function of the name that is chosen by the model of that name.
macro_rules! dispatched {
    ($($name:ident $(= $model:expr)?;)*) => {$(
        #[code_variant(
            name = "bench",
            features(a = input.a, b = input.b, c = input.c, d = input.d, e = input.e, f = input.f),
            variants(forward, backward, pairs, halves),
            default = forward,
            $(model = $model,)?
        )]
        fn $name(input: &Input) -> f64;
    )*};
}

dispatched! {
    no_model;
    constant = embedded(Selector::Constant { choice: 0 });
    svm_20 = embedded(models::svm(20));
    svm_200 = embedded(models::svm(200));
    svm_2000 = embedded(models::svm(2000));
    forest_64 = embedded(models::forest(64));
    gated = around(models::forest(64), (Some(models::gate()), false));
    distilled = around(models::forest(64), (None, true));
}

fn tuned(p: svm_200_tuned::Tuned, input: &Input) -> f64 {
    black_box(p);
    forward(input)
}

/// As `svm_200`, between configurations of one variant.
#[code_variant(
    name = "bench",
    features(a = input.a, b = input.b, c = input.c, d = input.d, e = input.e, f = input.f),
    variants(forward, tuned { block: u32 in pow2(32..=256), unroll in [1, 2, 4] } if block as usize * unroll <= 512),
    default = forward,
    model = models::embedded(models::svm(200), (None, false), TUNED, "threads"),
)]
fn svm_200_tuned(input: &Input) -> f64;

const TUNED: [&str; 4] =
    ["forward", "tuned{block=32,unroll=1}", "tuned{block=64,unroll=4}", "tuned{block=256,unroll=2}"];

/// Many calls of one function within a call of another.
#[code_variant(name = "bench", variants(each), default = each, nested(svm_200))]
fn outer(inputs: &[Input], calls: usize);

fn each(inputs: &[Input], calls: usize) {
    for index in 0..calls {
        black_box(svm_200(black_box(&inputs[index & (inputs.len() - 1)])));
    }
}

fn embedded(selector: Selector) -> &'static [u8] {
    around(selector, (None, false))
}

fn around(selector: Selector, gate_and_tree: (Option<Gate>, bool)) -> &'static [u8] {
    models::embedded(selector, gate_and_tree, ["forward", "backward", "pairs", "halves"], "threads")
}

/// One line of the table.
struct Line {
    name: String,
    /// Whether every call is on the same input, so that its features are known.
    repeated: bool,
    calls: Box<Calls>,
}

/// So many calls, over some inputs again and again.
type Calls = dyn Fn(&[Input], usize) + Sync;

fn line(name: &str, repeated: bool, call: impl Fn(&Input) -> f64 + Sync + 'static) -> Line {
    // The loop is part of the line, so that no call in it is through a pointer.
    let calls = move |inputs: &[Input], calls: usize| {
        for index in 0..calls {
            black_box(call(black_box(&inputs[index & (inputs.len() - 1)])));
        }
    };
    Line { name: name.to_owned(), repeated, calls: Box::new(calls) }
}

const ROUNDS: usize = 61;
const CALLS: usize = 1 << 11;

/// For each line the time of one call in each round, in nanoseconds, on so many threads at once.
fn times_ns(lines: &[Line], inputs: &[Input], threads: usize) -> Vec<Vec<f64>> {
    let barrier = Barrier::new(threads);
    let work = || {
        let mut times = vec![Vec::with_capacity(ROUNDS); lines.len()];
        for _ in 0..ROUNDS {
            for (line, times) in lines.iter().zip(&mut times) {
                let inputs = if line.repeated { &inputs[..1] } else { inputs };
                (line.calls)(inputs, inputs.len()); // what another line left in the caches is not this one's cost
                barrier.wait();
                let begin = Instant::now();
                (line.calls)(inputs, CALLS);
                times.push(begin.elapsed().as_nanos() as f64 / CALLS as f64);
            }
        }
        times
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let times = work();
        others.into_iter().for_each(|other| drop(other.join()));
        times
    })
}

/// The middle of the rounds: what the rest of the machine does disturbs some of them.
fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let mut lines = vec![
        line("direct call", false, forward),
        line("multiversion", false, multiversioned),
        line("dispatched, no model", false, no_model),
        line("dispatched, a model without features", false, constant),
        line("new input, a threshold in a gate", false, gated),
        line("one side of a threshold in a gate", true, gated),
        line("by hand: the same threshold", false, by_hand),
        line("new input, a forest as a tree", false, distilled),
        line("one input, a forest as a tree", true, distilled),
        line("repeated input, 20 support vectors", true, svm_20),
        line("repeated input, 200 support vectors", true, svm_200),
        line("repeated input, 200, with parameters", true, svm_200_tuned),
        line("repeated input, forest of 64 trees", true, forest_64),
        line("new input, 20 support vectors", false, svm_20),
        line("new input, 200 support vectors", false, svm_200),
        line("new input, 200, with parameters", false, svm_200_tuned),
        line("new input, 2000 support vectors", false, svm_2000),
        line("new input, forest of 64 trees", false, forest_64),
        Line {
            name: "nested calls, 200 support vectors".to_owned(),
            repeated: false,
            calls: Box::new(outer),
        },
    ];
    let own = lines.len();
    lines.extend([20, 200, 2000].into_iter().filter_map(|support| {
        let predictor = libsvm::Predictor::new(&models::svm(support))?;
        Some(line(&format!("LIBSVM, {support} support vectors"), false, move |input| {
            predictor.predict(&input.values())
        }))
    }));
    // `cargo bench --bench dispatch -- TEXT` measures the direct call and the lines with the text in their names.
    if let Some(text) = std::env::args().nth(1).filter(|text| !text.starts_with("--")) {
        let mut index = 0..;
        lines.retain(|line| index.next() == Some(0) || line.name.contains(&text));
    }
    // Many more than a thread remembers.
    let inputs: Vec<Input> = models::points(1 << 8).map(Input::new).collect();
    let reasons = [
        constant::select(&inputs[0]).reason(),
        svm_20::select(&inputs[0]).reason(),
        svm_200::select(&inputs[0]).reason(),
        svm_200_tuned::select(&inputs[0]).reason(),
        svm_2000::select(&inputs[0]).reason(),
        forest_64::select(&inputs[0]).reason(),
    ];
    assert_eq!(reasons, [nitro::Reason::Predicted; 6], "the models decide");
    let [one, two] =
        [1, 2].map(|threads| times_ns(&lines, &inputs, threads).into_iter().map(median).collect::<Vec<_>>());
    println!(
        "{:38} {:>9} {:>9} {:>8} {:>14}",
        "call with six features", "ns", "more ns", "ratio", "two threads, x"
    );
    for ((line, one_ns), two_ns) in lines.iter().zip(&one).zip(&two) {
        let (more, ratio) = (one_ns - one[0], one_ns / one[0]);
        println!("{:38} {one_ns:9.1} {more:9.1} {ratio:8.2} {:14.2}", line.name, two_ns / one_ns);
    }
    if lines.len() == own {
        println!(
            "LIBSVM is left out: set LIBSVM to the path of its library (the head of benches/dispatch/main.rs says how)."
        );
    }
    #[cfg(target_arch = "x86_64")]
    print_targets(&inputs);
}

/// Prints what clones cost and bring, for each length of the benchmark.
#[cfg(target_arch = "x86_64")]
fn print_targets(inputs: &[Input]) {
    targets::check();
    for length in targets::LENGTHS {
        let lines = targets::lines(length);
        let times: Vec<f64> = times_ns(&lines, inputs, 1).into_iter().map(median).collect();
        println!(
            "\n{:38} {:>9} {:>9} {:>8}",
            format!("squares of {length} numbers"),
            "ns",
            "more ns",
            "ratio"
        );
        for (line, time_ns) in lines.iter().zip(&times) {
            let (more, ratio) = (time_ns - times[0], time_ns / times[0]);
            println!("{:38} {time_ns:9.1} {more:9.1} {ratio:8.2}", line.name);
        }
    }
}
