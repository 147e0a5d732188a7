//! Spaces whose decisions depend on one another.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::key::{NodeKey, Part};

/// A space whose decisions depend on one another.
///
/// ```
/// use nitro_search::{Crossing, Decision, Decisions, NodeKey, Step};
///
/// /// Two kernels in either order, each with a block size.
/// struct Kernels;
///
/// impl Decisions for Kernels {
///     fn next(&self, path: &[Crossing]) -> Step {
///         // The first choice says which kernel is first, and what follows from it is followed.
///         let first = path.first().map(|crossing| crossing.option as u32);
///         match (first, path.len()) {
///             (None, _) => Step::Choose(Decision::new(NodeKey::new("first").statements([0, 1]), 2)),
///             (Some(first), passed @ (1 | 2)) => {
///                 let kernel = if passed == 1 { first } else { 1 - first };
///                 let key = NodeKey::new("block").statements([kernel]);
///                 Step::Choose(Decision::new(key, 4).part(format!("kernel {kernel}")))
///             }
///             _ => Step::Complete,
///         }
///     }
/// }
///
/// let Step::Choose(decision) = Kernels.next(&[]) else { panic!("something is to be chosen") };
/// assert_eq!(decision.key.to_string(), "first{0,1}");
/// ```
pub trait Decisions: Sync {
    /// Returns the step after these choices, the same for the same choices.
    ///
    /// Each step shrinks what remains or raises the level: no path has more than [`longest`](Self::longest) choices.
    fn next(&self, path: &[Crossing]) -> Step;

    /// Returns the most choices of a path; one that has more is an error of the space, which would go on forever.
    fn longest(&self) -> usize {
        1000
    }

    /// Returns paths that are known to be sane, best first.
    ///
    /// A colony and a genetic algorithm begin with them, before they draw others. None, unless a space says
    /// otherwise. What of a path is not allowed is left for the nearest that is.
    fn initial_paths(&self) -> Vec<Path> {
        Vec::new()
    }

    /// Returns what these choices have settled, as numbers by name: what a regression tree may split by, and keep to
    /// (section 6.3). An attribute appears with the choice after which it cannot change any more, such as the
    /// product of all unroll factors of a statement with the last of them.
    ///
    /// Unless a space says otherwise it is which option was chosen at each node, of a node that was come to again
    /// each time.
    fn attributes(&self, path: &[Crossing]) -> Attributes {
        let mut found = Attributes::new();
        for crossing in path {
            let name = crossing.node.to_string();
            let again = (2..).map(|times| format!("{name}#{times}"));
            let free = std::iter::once(name.clone()).chain(again).find(|name| !found.contains_key(name));
            found.extend(free.map(|name| (name, crossing.option as f64)));
        }
        found
    }
}

impl<D: Decisions + ?Sized> Decisions for &D {
    fn next(&self, path: &[Crossing]) -> Step {
        (**self).next(path)
    }

    fn longest(&self) -> usize {
        (**self).longest()
    }

    fn initial_paths(&self) -> Vec<Path> {
        (**self).initial_paths()
    }

    fn attributes(&self, path: &[Crossing]) -> Attributes {
        (**self).attributes(path)
    }
}

/// Attributes of a path, by name.
pub type Attributes = BTreeMap<String, f64>;

/// The step after a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// One of several options is to be chosen.
    Choose(Decision),
    /// Nothing is left to choose.
    Complete,
    /// Nothing can follow, and why: some earlier choice has to be another one.
    DeadEnd(String),
}

/// Something to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The node.
    pub key: NodeKey,
    /// The part of the program, such as a kernel, that it concerns alone.
    pub part: Option<Part>,
    /// For each option of the node whether it may be chosen here.
    pub allowed: Vec<bool>,
}

impl Decision {
    /// Creates a choice among so many options, all of which are allowed.
    #[must_use]
    pub fn new(key: NodeKey, options: usize) -> Self {
        Self { key, part: None, allowed: vec![true; options] }
    }

    /// Keeps the options for which this is true.
    #[must_use]
    pub fn only(mut self, allowed: impl Fn(usize) -> bool) -> Self {
        self.allowed.iter_mut().enumerate().for_each(|(option, own)| *own &= allowed(option));
        self
    }

    /// Adds the part of the program.
    #[must_use]
    pub fn part(mut self, part: impl Into<Part>) -> Self {
        self.part = Some(part.into());
        self
    }
}

/// A choice that was made: a node, and the option taken there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Crossing {
    /// The node where it was made.
    pub node: NodeKey,
    /// The part of the program that the node belongs to.
    pub part: Option<Part>,
    /// The option, from 0.
    pub option: usize,
}

/// A path through [`Decisions`]: the choices, in order.
pub type Path = Vec<Crossing>;
