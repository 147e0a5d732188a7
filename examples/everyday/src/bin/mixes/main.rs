//! What choosing brings in realistic mixes of calls, the honest mirror of the project:
//! `cargo run --release -p nitro-everyday --bin mixes`.
//!
//! Each mix is a few to some hundred inputs that nobody recorded. Measured are, in one process and on one thread:
//! the dispatched function as an application calls it, each variant called directly, and the features alone. All
//! take turns in rounds, which begin with another one each time, so that a slow phase of the machine meets all
//! alike. A turn goes through all inputs of the mix, once for caches and predictors and once for the clock: neither
//! a thread's inline cache, which remembers eight inputs, nor the branch predictor knows an input from the call
//! before, unless the mix itself repeats its features (`repeated` in the JSON).
//!
//! The time of a call is the median of its rounds, less what reading the clock takes. The total of a mix is the sum
//! over its inputs; the oracle's total is the sum of the times of the fastest variant of each input. What a
//! function changes in place is restored before each call, untimed.
//!
//! `--json` prints everything, `--seconds S` spends so long (default 90), `--mix TEXT` takes the mixes whose name
//! has this text.

mod case;
mod measure;
mod mix;
mod result;
mod table;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use result::{MixResult, json};
use table::table;

/// What is asked for on the command line.
struct Arguments {
    json: bool,
    seconds: f64,
    name: String,
}

fn arguments() -> Result<Arguments, String> {
    let mut arguments = Arguments { json: false, seconds: 90.0, name: String::new() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("`{word}` needs a value behind it"));
        match word.as_str() {
            "--json" => arguments.json = true,
            "--mix" => arguments.name = value()?,
            "--seconds" => {
                let seconds =
                    value()?.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds > 0.0);
                arguments.seconds = seconds.ok_or("`--seconds` is a number above 0")?;
            }
            _ => return Err(format!("`{word}` is none of --json, --seconds S, --mix TEXT")),
        }
    }
    Ok(arguments)
}

fn run(arguments: &Arguments) -> Result<String, String> {
    let chosen: Vec<_> = mix::all().into_iter().filter(|mix| mix.name.contains(&arguments.name)).collect();
    if chosen.is_empty() {
        return Err(format!("no mix has `{}` in its name", arguments.name));
    }
    let budget = Duration::from_secs_f64(arguments.seconds / chosen.len() as f64);
    let measured = |mix: &mix::Mix| {
        let mut cases = mix.cases();
        let times = measure::measure(&mut cases, budget);
        MixResult::new(mix, &mut cases, &times)
    };
    let results: Vec<MixResult> = chosen.iter().map(measured).collect();
    Ok(if arguments.json { json(&results) } else { table(&results) })
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
