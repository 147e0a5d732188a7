//! Draws nests over triangles, trapezoids and other domains, and compares each with what it is mapped to.

#[path = "../tests/mappings/domains.rs"]
mod domains;

use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::Parser;
use domains::{Drawn, Effort, check, describe, shrunk};

/// Nests between two lines about progress.
const PROGRESS: u64 = 1_000;
/// Of so many nests, one has its forms mapped too, and of so many of those, one has a path drawn.
const FORMS: u64 = 8;
const PATHS: u64 = 4;

/// Instructions of a run: those of about a second.
const INSTRUCTIONS: u64 = 3_000_000;

/// Draws nests over triangles, trapezoids and other domains, and compares each with what it is mapped to.
///
/// Each nest that differs is printed, made small, with its mapping, its sizes and its seed.
/// Ends with 1 if there was one.
#[derive(Parser)]
struct Arguments {
    /// Nests to draw; without it, until the program is stopped
    #[arg(long)]
    count: Option<u64>,
    /// Seed of the first nest; those of the others follow it
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Nests that are looked at side by side
    #[arg(long, default_value = "1")]
    threads: NonZeroUsize,
}

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

    /// Looks at one nest after another, each of a seed of its own, until the seeds reach `end`.
    fn look_until(&self, end: u64) {
        loop {
            let seed = self.next.fetch_add(1, Ordering::Relaxed);
            if seed >= end {
                return;
            }
            self.look(seed);
        }
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

fn main() -> ExitCode {
    let asked = Arguments::parse();
    let end = asked.count.map_or(u64::MAX, |count| asked.seed.saturating_add(count));
    let zero = || AtomicU64::new(0);
    let totals = Totals {
        begin: Instant::now(),
        next: AtomicU64::new(asked.seed),
        nests: zero(),
        programs: zero(),
        too_long: zero(),
        differences: zero(),
    };
    std::thread::scope(|scope| {
        for _ in 0..asked.threads.get() {
            scope.spawn(|| totals.look_until(end));
        }
    });
    totals.print();
    if totals.differences.load(Ordering::Relaxed) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
