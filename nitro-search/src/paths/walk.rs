//! Walking a space of decisions to the end of a path, past dead ends, and to paths that were not walked before.

use std::collections::HashMap;

use super::decisions::{Crossing, Decision, Decisions, Step};
use super::key::NodeKey;

/// Most steps of a walk, those back from dead ends included.
const STEPS: usize = 100_000;
/// The number of times that a walk which ends where one ended before is made again before it is led elsewhere.
const TRIES: usize = 20;

/// The reason for which no path is found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WalkError {
    /// The space breaks its promise that every step shrinks what remains.
    #[error(
        "a path of the space has more than {longest} choices, the last at `{key}`: \
         every step has to shrink what remains, or raise the level"
    )]
    Endless {
        /// [`Decisions::longest`].
        longest: usize,
        /// The node where the path was then.
        key: NodeKey,
    },
    /// Every path ends where nothing can follow.
    #[error("no path of the space can be completed; the last one ended because {why}")]
    NoPath {
        /// The reason that the space gave there.
        why: String,
    },
    /// There are so many dead ends that the walk was given up.
    #[error("no complete path was found in {STEPS} steps; the last one ended because {why}")]
    DeadEnds {
        /// The reason that the space gave there.
        why: String,
    },
    /// A node is a choice among so many options always.
    #[error(
        "the node `{key}` had {before} options, and now has {now}: nodes of other options need another key"
    )]
    Options {
        /// The node.
        key: NodeKey,
        /// Options when it was first come to.
        before: usize,
        /// Options now.
        now: usize,
    },
}

/// A guide chooses on a walk.
pub(crate) trait Guide {
    /// Chooses one of the open options, of which there is at least one.
    fn choose(&mut self, path: &[Crossing], decision: &Decision, open: &[usize]) -> Result<usize, WalkError>;
}

/// Walks a path by a rule, which is given the path so far, the decision, and the open options, and returns one.
///
/// From a dead end it goes back to the choice before, whose option is not open any more.
///
/// ```
/// use nitro_search::{Crossing, Decision, NodeKey, Step, complete};
/// # struct Blocks;
/// # impl nitro_search::Decisions for Blocks {
/// #     fn next(&self, path: &[Crossing]) -> Step {
/// #         match path {
/// #             [] => Step::Choose(Decision::new(NodeKey::new("tile"), 3)),
/// #             [tile] if tile.option == 0 => Step::DeadEnd("a tile of 16 has no block".into()),
/// #             [tile] => Step::Choose(Decision::new(NodeKey::new("block"), 4).only(|block| block <= tile.option)),
/// #             _ => Step::Complete,
/// #         }
/// #     }
/// # }
///
/// // `Blocks` are a tile and a block that is no larger; a tile of 16 has none.
/// let smallest = complete(&Blocks, |_, _, open| open[0])?;
/// assert_eq!(smallest.iter().map(|crossing| crossing.option).collect::<Vec<_>>(), [1, 0]);
/// # Ok::<(), nitro_search::WalkError>(())
/// ```
///
/// # Errors
/// When no path of the space can be completed, none is in a bounded number of steps, or the space breaks what
/// [`Decisions`] promises.
///
/// # Panics
/// When the rule's answer is not open.
pub fn complete(
    decisions: &impl Decisions,
    rule: impl FnMut(&[Crossing], &Decision, &[usize]) -> usize,
) -> Result<Vec<Crossing>, WalkError> {
    let path = Walks::default().new_path(decisions, &mut Rule(rule))?;
    Ok(path.unwrap_or_default()) // nothing was found before, so something is
}

struct Rule<F>(F);

impl<F: FnMut(&[Crossing], &Decision, &[usize]) -> usize> Guide for Rule<F> {
    fn choose(&mut self, path: &[Crossing], decision: &Decision, open: &[usize]) -> Result<usize, WalkError> {
        let option = self.0(path, decision, open);
        assert!(open.contains(&option), "option {option} of `{}` is not open", decision.key);
        Ok(option)
    }
}

/// Takes the options of a path, and where one is not open the nearest that is.
pub(crate) struct Follow<'a>(pub(crate) &'a [Crossing]);

impl Guide for Follow<'_> {
    fn choose(&mut self, path: &[Crossing], decision: &Decision, open: &[usize]) -> Result<usize, WalkError> {
        let wanted =
            self.0.get(path.len()).filter(|own| own.node == decision.key).map_or(0, |own| own.option);
        Ok(open.iter().copied().min_by_key(|option| option.abs_diff(wanted)).unwrap_or_default())
    }
}

/// The ends that earlier walks have found: where no path goes on, and where none goes on that is new.
#[derive(Default)]
pub(crate) struct Walks {
    /// By the options chosen so far, which tell paths apart.
    ended: HashMap<Vec<usize>, End>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Nothing can follow.
    Dead,
    /// All that can follow was found before.
    Seen,
}

