//! Draws nests over triangles, trapezoids and other domains, and compares what they are mapped to with what they compute, until it is stopped.
//!
//! `draw_nests [--count N] [--seed S] [--threads T]`: prints each nest that differs, made small, with its mapping and sizes, and ends with 1 if there was one.

#[path = "../tests/mappings/domains.rs"]
mod domains;

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use domains::{Drawn, Effort, check, describe, shrunk};

/// Nests between two lines about progress.
const PROGRESS: u64 = 1_000;
/// Of so many nests, one has its forms mapped too, and of so many of those, one has a path drawn.
const FORMS: u64 = 8;
const PATHS: u64 = 4;

/// Instructions of a run: those of about a second.
const INSTRUCTIONS: u64 = 3_000_000;

/// What was found so far.
struct Totals {
    begin: Instant,
    next: AtomicU64,
    nests: AtomicU64,
    programs: AtomicU64,
    too_long: AtomicU64,
    differences: AtomicU64,
}

/// What is looked at of the nest of a seed.
fn effort(seed: u64) -> Effort {
    Effort {
        has_presets: true,
        drawn: 4,
        has_space: seed.is_multiple_of(FORMS),
        paths: usize::from(seed.is_multiple_of(FORMS * PATHS)),
        sizes: 1,
        instructions: INSTRUCTIONS,
    }
}

impl Totals {
    fn print(&self) {
        let [nests, programs, too_long, differences] =
            [&self.nests, &self.programs, &self.too_long, &self.differences]
                .map(|count| count.load(Ordering::Relaxed));
        let seconds = self.begin.elapsed().as_secs();
        println!(
            "{nests} nests, {programs} programs, {too_long} more were too long, {differences} differences, {seconds} s"
        );
    }

    fn look(&self, seed: u64) {
        let drawn = Drawn::new(seed);
        match check(&drawn, seed, effort(seed)) {
            Ok(looked) => {
                self.programs.fetch_add(looked.programs as u64, Ordering::Relaxed);
                self.too_long.fetch_add(looked.too_long as u64, Ordering::Relaxed);
            }
            Err(found) => {
                self.differences.fetch_add(1, Ordering::Relaxed);
                let (drawn, found) = shrunk(drawn, found, seed, effort(seed));
                println!("again: draw_nests --count 1 --seed {seed}\n{}", describe(seed, &drawn, &found));
            }
        }
        if (self.nests.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(PROGRESS) {
            self.print();
        }
    }
}

/// The value of an option, if it is there.
fn option(name: &str) -> Result<Option<u64>, String> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    if arguments.next().is_none() {
        return Ok(None);
    }
    let value = arguments.next().unwrap_or_default();
    value.parse().map(Some).map_err(|_| format!("{name} takes a number, not {value:?}"))
}

fn run() -> Result<bool, String> {
    let first = option("--seed")?.unwrap_or(0);
    let end = option("--count")?.map_or(u64::MAX, |count| first.saturating_add(count));
    let threads = option("--threads")?.unwrap_or(1);
    let zero = || AtomicU64::new(0);
    let totals = Totals {
        begin: Instant::now(),
        next: AtomicU64::new(first),
        nests: zero(),
        programs: zero(),
        too_long: zero(),
        differences: zero(),
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                loop {
                    let seed = totals.next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end {
                        return;
                    }
                    totals.look(seed);
                }
            });
        }
    });
    totals.print();
    Ok(totals.differences.load(Ordering::Relaxed) == 0)
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("draw_nests: {error}");
            ExitCode::from(2)
        }
    }
}
