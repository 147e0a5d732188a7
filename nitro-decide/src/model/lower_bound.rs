//! A lower limit of the time of everything inside a state.

use super::reasons::Reasons;
use super::spreads::{Least, State};
use super::terms::TimeTerm;
use super::time_bound::TimeBound;
use crate::branch::LowerBound;
use crate::candidate::{Candidate, ChoiceId, Values};

impl TimeBound {
    /// Returns the reasons for which nothing inside a state takes less.
    #[must_use]
    pub fn reasons(&self, candidate: &Candidate) -> Reasons {
        Reasons::of(self, candidate, self.least(candidate).as_ref())
    }

    /// Returns the least time of the statement that says most.
    ///
    /// Statements run one after the other or at once: in both cases the kernel takes as long as each of them. Where
    /// some compute, the others are with them in what is used.
    fn least(&self, candidate: &Candidate) -> Option<Least> {
        let state = State::new(self, candidate);
        let mains = self.works().iter().filter(|work| work.computes).count().max(1).min(self.works().len());
        let all = (0..mains).map(|main| state.least_of(main));
        all.max_by(|one, other| one.ns().total_cmp(&other.ns()))
    }
}

impl LowerBound for TimeBound {
    fn bound_ns(&self, candidate: &Candidate) -> f64 {
        self.least(candidate).map_or(0.0, |least| least.ns())
    }

    fn explain(&self, candidate: &Candidate) -> String {
        self.reasons(candidate).to_string()
    }

    fn limit(&self, candidate: &Candidate) -> Option<&'static str> {
        let least = self.least(candidate)?;
        let times = TimeTerm::ALL.into_iter().zip(least.times);
        times.max_by(|one, other| one.1.total_cmp(&other.1)).map(|(term, _)| term.name())
    }

    fn parts(&self, candidate: &Candidate, choice: ChoiceId) -> Vec<Values> {
        self.nesting().parts(candidate, choice)
    }

    /// Puts sizes and kinds around the statements with the most work first, since the bound looks at these.
    ///
    /// Then come memories and layouts, then whatever is open.
    fn order(&self, candidate: &Candidate, most: usize) -> Vec<ChoiceId> {
        let dimensions = self.works().iter().flat_map(|work| &work.dimensions);
        let loops = dimensions.flat_map(|dimension| self.nesting().loops_of(dimension.position));
        let of_loops = loops.flat_map(|at| [self.nesting().loops[at].size, self.nesting().loops[at].kind]);
        let nesting = self.nesting();
        let first =
            of_loops.chain(nesting.memory.iter().copied()).chain(nesting.layouts.iter().flatten().copied());
        let is_open = |choice: &ChoiceId| candidate.values(*choice).len() > 1;
        let mut found = Vec::new();
        for choice in first.filter(is_open).chain(candidate.open()) {
            if found.len() == most {
                break;
            }
            if !found.contains(&choice) {
                found.push(choice);
            }
        }
        found
    }
}
