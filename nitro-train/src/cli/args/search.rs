//! The arguments of `train search`: a search that measures, or replays.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;

use super::common::DeadlineArgs;
use super::show::ShowArgs;
use crate::measure::Share;
use crate::search::{SearchStrategy, Strategy};
use crate::trainer::{ReplayRequest, SearchRequest, at_least_one};

#[derive(Args, Debug)]
pub(in crate::cli) struct SearchArgs {
    #[command(flatten)]
    pub(in crate::cli) request: SearchRequest,
    /// Strategy of the search [default: transfer, and ants for generated code]. Names: random, exhaustive, climb
    /// (G-ADAPT), local, annealing, genetic, ants (Coding Ants), model, transfer (begins with what was fast on other
    /// devices). Generated code is searched by ants, genetic, random or prove. prove is branch and bound (Telamon), for
    /// code with a lower bound of its times; it goes on until nothing else can be faster. With --replay also all, each
    /// in turn
    #[arg(long, value_name = "S")]
    strategy: Option<Strategies>,
    /// Replay searches from what the store holds of the device, without running anything. Shows how good the best found
    /// was after so many evaluations
    #[arg(long, conflicts_with = "deadline")]
    pub(in crate::cli) replay: bool,
    /// Number of searches, with consecutive seeds from --seed on
    #[arg(long, value_name = "N", default_value_t = 20, requires = "replay", value_parser = at_least_one())]
    seeds: usize,
    /// With --strategy prove: write a certificate of each proof, a line each, which `check --certificate` reads
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    pub(in crate::cli) certificate: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) deadline: DeadlineArgs,
    #[command(flatten)]
    pub(in crate::cli) show: ShowArgs,
}

/// A strategy, or all that can be replayed.
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

/// Stands for no device.
const NONE: &str = "none";

impl SearchArgs {
    /// Returns the request of a search that measures.
    pub(in crate::cli) fn request(&self, share: Share) -> SearchRequest {
        let strategy = match self.strategy {
            Some(Strategies::One(strategy)) => Some(strategy),
            Some(Strategies::All) | None => None, // which usage refuses
        };
        SearchRequest { strategy, sources: self.sources(), share, ..self.request.clone() }
    }

    /// Returns what is wrong with the strategy, if anything is.
    pub(in crate::cli) fn contradiction(&self) -> Option<&'static str> {
        if self.certificate.is_some() && self.strategy != Some(Strategies::One(SearchStrategy::Prove)) {
            return Some("--certificate goes with --strategy prove: nothing else proves anything");
        }
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

    /// Returns the devices that are named; `none` names none.
    fn sources(&self) -> Option<Vec<String>> {
        let named = self.request.sources.clone()?;
        Some(if named == [NONE] { Vec::new() } else { named })
    }

    /// Returns the request of a replay, which shares most arguments with a search.
    pub(in crate::cli) fn replay_request(&self) -> ReplayRequest {
        let SearchRequest { data, variant, until, evaluations, devices, seed, .. } = self.request.clone();
        let strategies = match self.strategy {
            Some(Strategies::All) => Strategy::ALL.to_vec(),
            Some(Strategies::One(SearchStrategy::Find(strategy))) => vec![strategy],
            Some(Strategies::One(SearchStrategy::Prove)) | None => vec![Strategy::Transfer],
        };
        let (sources, seeds) = (self.sources(), self.seeds);
        ReplayRequest { data, variant, strategies, until, evaluations, devices, sources, seed, seeds }
    }
}
