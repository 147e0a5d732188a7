//! Who proposes what to evaluate.

mod annealing;
mod ants;
mod climb;
mod exhaustive;
mod fresh;
mod genetic;
mod local;
mod model;
mod random;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::{Candidate, Outcome, Sources, Space};

/// A strategy at work, in steps: what it proposes next depends on its seed and on the outcomes of its earlier
/// steps, and on nothing else.
pub(crate) trait Steps: Send {
    /// The candidates of the next step, none of which it proposed before; empty when nothing is left.
    fn ask(&mut self) -> Vec<Candidate>;
    /// The outcomes of the step, in the order of its candidates.
    fn tell(&mut self, outcomes: &[Outcome]);
}

/// The strategies there are.
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
    /// Any order, each as likely.
    Random,
    /// All, in the order of the space.
    Exhaustive,
    /// G-ADAPT's walk from the low to the high corner.
    Climb,
    /// Local search with restarts.
    Local,
    /// Simulated annealing.
    Annealing,
    /// A genetic algorithm.
    Genetic,
    /// The ant colony of "Coding Ants" ([`Ants`](crate::Ants)).
    Ants,
    /// A model of what was measured here.
    Model,
    /// A model that knows what other devices measured.
    Transfer,
}

/// There is no strategy of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no search strategy `{name}`; there are {}", Strategy::ALL.map(Strategy::name).join(", "))]
pub struct UnknownStrategy {
    name: String,
}

impl Strategy {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Random,
        Self::Exhaustive,
        Self::Climb,
        Self::Local,
        Self::Annealing,
        Self::Genetic,
        Self::Ants,
        Self::Model,
        Self::Transfer,
    ];

    /// The name by which a user asks for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Exhaustive => "exhaustive",
            Self::Climb => "climb",
            Self::Local => "local",
            Self::Annealing => "annealing",
            Self::Genetic => "genetic",
            Self::Ants => "ants",
            Self::Model => "model",
            Self::Transfer => "transfer",
        }
    }

    /// What it does, for a list of what there is.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Random => "any order, each configuration as likely",
            Self::Exhaustive => "every configuration, in order",
            Self::Climb => "G-ADAPT's walk from the low to the high corner, a step of one parameter a round",
            Self::Local => "the best neighbour, from another place once there is none",
            Self::Annealing => "neighbours, worse ones ever less often",
            Self::Genetic => "configurations crossed and mutated, the faster more often",
            Self::Ants => {
                "what pheromone on the values of earlier ones leads to, and a tree over all of them"
            }
            Self::Model => "what a model of the measurements made here expects most of",
            Self::Transfer => "what was fast on other devices, corrected by what is measured here",
        }
    }

    /// Begins a search; of the sources only [`Transfer`](Self::Transfer) takes notice.
    pub(crate) fn start(self, space: &Arc<Space>, seed: u64, sources: &Sources) -> Box<dyn Steps> {
        let space = Arc::clone(space);
        match self {
            Self::Exhaustive => Box::new(exhaustive::Exhaustive::new(&space)),
            Self::Climb => Box::new(climb::Climb::new(space)),
            Self::Random => Box::new(random::Random::new(&space, seed)),
            Self::Local => Box::new(local::Local::new(space, seed)),
            Self::Annealing => Box::new(annealing::Annealing::new(space, seed)),
            Self::Model => Box::new(model::Model::new(space, seed, &Sources::default())),
            Self::Transfer => Box::new(model::Model::new(space, seed, sources)),
            Self::Ants => Box::new(ants::AntColony::new(space, seed)),
            Self::Genetic => Box::new(genetic::Genetic::new(space, seed)),
        }
    }
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
