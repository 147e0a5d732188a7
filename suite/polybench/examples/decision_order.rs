//! What comparing choices by their bounds before one is decided makes of branch and bound, without a GPU.
//!
//! `cargo run --release -p nitro-polybench --features search --example decision_order`. Every point of a space takes
//! its bound over a share that is drawn for it: one of those that points of the space that were measured on an H200
//! have.

use std::collections::BTreeMap;
use std::time::Instant;

use nitro_decide::{BranchAndBound, BranchPlan, DecidedSpace, LowerBound, Statistics, TimeBound};
use nitro_polybench::decided::{Asked, Kernel, Tiles, shipped};
use nitro_polybench::floors::shipped_rates;
use nitro_search::{Ask, Budget, Engine, Evaluation};

/// In so many states all open choices are compared.
const COMPARED: [usize; 5] = [0, 4, 16, 32, usize::MAX];
/// Levels whose pruned share is shown.
const LEVELS: [usize; 4] = [2, 4, 8, 16];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let spaces = [
        (Kernel::MatvecByWarps, 16384, Tiles::Full),
        (Kernel::GesummvByWarps, 16384, Tiles::Full),
        (Kernel::Sgemm, 1024, Tiles::Reduced),
        (Kernel::Sgemm, 1024, Tiles::Ahead),
        (Kernel::Sgemm, 4096, Tiles::Ahead),
    ];
    println!(
        "| space | states that compare | states bounded | expanded | evaluated | % of points pruned up to level {} | s |",
        LEVELS.map(|level| level.to_string()).join(" | ")
    );
    println!("| --- {}|", "| --: ".repeat(5 + LEVELS.len()));
    for (space, size, tiles) in spaces {
        let asked = Asked { space, size, batch: 512, tiles, device: "cuda:0".to_owned() };
        let model = Model::new(&asked)?;
        for compared in COMPARED {
            model.row(&asked.name(), compared)?; // the last row of a space compares in every state
        }
    }
    Ok(())
}

/// Times of points that nobody measured.
struct Model {
    space: DecidedSpace,
    points: u64,
    /// Bounds over times of points that were measured.
    shares: Vec<f64>,
}

impl Model {
    fn new(asked: &Asked) -> Result<Self, Box<dyn std::error::Error>> {
        let space = asked.space()?;
        let bound = space.time_bound(shipped_rates());
        let points = space.root().count(100_000).ok_or("the space is too large")?;
        let share = |(values, time_ns): &(Vec<usize>, f64)| {
            space.root().decide(values).map(|point| bound.bound_ns(&point) / time_ns)
        };
        let mut shares: Vec<f64> = shipped(&asked.name(), &space).iter().filter_map(share).collect();
        shares.sort_by(f64::total_cmp);
        Ok(Self { space, points, shares })
    }

    fn time_ns(&self, values: &[usize], bound: &TimeBound) -> f64 {
        let point = self.space.root().decide(values).expect("it was proposed");
        let mix =
            |hash: u64, value: &usize| (hash ^ *value as u64).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
        let drawn = values.iter().fold(0xcbf2_9ce4_8422_2325, mix) % self.shares.len() as u64;
        bound.bound_ns(&point) / self.shares[drawn as usize]
    }

    /// Proves, and prints what that took.
    fn row(&self, name: &str, compared: usize) -> Result<(), Box<dyn std::error::Error>> {
        let (start, times) = (Instant::now(), self.space.time_bound(shipped_rates()));
        let plan = BranchPlan { compared, counted_points: self.points, ..BranchPlan::default() };
        let strategy =
            BranchAndBound::new(self.space.root().clone(), self.space.time_bound(shipped_rates()), plan);
        let mut search = Engine::new(strategy, Budget::default());
        while let Ok(Ask::Evaluate(points)) = search.ask(1) {
            for values in points {
                search.tell(&values, Evaluation::TimeNs(self.time_ns(&values, &times)))?;
            }
        }
        let statistics = search.proposer().statistics();
        let shares = LEVELS.map(|level| format!("{:.1}", self.pruned_up_to(statistics, level))).join(" | ");
        let states = if compared == usize::MAX { "all".to_owned() } else { compared.to_string() };
        println!(
            "| {name} | {states} | {} | {} | {} | {shares} | {:.1} |",
            statistics.bounded,
            statistics.total().expanded,
            statistics.evaluated,
            start.elapsed().as_secs_f64()
        );
        Ok(())
    }

    /// The percentage of all points that were pruned up to a level.
    fn pruned_up_to(&self, statistics: &Statistics, level: usize) -> f64 {
        let by_level: BTreeMap<usize, u64> =
            statistics.levels.iter().map(|own| own.pruned_points).enumerate().collect();
        100.0 * by_level.range(..=level).map(|(_, points)| points).sum::<u64>() as f64 / self.points as f64
    }
}
