//! The repair of drafts that a stage before the test has refused.

use crate::draft::Draft;
use crate::error::EvolveError;
use crate::finding::{Finding, Undone};
use crate::findings::Findings;
use crate::repair::Rehearsal;

impl Findings<'_, '_, '_> {
    /// Repairs what was refused before the test, the fastest first, as long as nothing accepted is as good.
    pub(crate) fn repair_all(&mut self) -> Result<(), EvolveError> {
        while let Some(at) = self.next_to_repair() {
            self.repair(at)?;
        }
        Ok(())
    }

    /// Returns the position of the fastest draft that is to be repaired: a stage before the test has refused it, and
    /// nothing that is accepted is as fast and as exact.
    fn next_to_repair(&self) -> Option<usize> {
        let is_left = |at: &usize| {
            let draft = &self.drafts[*at];
            let is_asked_for = draft.is_refused_before_test() && !draft.is_repaired;
            is_asked_for && !self.drafts.iter().any(|other| other.is_accepted_instead_of(draft))
        };
        let left = (0..self.drafts.len()).filter(is_left);
        left.min_by(|&one, &other| self.drafts[one].time_ns().total_cmp(&self.drafts[other].time_ns()))
    }

    /// Repairs a patch that was refused before the test, in half of the time that is left. What is left of it is tested
    /// in its place.
    fn repair(&mut self, at: usize) -> Result<(), EvolveError> {
        self.limit(2);
        self.drafts[at].is_repaired = true;
        self.minimiser.finalist = self.drafts[at].finalist;
        let repaired = match self.is_late() {
            true => None,
            false => self.minimiser.repaired(&self.drafts[at].rehearsal)?,
        };
        match repaired {
            Some(repaired) => self.replace(at, repaired)?,
            None if self.is_late() => self.drafts[at].finding.undone.push(Undone::Repaired),
            None => {}
        }
        Ok(())
    }

    /// Puts what is left of a refused patch in its place, and has it tested unless that was done.
    fn replace(&mut self, at: usize, repaired: Rehearsal) -> Result<(), EvolveError> {
        let Draft { finalist, ref finding, .. } = self.drafts[at];
        let origin = finding.origin.clone();
        let finding =
            Finding { origin, ..self.finding(&self.finalists[finalist], &repaired.candidate.edits) };
        let twin = self.drafts.iter().position(|draft| draft.finding.patch == finding.patch);
        if let Some(twin) = twin.filter(|&twin| !self.drafts[twin].is_refused_before_test()) {
            // The inputs of the test are run once.
            let Draft { finding, rehearsal, .. } = &mut self.drafts[twin];
            if rehearsal.dropped.is_empty() {
                finding.dropped.clone_from(&repaired.dropped);
                rehearsal.dropped = repaired.dropped;
            }
            self.drafts.swap(at.min(twin), twin);
            self.drafts.remove(at.max(twin));
            return self.keep_all();
        }
        self.drafts[at] =
            Draft { finding, finalist, rehearsal: repaired, is_checked: true, is_repaired: true };
        self.limit(1);
        self.judge(at)
    }
}
