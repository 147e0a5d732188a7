//! Edits that something speaks for.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use nitro_stats::random::Random;

use super::edit::Operation;

/// An edit that a profile or the text suggests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Proposal {
    /// The reason for it.
    pub reason: Reason,
    /// The operation that is proposed.
    pub operation: Operation,
    /// The register that stands for the results that are missing then; any where there is none.
    pub stands_for: Option<String>,
}

impl Proposal {
    /// For this reason, with whatever register for what is missing then.
    #[must_use]
    pub fn new(reason: Reason, operation: Operation) -> Self {
        Self { reason, operation, stands_for: None }
    }
}

/// A reason for an edit: it held in all executions that were watched, or stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// Another register, or its own, had the result already.
    Known,
    /// A value that it reads was the same number.
    Constant,
    /// A guard said always the same.
    OneWay,
    /// A store changed nothing, or nobody read what it left.
    Store,
    /// Nobody wrote in the same launch what it loads.
    ReadOnly,
    /// Of all that is loaded through a pointer nobody wrote anything in the same launch.
    Pointer,
    /// A barrier without which no threads race; whoever proposes it has looked.
    Barrier,
    /// A barrier at which it is enough to wait for the warp; whoever proposes it has looked.
    Warp,
    /// A branch jumps over a few instructions.
    Branch,
    /// A store is overwritten by the next round of its loop.
    Round,
    /// A load may be made a round ahead.
    Ahead,
    /// Rounds of a loop follow each other, of which several may be one.
    Rounds,
    /// A load comes after stores that it may not need.
    Order,
    /// A load comes after branches or barriers that it may not need.
    Latency,
    /// A load may be the same in each round of a loop.
    Invariant,
    /// A load or store of what stands beside what another one loads or stores.
    Neighbours,
    /// Integers are divided of which none may be negative.
    Sign,
    /// Arithmetic that need not be exact.
    Precision,
    /// Arithmetic that looks for operands which there may not be.
    Special,
    /// A number of registers of which the assembler makes what it can.
    Registers,
    /// Threads of a block that all launches have.
    Block,
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Known => "results that a register has",
            Self::Constant => "constants",
            Self::OneWay => "guards that say always the same",
            Self::Store => "stores that nobody needs",
            Self::ReadOnly => "loads of what nobody writes",
            Self::Pointer => "pointers through which nobody writes",
            Self::Barrier => "barriers without which nothing races",
            Self::Warp => "barriers that a warp is enough for",
            Self::Branch => "branches over a few instructions",
            Self::Round => "stores that the next round of a loop overwrites",
            Self::Ahead => "loads that may be made a round ahead",
            Self::Rounds => "rounds of a loop that follow each other",
            Self::Order => "loads that stores stand before",
            Self::Latency => "loads that branches or barriers stand before",
            Self::Invariant => "loads that each round of a loop repeats",
            Self::Neighbours => "loads and stores of neighbours",
            Self::Sign => "quotients of integers that may have no sign",
            Self::Precision => "arithmetic that may be approximate",
            Self::Special => "quotients and roots of ordinary numbers",
            Self::Registers => "registers of a thread",
            Self::Block => "threads of a block that all launches have",
        })
    }
}

impl fmt::Display for Proposal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.operation)?;
        self.stands_for.as_ref().map_or(Ok(()), |register| write!(formatter, ", {register} stands for it"))
    }
}

/// In so many draws of an edit one is a proposal.
const ONE_IN: usize = 3;

/// Proposals by their reasons, those that reach many places apart, since they are few.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proposals(Vec<Vec<Proposal>>);

impl Proposals {
    pub(crate) fn new(all: impl IntoIterator<Item = Proposal>) -> Self {
        let mut by_reason = BTreeMap::<(Reason, bool), BTreeSet<Proposal>>::new();
        for proposal in all {
            let kind = (proposal.reason, proposal.operation.is_wide());
            by_reason.entry(kind).or_default().insert(proposal);
        }
        Self(by_reason.into_values().map(|proposals| proposals.into_iter().collect()).collect())
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Proposal> {
        self.0.iter().flatten()
    }

    /// Returns one by its number: the first of each kind come first, then the second ones.
    pub(crate) fn in_turn(&self, number: usize) -> Option<&Proposal> {
        let mut left = number;
        for round in 0.. {
            let of_round = self.0.iter().filter(|of_reason| of_reason.len() > round).count();
            if of_round == 0 {
                break;
            }
            if left < of_round {
                return self.0.iter().filter_map(|of_reason| of_reason.get(round)).nth(left);
            }
            left -= of_round;
        }
        None
    }

    /// None where another edit is to be drawn.
    pub(crate) fn draw(&self, random: &mut Random) -> Option<&Proposal> {
        // Without any nothing is drawn.
        if self.0.is_empty() || random.below(ONE_IN) > 0 {
            return None;
        }
        let of_reason = &self.0[random.below(self.0.len())];
        Some(&of_reason[random.below(of_reason.len())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::module::InstructionId;

    #[test]
    fn proposals_come_in_turn_so_that_each_kind_is_there_early() {
        let delete = |reason, at| Proposal::new(reason, Operation::Delete(InstructionId::Base(at)));
        let known = (1..4).map(|at| delete(Reason::Known, at));
        let proposals = Proposals::new(known.chain([delete(Reason::Store, 9)]));
        let in_turn: Vec<&Proposal> = (0..9).map_while(|number| proposals.in_turn(number)).collect();
        let expected = [(Reason::Known, 1), (Reason::Store, 9), (Reason::Known, 2), (Reason::Known, 3)];
        assert_eq!(in_turn, expected.map(|(reason, at)| delete(reason, at)).iter().collect::<Vec<_>>());
    }
}
