//! Places that a patch changes, and whether cases show all that is done there.
//!
//! Two programs may leave the same in all cases since nobody comes to where they differ.

use std::collections::HashSet;
use std::sync::Arc;

use nitro_ptx::emulate::{Emulator, Fault, Guards, Options, Races, Shown};
use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::case;
use crate::deadline::Deadline;
use crate::workload::Inputs;

/// The beginnings of opcodes for which the threads of a block wait.
const BARRIERS: [&str; 4] = ["bar.sync", "bar.red", "bar.arrive", "barrier."];

/// The instructions that one of two programs has alone in a place, and what cases show of them.
pub(super) struct Changes<'a> {
    /// The two programs.
    pub(super) programs: [&'a Arc<Emulator>; 2],
    guards: [Guards; 2],
    /// The positions of each program's own instructions, with true for those that the other program has elsewhere.
    own: [Vec<(usize, bool)>; 2],
}

/// What whole cases have shown of the original, instruction by instruction.
#[derive(Default)]
pub(super) struct Hidden(Vec<(String, bool)>);

impl Hidden {
    /// Keeps what was noted.
    pub(super) fn of(guards: &Guards) -> Self {
        let is_hidden = |shown: &Shown<'_>| !shown.both_ways || !shown.varies;
        Self(guards.shown().map(|shown| (shown.text.to_owned(), is_hidden(&shown))).collect())
    }

    /// Tells whether a patched program differs at, or right behind, an instruction of which not all was shown.
    pub(super) fn is_changed(&self, patched: &Guards) -> bool {
        let before: Vec<&str> = self.0.iter().map(|(text, _)| text.as_str()).collect();
        let after: Vec<&str> = patched.shown().map(|shown| shown.text).collect();
        let ops = capture_diff_slices(Algorithm::Myers, &before, &after);
        let mut changed = ops.iter().filter(|op| op.tag() != DiffTag::Equal).map(|op| op.old_range());
        changed
            .any(|old| self.0[old.start.saturating_sub(1)..old.end].iter().any(|(_, is_hidden)| *is_hidden))
    }
}

impl<'a> Changes<'a> {
    /// Compares two programs, with what notes the outcomes of each.
    pub(super) fn new(programs: [&'a Arc<Emulator>; 2], guards: [Guards; 2]) -> Self {
        let texts =
            guards.each_ref().map(|guards| guards.shown().map(|shown| shown.text).collect::<Vec<_>>());
        let mut differing = [Vec::new(), Vec::new()];
        for op in capture_diff_slices(Algorithm::Myers, &texts[0], &texts[1]) {
            if op.tag() != DiffTag::Equal {
                differing[0].extend(op.old_range());
                differing[1].extend(op.new_range());
            }
        }
        let of = |program: usize| differing[program].iter().map(|&at| texts[program][at]).collect();
        let others: [HashSet<&str>; 2] = [of(1), of(0)];
        let mut own = [0, 1].map(|program| {
            let moved = |&at: &usize| (at, others[program].contains(texts[program][at]));
            differing[program].iter().map(moved).collect::<Vec<_>>()
        });
        drop(others);
        drop(texts);
        own[0] = with_what_barriers_order(&guards[0], std::mem::take(&mut own[0]));
        Self { programs, guards, own }
    }

    /// Runs both programs in a case, for at most so many instructions. Returns the first fault.
    pub(super) fn run(
        &mut self,
        inputs: &Inputs,
        max_instructions: u64,
        until: Deadline,
    ) -> Result<(), Fault> {
        let options = Options {
            races: Races::Ignored,
            max_instructions,
            deadline: until.moment(),
            ..Options::default()
        };
        for (program, guards) in self.programs.iter().zip(&mut self.guards) {
            case::run_guarded(program, self.programs[0], inputs, options, Some(guards))?;
        }
        Ok(())
    }

    /// Returns the first changed instruction of which cases have not shown all that it does.
    ///
    /// What is only somewhere else computes the same there.
    pub(super) fn not_shown(&self) -> Option<&str> {
        self.all_hidden().next()
    }

    /// Returns the number of those instructions.
    pub(super) fn hidden(&self) -> usize {
        self.all_hidden().count()
    }

    fn all_hidden(&self) -> impl Iterator<Item = &str> {
        self.guards.iter().zip(&self.own).flat_map(|(guards, own)| {
            let mut own = own.iter().peekable();
            let hidden = guards.shown().enumerate().filter(move |(at, Shown { both_ways, varies, .. })| {
                let changed = own.next_if(|(own, _)| own == at);
                changed.is_some_and(|(_, is_moved)| !both_ways || !varies && !is_moved)
            });
            hidden.map(|(_, shown)| shown.text)
        })
    }
}

/// Returns the changed instructions, and for each barrier of blocks among them all of its function, as if these only
/// stood elsewhere.
///
/// What a barrier orders are the accesses before and behind it. As long as cases have not come to all of these, that
/// nothing races without it says nothing.
fn with_what_barriers_order(guards: &Guards, own: Vec<(usize, bool)>) -> Vec<(usize, bool)> {
    let shown: Vec<Shown<'_>> = guards.shown().collect();
    let barriers = own.iter().filter(|(at, _)| BARRIERS.iter().any(|name| shown[*at].text.contains(name)));
    let functions: HashSet<usize> = barriers.map(|(at, _)| shown[*at].function).collect();
    let mut changed = own.into_iter().peekable();
    let mut all = Vec::new();
    for (at, shown) in shown.iter().enumerate() {
        let own = changed.next_if(|(own, _)| *own == at);
        all.extend(own.or_else(|| functions.contains(&shown.function).then_some((at, true))));
    }
    all
}
