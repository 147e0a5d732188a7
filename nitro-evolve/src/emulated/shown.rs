//! Places that a patch changes, and whether cases show all that is done there.
//!
//! Two programs may leave the same in all cases since nobody comes to where they differ.

use std::sync::Arc;

use nitro_ptx::emulate::{Emulator, Guards, Options, Races};
use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::case;
use crate::deadline::Deadline;
use crate::workload::Inputs;

/// The instructions that one of two programs has alone in a place, and what cases show of them.
pub(super) struct Changes<'a> {
    /// The two programs.
    pub(super) programs: [&'a Arc<Emulator>; 2],
    guards: [Guards; 2],
    /// The positions of each program's own instructions.
    own: [Vec<usize>; 2],
}

impl<'a> Changes<'a> {
    /// Compares two programs, with what notes the outcomes of each.
    pub(super) fn new(programs: [&'a Arc<Emulator>; 2], guards: [Guards; 2]) -> Self {
        let texts = guards.each_ref().map(|guards| guards.shown().map(|(text, _)| text).collect::<Vec<_>>());
        let mut own = [Vec::new(), Vec::new()];
        for op in capture_diff_slices(Algorithm::Myers, &texts[0], &texts[1]) {
            if op.tag() != DiffTag::Equal {
                own[0].extend(op.old_range());
                own[1].extend(op.new_range());
            }
        }
        drop(texts);
        Self { programs, guards, own }
    }

    /// Runs both programs in a case. What they do until a fault counts.
    pub(super) fn run(&mut self, inputs: &Inputs, until: Deadline) {
        let options = Options { races: Races::Ignored, deadline: until.moment(), ..Options::default() };
        for (program, guards) in self.programs.iter().zip(&mut self.guards) {
            // Whoever compares the results finds the fault.
            _ = case::run_guarded(program, self.programs[0], inputs, options, Some(guards));
        }
    }

    /// Returns the first changed instruction of which cases have not shown all that it does.
    pub(super) fn not_shown(&self) -> Option<&str> {
        self.guards.iter().zip(&self.own).find_map(|(guards, own)| {
            let mut own = own.iter().peekable();
            let mut all = guards.shown().enumerate();
            let hidden = all.find(|(at, (_, is_shown))| own.next_if_eq(&at).is_some() && !is_shown);
            hidden.map(|(_, (text, _))| text)
        })
    }
}
