//! Instructions at which threads meet.

use super::operands::Reading;
use crate::emulate::op::{Barrier, Collective, Reduce, SINK, Shuffle, Source, Together, Vote, What};
use crate::emulate::types::Type;

const NUMBER: Type = Type::Unsigned(4);

impl Reading<'_, '_> {
    pub(super) fn barrier(&self) -> Result<What, String> {
        let is_aligned = self.name == "bar" || self.has("aligned");
        let given = self.instruction.operands.len();
        let optional = |at: usize| (at < given).then(|| self.source(at, NUMBER)).transpose();
        if !self.has("red") {
            let number = optional(0)?.unwrap_or(Source::Constant(0));
            let (count, waits) = (optional(1)?, !self.has("arrive"));
            return Ok(What::Barrier(Box::new(Barrier { number, count, waits, is_aligned, vote: None })));
        }
        let vote = match *self
            .parts
            .iter()
            .find(|part| matches!(**part, "popc" | "and" | "or"))
            .ok_or("it has no operation")?
        {
            "popc" => Vote::Count,
            "and" => Vote::All,
            _ => Vote::Any,
        };
        let (predicate, negated) = self.predicate(given - 1)?;
        let count = if given == 4 { optional(2)? } else { None };
        let vote = Some((vote, predicate, negated, self.target(0)?));
        Ok(What::Barrier(Box::new(Barrier {
            number: self.source(1, NUMBER)?,
            count,
            waits: true,
            is_aligned,
            vote,
        })))
    }

    pub(super) fn collective(&self) -> Result<What, String> {
        let is_old = !self.has("sync");
        let mask = |at: usize| (!is_old).then(|| self.source(at, NUMBER)).transpose();
        let zero = Source::Constant(0);
        let (what, from, to, mask) = match self.name {
            "bar" => (Together::Wait, [zero; 3], [SINK; 2], mask(0)?),
            "shfl" => {
                let from = [self.source(1, Type::Bits(4))?, self.source(2, NUMBER)?, self.source(3, NUMBER)?];
                (Together::Shuffle(self.shuffle()?), from, self.targets(0)?, mask(4)?)
            }
            "vote" => {
                let (predicate, negated) = self.predicate(1)?;
                let what = Together::Vote(self.vote()?, negated);
                (what, [predicate, zero, zero], [self.target(0)?, SINK], mask(2)?)
            }
            "match" => {
                let kind = self.kind()?;
                let from = [self.source(1, kind)?, zero, zero];
                let bytes = kind.bytes();
                let what =
                    if self.has("any") { Together::MatchAny(bytes) } else { Together::MatchAll(bytes) };
                (what, from, self.targets(0)?, mask(2)?)
            }
            "redux" => {
                let from = [self.source(1, self.kind()?)?, zero, zero];
                (Together::Reduce(self.reduce()?), from, [self.target(0)?, SINK], mask(2)?)
            }
            _ => (Together::Elect, [zero; 3], self.targets(0)?, mask(1)?),
        };
        let meets = nitro_core::Artifact::of(&self.instruction.opcode).digest();
        Ok(What::Collective(Box::new(Collective { what, from, to, mask, meets })))
    }

    /// What comes after `.sync`, which older forms do not have.
    fn mode_part(&self) -> Option<&&str> {
        self.parts.iter().find(|part| **part != "sync")
    }

    fn shuffle(&self) -> Result<Shuffle, String> {
        match self.mode_part() {
            Some(&"up") => Ok(Shuffle::Up),
            Some(&"down") => Ok(Shuffle::Down),
            Some(&"bfly") => Ok(Shuffle::Across),
            Some(&"idx") => Ok(Shuffle::Index),
            _ => Err("its mode is not known".to_owned()),
        }
    }

    fn vote(&self) -> Result<Vote, String> {
        match self.mode_part() {
            Some(&"all") => Ok(Vote::All),
            Some(&"any") => Ok(Vote::Any),
            Some(&"uni") => Ok(Vote::Uniform),
            Some(&"ballot") => Ok(Vote::Ballot),
            _ => Err("its mode is not known".to_owned()),
        }
    }

    fn reduce(&self) -> Result<Reduce, String> {
        let is_signed = match self.kind()? {
            Type::Signed(4) => true,
            Type::Unsigned(4) | Type::Bits(4) => false,
            _ => return Err("it is not known with this type".to_owned()),
        };
        match self.mode_part() {
            Some(&"add") => Ok(Reduce::Add),
            Some(&"and") => Ok(Reduce::And),
            Some(&"or") => Ok(Reduce::Or),
            Some(&"xor") => Ok(Reduce::Xor),
            Some(&"min") => Ok(if is_signed { Reduce::MinSigned } else { Reduce::MinUnsigned }),
            Some(&"max") => Ok(if is_signed { Reduce::MaxSigned } else { Reduce::MaxUnsigned }),
            _ => Err("its operation is not known".to_owned()),
        }
    }
}
