//! What `train search` is asked.

use std::str::FromStr;

use clap::Args;

use super::{DataArgs, SeedArgs, ShowArgs};
use crate::search::{Strategy, UnknownStrategy};
use crate::trainer::ReplayRequest;

#[derive(Args, Debug)]
pub(in crate::cli) struct SearchArgs {
    #[command(flatten)]
    pub(in crate::cli) data: DataArgs,
    /// Variant to search [default: every one with tuning parameters]
    #[arg(long, value_name = "V")]
    variant: Option<String>,
    /// Who proposes what to evaluate: random, exhaustive, climb (G-ADAPT), local, annealing, genetic, model, transfer (begins with what was fast on other
    /// devices), or all of them in turn
    #[arg(long, value_name = "S", default_value = "transfer")]
    strategy: Strategies,
    /// At most so many evaluations for each device and input, failed ones counted
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    evaluations: u32,
    /// Recorded device to search on; repeat for several [default: each in turn]
    #[arg(long = "device", value_name = "D")]
    devices: Vec<String>,
    #[command(flatten)]
    seed: SeedArgs,
    /// Take the answers from what the store holds of the device instead of running anything, and tell how good the best found was after so many evaluations
    #[arg(long, required = true)]
    pub(in crate::cli) replay: bool,
    /// Number of searches, with seeds from --seed on
    #[arg(long, value_name = "N", default_value_t = 20, requires = "replay", value_parser = clap::value_parser!(u32).range(1..))]
    seeds: u32,
    /// Devices to learn from, separated by commas, or none [default: all others]
    #[arg(long, value_name = "D,..", value_delimiter = ',')]
    sources: Option<Vec<String>>,
    #[command(flatten)]
    pub(in crate::cli) show: ShowArgs,
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
    pub(in crate::cli) fn replay_request(&self) -> ReplayRequest {
        let no_source = |sources: &Vec<String>| *sources == [NONE];
        let sources = self.sources.clone().map(|own| if no_source(&own) { Vec::new() } else { own });
        ReplayRequest {
            data: self.data.request(),
            variant: self.variant.clone(),
            strategies: self.strategy.0.clone(),
            evaluations: self.evaluations as usize,
            devices: self.devices.clone(),
            sources,
            seed: self.seed.seed,
            seeds: self.seeds as usize,
        }
    }
}
