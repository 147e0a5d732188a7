//! What choosing brings in realistic mixes of calls, the honest mirror of the project:
//! `cargo run --release -p nitro-everyday --bin mixes`.
//!
//! Each mix is a few to some hundred inputs that nobody recorded. Measured are, in one process and on one thread:
//! the dispatched function as an application calls it, the `if` of a developer, the variants called directly, and the
//! features alone. All take turns in rounds. A turn goes through all inputs of the mix, once for caches and predictors
//! and once for the clock: neither a thread's inline cache, which remembers eight inputs, nor the branch predictor
//! knows an input from the call before, unless the mix itself repeats its features (`repeated` in the JSON).
//!
//! Each round has another order, drawn at random. What one turn leaves in the caches of a processor still shows in the
//! second pass of the next: with the dispatched function always behind the same variant, its Fourier transforms took
//! 1.37 times the oracle's time, and take 1.00 times in random orders.
//!
//! The oracle is a contender as well. It knows from rounds before these which variant is the fastest of each input,
//! and goes through the mix calling those. So do the chosen variants. A sum of the variants' own times would be that
//! of nobody: each has them with caches, predictors and an allocator that no other variant has used. So the oracle is
//! no bound: where calls take some tens of nanoseconds, one variant for all can be quicker than the best of each input.
//!
//! What is left of the overhead of long calls is the model. A call that goes through some hundred kilobytes has put
//! it out of the caches, and a forest is read anew in some microseconds. That is real: applications pay it too. The
//! column `if warm` shows the overhead of calls just after the same choice was made.
//!
//! The time of a call is the median of its rounds, less what reading the clock takes. The total of a mix is the sum
//! over its inputs. What a function changes in place is restored before each call, untimed.

mod case;
mod measure;
mod mix;
mod result;
mod rules;
mod table;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use result::{MixResult, json};
use table::table;

const USAGE: &str = "\
Measures what choosing brings in mixes of calls.

Usage: mixes [OPTIONS]

  --mix TEXT     the mixes whose name has this text; without it all
  --seconds S    spend so long on a run (default 160)
  --runs N       measure all N times (default 1): medians, and (least..most)
  --json         print everything as JSON
  --help         print this";

/// The most runs: a day of them.
const MOST_RUNS: usize = 1_000;

/// What is asked for on the command line.
struct Arguments {
    help: bool,
    json: bool,
    seconds: f64,
    runs: usize,
    name: String,
}

fn arguments() -> Result<Arguments, String> {
    let mut arguments = Arguments { help: false, json: false, seconds: 160.0, runs: 1, name: String::new() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("`{word}` needs a value behind it"));
        match word.as_str() {
            "--help" | "-h" => arguments.help = true,
            "--json" => arguments.json = true,
            "--mix" => arguments.name = value()?,
            "--seconds" => {
                let seconds =
                    value()?.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds > 0.0);
                arguments.seconds = seconds.ok_or("`--seconds` is a number above 0")?;
            }
            "--runs" => {
                let runs = value()?.parse().ok().filter(|runs| (1..=MOST_RUNS).contains(runs));
                arguments.runs =
                    runs.ok_or_else(|| format!("`--runs` is a whole number from 1 to {MOST_RUNS}"))?;
            }
            _ => {
                return Err(format!("`{word}` is none of --mix TEXT, --seconds S, --runs N, --json, --help"));
            }
        }
    }
    Ok(arguments)
}

fn run(arguments: &Arguments) -> Result<String, String> {
    if arguments.help {
        return Ok(USAGE.to_owned());
    }
    let chosen: Vec<_> = mix::all().into_iter().filter(|mix| mix.name.contains(&arguments.name)).collect();
    if chosen.is_empty() {
        return Err(format!("no mix has `{}` in its name", arguments.name));
    }
    let budget = Duration::from_secs_f64(arguments.seconds / chosen.len() as f64);
    let measured = |mix: &mix::Mix| {
        let mut cases = mix.cases();
        // What an application that lives longer than a moment waits for once: what the model asks of this device.
        let _ = cases[0].function().prepare(); // host variants have nothing to compile
        let times = measure::measure(&mut cases, budget);
        MixResult::new(mix, &mut cases, &times)
    };
    let runs: Vec<Vec<MixResult>> =
        (0..arguments.runs).map(|_| chosen.iter().map(measured).collect()).collect();
    Ok(if arguments.json { json(&runs) } else { table(&runs) })
}

fn main() -> ExitCode {
    let (text, code) = match arguments().map(|arguments| run(&arguments)) {
        Ok(Ok(text)) => (text, ExitCode::SUCCESS),
        Ok(Err(why)) => (format!("mixes: {why}"), ExitCode::FAILURE),
        Err(why) => (format!("mixes: {why}"), ExitCode::from(2)),
    };
    let written = match code == ExitCode::SUCCESS {
        true => writeln!(std::io::stdout(), "{text}"),
        false => writeln!(std::io::stderr(), "{text}"),
    };
    if written.is_ok() { code } else { ExitCode::FAILURE }
}
