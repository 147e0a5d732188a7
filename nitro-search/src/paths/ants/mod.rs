//! The ant colony of "Coding Ants" (Papenhausen and Mueller): ants walk a space of decisions, and what they leave
//! at the nodes leads those after them.
//!
//! | section of the paper | here |
//! | --- | --- |
//! | 5, the graph; eq. 2, how an ant chooses | [`graph`], [`colony`] |
//! | 6, max-min ant system in the hyper-cube framework, eq. 5 | [`graph`] |
//! | 6.1, updates by kernel | [`parts`] |
//! | 6.2, performance metrics, eq. 6 | [`metrics`] |
//! | 6.3, the regression tree | [`tree`] |
//! | none: local search, as the max-min ant system has it (Stützle and Hoos 2000, section 4) | [`neighbour`] |
//!
//! Where the paper leaves something open, or its program does other than it says:
//!
//! - The bounds of the pheromone (0.05 and 0.95), and that the best of the iteration deposits in the first two
//!   iterations and the best so far after, are its program's. Of a node with more than 20 options the first
//!   pheromone, 1 / options, is below the lower bound, which holds from the beginning here.
//! - A part's deposit is half of that of all. It is made by the fastest ant of the iteration on that part where it
//!   is within 5 % of the part's best, and else by that best: as fast within what times vary, the newer path tells
//!   more. (The program's test of the 5 % is always true.)
//! - Once a part has a new best, the first ant of the next iteration takes at every node the option by which the
//!   node's part, or all, was fastest.
//! - The scores of eq. 6 are divided by the largest of their node, so that the desirability lies between 0 and 2;
//!   below 0.01 it is 0.01.
//! - The tree's splits weigh the variance of a side by its samples. What failed is as slow as the slowest that ran.
//! - Local search: two ants of three change the best so far at one node of each part, and keep the rest. An
//!   evaluation tells of each part by itself, so that one tries a change of every kernel. In 50 evaluations
//!   pheromone alone hardly leaves chance: of what Kernel Tuner has measured of three kernels on nine GPUs, 15
//!   pairs in all, 60 seeds come to 81.4 % of the best by chance, to 84.6 without local search, and to 89.0 with it
//!   (`examples/replay_spaces.rs`, `--paths all --seeds 60 --evaluations 50`).
//! - A space may know paths that are sane ([`initial_paths`](crate::Decisions::initial_paths)): these are the first
//!   ants'.
//! - What failed deposits nothing. No path is proposed twice: an ant that comes to the end of one begins anew, and
//!   is led to another one after some tries.

mod colony;
mod graph;
mod metrics;
mod neighbour;
mod parts;
#[cfg(test)]
mod tests;
mod tree;

pub use self::colony::AntColony;

/// The settings of a colony, the paper's by default.
///
/// The extensions can be turned off one by one, to see what each of them brings.
///
/// ```
/// use nitro_search::Ants;
///
/// let without_tree = Ants { tree: false, ..Ants::default() };
/// assert_eq!((without_tree.ants, without_tree.evaporation), (10, 0.1));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ants {
    /// Ants an iteration.
    pub ants: usize,
    /// The share ρ of pheromone that evaporates in an iteration, and is deposited.
    pub evaporation: f64,
    /// The least and most pheromone of an option.
    pub bounds: (f64, f64),
    /// The exponent α of the pheromone.
    pub pheromone_weight: f64,
    /// The exponent β of the desirability that metrics tell.
    pub desirability_weight: f64,
    /// Lets the fastest path of each part deposit in the part's nodes, fast or slow as it was elsewhere.
    pub part_updates: bool,
    /// Lets metrics tell what is desirable.
    pub metrics: bool,
    /// Lets a regression tree over what was evaluated filter the options.
    pub tree: bool,
    /// Lets an ant join the best of all parts once a part has a new best.
    pub recombination: bool,
    /// Lets most ants look near the best so far, once there is one: they change one choice of each part.
    pub local_search: bool,
}

impl Default for Ants {
    fn default() -> Self {
        Self {
            ants: 10,
            evaporation: 0.1,
            bounds: (0.05, 0.95),
            pheromone_weight: 1.0,
            desirability_weight: 1.0,
            part_updates: true,
            metrics: true,
            tree: true,
            recombination: true,
            local_search: true,
        }
    }
}

impl Ants {
    /// Returns how many ants of an iteration walk by pheromone, not near the best so far.
    fn explorers(&self) -> usize {
        if self.local_search { self.ants.div_ceil(3) } else { self.ants }
    }

    /// Returns the settings without any of the extensions: pheromone alone.
    #[must_use]
    pub fn base() -> Self {
        Self {
            part_updates: false,
            metrics: false,
            tree: false,
            recombination: false,
            local_search: false,
            ..Self::default()
        }
    }
}
