//! What `train search` is asked.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};

use super::{DEADLINE_SECONDS, DataArgs, SeedArgs, ShowArgs};
use crate::measure::{Repeats, Share};
use crate::search::{SearchStrategy, Strategy};
use crate::trainer::{MetricsSource, ReplayRequest, SearchRequest};

#[derive(Args, Debug)]
pub(in crate::cli) struct SearchArgs {
    #[command(flatten)]
    pub(in crate::cli) data: DataArgs,
    /// Variant to search [default: every one with tuning parameters]
    #[arg(long, value_name = "V")]
    variant: Option<String>,
    /// How to choose what to evaluate next: random, exhaustive, climb (G-ADAPT), local, annealing, genetic, ants
    /// (Coding Ants), model, transfer (begins with what was fast on other devices) [default: transfer]. Generated code
    /// is searched by ants, genetic, random or prove [default: ants]; prove is branch and bound (Telamon), which goes on
    /// until nothing else can be faster, for code with a lower bound of its times. With --replay also all of them in turn
    #[arg(long, value_name = "S")]
    strategy: Option<Strategies>,
    /// With --strategy prove: stop once nothing can be faster than the best by more than so many percent of its time
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, conflicts_with = "replay", value_parser = percent)]
    within: f64,
    /// At most so many evaluations for each device and input, failed ones counted. With --strategy prove a search that
    /// they end says how much is left to prove, and goes on where it was with more
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    evaluations: u32,
    /// Device to search on, for example host:4 or cuda:0 [default: host with all threads]; with --replay a recorded
    /// device [default: each in turn]. Repeat for several
    #[arg(long = "device", value_name = "D")]
    pub(in crate::cli) devices: Vec<String>,
    /// Folder of real inputs [default: the built-in inputs]
    #[arg(long, value_name = "DIR", conflicts_with = "replay")]
    inputs: Option<PathBuf>,
    #[command(flatten)]
    seed: SeedArgs,
    /// Take the answers from what the store holds of the device instead of running anything, and tell how good the
    /// best found was after so many evaluations
    #[arg(long)]
    pub(in crate::cli) replay: bool,
    /// Number of searches, with seeds from --seed on
    #[arg(long, value_name = "N", default_value_t = 20, requires = "replay", value_parser = clap::value_parser!(u32).range(1..))]
    seeds: u32,
    /// Devices to learn from, separated by commas, or none [default: all others]
    #[arg(long, value_name = "D,..", value_delimiter = ',')]
    sources: Option<Vec<String>>,
    /// At most so many configurations of a function are measured on every input when the search is over, those that
    /// bring most
    #[arg(long, value_name = "K", default_value_t = 16, conflicts_with = "replay")]
    keep: usize,
    /// Time for the repeats of one configuration on one input, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 60, conflicts_with = "replay", value_parser = clap::value_parser!(u32).range(1..))]
    repeat_ms: u32,
    /// A configuration that takes longer than this for one run, twice, is ended and counts as failed, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = DEADLINE_SECONDS, conflicts_with = "replay", value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) deadline: u32,
    /// What ants learn from besides times: what is counted without a profiler, or hardware counters too, by Nsight
    /// Compute, which takes seconds for each evaluation of generated code
    #[arg(long, value_enum, value_name = "M", default_value_t = Metrics::Counted, conflicts_with = "replay")]
    metrics: Metrics,
    #[command(flatten)]
    pub(in crate::cli) show: ShowArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Metrics {
    Counted,
    Ncu,
}

/// One strategy, or all that can be replayed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Strategies {
    One(SearchStrategy),
    All,
}

impl FromStr for Strategies {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "all" => Ok(Self::All),
            "prove" => Ok(Self::One(SearchStrategy::Prove)),
            name => match name.parse::<Strategy>() {
                Ok(strategy) => Ok(Self::One(strategy.into())),
                Err(unknown) => Err(format!("{unknown}, prove")),
            },
        }
    }
}

/// Reads a share of a time, in percent.
fn percent(text: &str) -> Result<f64, String> {
    let percent = text.parse().ok().filter(|percent| (0.0..100.0).contains(percent));
    percent.ok_or_else(|| "write a number from 0 to less than 100".to_owned())
}

/// Stands for no device.
const NONE: &str = "none";

impl SearchArgs {
    pub(in crate::cli) fn request(&self, share: Share) -> SearchRequest {
        let strategy = match self.strategy {
            Some(Strategies::One(strategy)) => Some(strategy),
            Some(Strategies::All) | None => None, // which usage refuses
        };
        SearchRequest {
            data: self.data.request(),
            variant: self.variant.clone(),
            strategy,
            within_percent: self.within,
            evaluations: self.evaluations as usize,
            devices: self.devices.clone(),
            inputs: self.inputs.clone(),
            sources: self.sources(),
            seed: self.seed.seed,
            keep: self.keep,
            repeats: Repeats { budget_ns: f64::from(self.repeat_ms) * 1e6, ..Repeats::default() },
            metrics: match self.metrics {
                Metrics::Counted => MetricsSource::Counted,
                Metrics::Ncu => MetricsSource::Ncu,
            },
            share,
        }
    }

    /// Returns what is wrong with the strategy, if anything is.
    pub(in crate::cli) fn contradiction(&self) -> Option<&'static str> {
        match self.strategy? {
            Strategies::All if !self.replay => {
                Some("--strategy all goes with --replay: to measure, name one")
            }
            Strategies::One(SearchStrategy::Prove) if self.replay => Some(
                "--strategy prove goes without --replay: nothing bounds the times of recorded configurations",
            ),
            _ => None,
        }
    }

    /// The devices that are named; `none` names none.
    fn sources(&self) -> Option<Vec<String>> {
        let no_source = |sources: &Vec<String>| *sources == [NONE];
        self.sources.clone().map(|own| if no_source(&own) { Vec::new() } else { own })
    }

    pub(in crate::cli) fn replay_request(&self) -> ReplayRequest {
        ReplayRequest {
            data: self.data.request(),
            variant: self.variant.clone(),
            strategies: match self.strategy {
                Some(Strategies::All) => Strategy::ALL.to_vec(),
                Some(Strategies::One(SearchStrategy::Find(strategy))) => vec![strategy],
                Some(Strategies::One(SearchStrategy::Prove)) | None => vec![Strategy::Transfer],
            },
            evaluations: self.evaluations as usize,
            devices: self.devices.clone(),
            sources: self.sources(),
            seed: self.seed.seed,
            seeds: self.seeds as usize,
        }
    }
}