/// A walk under way.
#[derive(Default)]
struct Walk {
    path: Vec<Crossing>,
    options: Vec<usize>,
    /// For each choice what else was allowed there.
    allowed: Vec<Vec<bool>>,
}

impl Walks {
    /// Finds a path that was not found before, and is not found again; none when there is no more.
    pub(crate) fn new_path(
        &mut self,
        decisions: &dyn Decisions,
        guide: &mut dyn Guide,
    ) -> Result<Option<Vec<Crossing>>, WalkError> {
        for only_new in std::iter::repeat_n(false, TRIES).chain([true]) {
            if self.ended.get(&[][..]) == Some(&End::Seen) {
                return Ok(None);
            }
            let Some(walk) = self.walk(decisions, only_new, guide)? else { return Ok(None) };
            if !self.ended.contains_key(&walk.options) {
                self.end(&walk, End::Seen);
                return Ok(Some(walk.path));
            }
        }
        unreachable!("the last walk keeps to what is new, and of that there is some")
    }

    /// Walks once; none where that ends where an earlier walk did.
    pub(crate) fn try_path(
        &mut self,
        decisions: &dyn Decisions,
        guide: &mut dyn Guide,
    ) -> Result<Option<Vec<Crossing>>, WalkError> {
        let walk = self.walk(decisions, false, guide)?;
        let Some(walk) = walk.filter(|walk| !self.ended.contains_key(&walk.options)) else { return Ok(None) };
        self.end(&walk, End::Seen);
        Ok(Some(walk.path))
    }

    /// Walks to the end of a path, back from every dead end to the choice before.
    ///
    /// None where everything that is not dead was found before.
    fn walk(
        &mut self,
        decisions: &dyn Decisions,
        only_new: bool,
        guide: &mut dyn Guide,
    ) -> Result<Option<Walk>, WalkError> {
        let mut walk = Walk::default();
        let mut why = String::new();
        for _ in 0..STEPS {
            let decision = match decisions.next(&walk.path) {
                Step::Complete => return Ok(Some(walk)),
                Step::DeadEnd(reason) => {
                    why = reason;
                    None
                }
                Step::Choose(decision) => Some(decision),
            };
            let open =
                decision.as_ref().map_or_else(Vec::new, |decision| self.open(&walk, decision, only_new));
            if let Some(decision) = decision.filter(|_| !open.is_empty()) {
                bound(decisions, &walk, &decision)?;
                let option = guide.choose(&walk.path, &decision, &open)?;
                walk.choose(decision, option);
                continue;
            }
            if why.is_empty() {
                why = "no option was allowed".to_owned();
            }
            self.end(&walk, End::Dead);
            match self.ended.get(&[][..]) {
                Some(End::Dead) => return Err(WalkError::NoPath { why }),
                Some(End::Seen) => return Ok(None),
                None => walk.back(),
            }
        }
        Err(WalkError::DeadEnds { why })
    }

    /// Returns the options that lead on.
    fn open(&self, walk: &Walk, decision: &Decision, only_new: bool) -> Vec<usize> {
        let mut prefix = walk.options.clone();
        prefix.push(0);
        let last = prefix.len() - 1;
        let mut open = Vec::new();
        for option in (0..decision.allowed.len()).filter(|&option| decision.allowed[option]) {
            prefix[last] = option;
            let leads_on = match self.ended.get(&prefix) {
                Some(End::Dead) => false,
                Some(End::Seen) => !only_new,
                None => true,
            };
            if leads_on {
                open.push(option);
            }
        }
        open
    }

    /// Remembers how a path ended, and that so did all before it whose other options have ended too.
    ///
    /// Where paths were found before, a walk that keeps to what is new comes to an end, too: these stay found.
    fn end(&mut self, walk: &Walk, end: End) {
        let mut prefix = walk.options.clone();
        let mut end = if self.ended.get(&prefix) == Some(&End::Seen) { End::Seen } else { end };
        self.ended.insert(prefix.clone(), end);
        for allowed in walk.allowed.iter().rev() {
            let last = prefix.len() - 1;
            for option in (0..allowed.len()).filter(|&option| allowed[option]) {
                prefix[last] = option;
                match self.ended.get(&prefix) {
                    Some(End::Seen) => end = End::Seen,
                    Some(End::Dead) => {}
                    None => return,
                }
            }
            prefix.pop();
            self.ended.insert(prefix.clone(), end);
        }
    }
}

impl Walk {
    fn choose(&mut self, decision: Decision, option: usize) {
        self.path.push(Crossing { node: decision.key, part: decision.part, option });
        self.options.push(option);
        self.allowed.push(decision.allowed);
    }

    fn back(&mut self) {
        self.path.pop();
        self.options.pop();
        self.allowed.pop();
    }
}

fn bound(decisions: &dyn Decisions, walk: &Walk, decision: &Decision) -> Result<(), WalkError> {
    let longest = decisions.longest();
    if walk.path.len() < longest {
        return Ok(());
    }
    Err(WalkError::Endless { longest, key: decision.key.clone() })
}
