//! The strategies that a user can ask for, by name. Each is a file here or in `paths`, and a line of the table.

mod annealing;
mod ants;
mod climb;
mod exhaustive;
mod fresh;
mod genetic;
mod local;
mod model;
mod random;
mod start;

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use self::start::Start;
use crate::paths::{AntColony, GeneticPaths, PathStrategy, RandomPaths};
use crate::{Candidate, Evaluation, Proposer, Sources, Space};

/// A strategy at work on the configurations of a space.
pub type ListProposer =
    Box<dyn Proposer<Proposal = Candidate, Report = Evaluation, Error = Infallible> + Send>;

/// Makes the enum of the strategies, with what is known of each, from a table with a line for each.
macro_rules! strategies {
    ($($variant:ident $name:literal $description:literal, $over:expr $(, $over_paths:expr)?;)*) => {
        /// A search strategy by name.
        ///
        /// ```
        /// use nitro_search::Strategy;
        ///
        /// assert_eq!("climb".parse(), Ok(Strategy::Climb));
        /// assert_eq!(Strategy::Transfer.to_string(), "transfer");
        /// assert!("hill".parse::<Strategy>().unwrap_err().to_string().contains("climb"));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Strategy {
            $(#[doc = concat!("`", $name, "`: ", $description, ".")] $variant,)*
        }

        impl Strategy {
            /// All of them.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// Returns the name by which a user asks for it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Describes what it proposes, for a list of all of them.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self { $(Self::$variant => $description,)* }
            }

            /// Begins a search of configurations; only [`Transfer`](Self::Transfer) takes notice of the sources.
            #[must_use]
            pub fn over(self, space: &Arc<Space>, seed: u64, sources: &Sources) -> ListProposer {
                let start = Start { space, seed, sources };
                match self { $(Self::$variant => Box::new($over(&start)),)* }
            }

            /// Begins a search of paths; none where the strategy knows configurations alone.
            #[must_use]
            pub fn over_paths(self, seed: u64) -> Option<Box<dyn PathStrategy>> {
                let none: Option<Box<dyn PathStrategy>> = None;
                match self { $(Self::$variant => none$(.or_else(|| Some(Box::new($over_paths(seed)))))?,)* }
            }
        }
    };
}

// An entry for each: variant, name, what it proposes, then who begins it over configurations and over paths.
strategies! {
    Random "random" "any order, each configuration as likely", random::Random::new, RandomPaths::new;
    Exhaustive "exhaustive" "every configuration, in order", exhaustive::Exhaustive::new;
    Climb "climb" "G-ADAPT's walk from the low to the high corner, a step of one parameter a round", climb::Climb::new;
    Local "local" "the best neighbour, from another place once there is none", local::Local::new;
    Annealing "annealing" "neighbours, worse ones ever less often", annealing::Annealing::new;
    Genetic "genetic" "configurations crossed and mutated, the faster more often", genetic::Genetic::new,
        GeneticPaths::new;
    Ants "ants" "what pheromone on the values of earlier ones leads to, and a tree over all of them",
        ants::ListedAnts::new, AntColony::new;
    Model "model" "what a model of the measurements made here expects most of", model::Model::alone;
    Transfer "transfer" "what was fast on other devices, corrected by what is measured here",
        model::Model::with_sources;
}

/// The error where no strategy has the name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no search strategy `{name}`; there are {}", Strategy::ALL.map(Strategy::name).join(", "))]
pub struct UnknownStrategy {
    name: String,
}

impl fmt::Display for Strategy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|strategy| strategy.name() == name);
        found.ok_or_else(|| UnknownStrategy { name: name.to_owned() })
    }
}
