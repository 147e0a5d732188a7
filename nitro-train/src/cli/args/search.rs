//! What `train search` is asked.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};

use super::{DEADLINE_SECONDS, DataArgs, SeedArgs, ShowArgs};
use crate::measure::{Repeats, Share};
use crate::search::{Strategy, UnknownStrategy};
use crate::trainer::{MetricsSource, ReplayRequest, SearchRequest};

#[derive(Args, Debug)]
pub(in crate::cli) struct SearchArgs {
    #[command(flatten)]
    pub(in crate::cli) data: DataArgs,
    /// Variant to search [default: every one with tuning parameters]
    #[arg(long, value_name = "V")]
    variant: Option<String>,
    /// Who proposes what to evaluate: random, exhaustive, climb (G-ADAPT), local, annealing, genetic, ants (Coding
    /// Ants), model, transfer (begins with what was fast on other devices), or all of them in turn [default:
    /// transfer]. Generated code is searched by ants, genetic or random [default: ants]
    #[arg(long, value_name = "S")]
    strategy: Option<Strategies>,
    /// At most so many evaluations for each device and input, failed ones counted
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

/// One strategy, or all.
#[derive(Clone, Debug)]
struct Strategies(Vec<Strategy>);

impl FromStr for Strategies {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, UnknownStrategy> {
        Ok(Self(if name == "all" { Strategy::ALL.to_vec() } else { vec![name.parse()?] }))
    }
}

/// Stands for no device.
const NONE: &str = "none";

impl SearchArgs {
    pub(in crate::cli) fn request(&self, share: Share) -> SearchRequest {
        let (strategy, evaluations) = (self.strategy.as_ref().map(|own| own.0[0]), self.evaluations as usize);
        SearchRequest {
            data: self.data.request(),
            variant: self.variant.clone(),
            strategy,
            evaluations,
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

    /// That measuring by every strategy in turn makes no sense.
    pub(in crate::cli) fn is_contradiction(&self) -> bool {
        !self.replay && self.strategy.as_ref().is_some_and(|own| own.0.len() > 1)
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
            strategies: self.strategy.as_ref().map_or_else(|| vec![Strategy::Transfer], |own| own.0.clone()),
            evaluations: self.evaluations as usize,
            devices: self.devices.clone(),
            sources: self.sources(),
            seed: self.seed.seed,
            seeds: self.seeds as usize,
        }
    }
}
