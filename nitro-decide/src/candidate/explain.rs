//! Explanations: the decisions and rules that took values away, back to the beginning.

use std::fmt;

use super::ids::{ChoiceId, RuleId};
use super::rule::Within;
use super::state::{Candidate, Cause, Conflict};
use super::values::Values;

/// An explanation of why values are gone, from the first cause to the last. The decisions in it, made alone, take
/// them away too. [`Candidate::explain`] gives one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// The values that went, in that order.
    pub steps: Vec<Removal>,
}

/// Values that went together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// The choice that had them.
    pub choice: ChoiceId,
    /// The values.
    pub values: Values,
    /// The decision or rule that took them.
    pub by: Reason,
    text: String,
}

/// The reason for which values went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Somebody decided that the choice is within these.
    Decision(Within),
    /// They contradict this rule.
    Rule(RuleId),
}

impl Explanation {
    /// The decisions that it goes back to, in the order in which they were made.
    pub fn decisions(&self) -> impl Iterator<Item = Within> + '_ {
        self.steps.iter().filter_map(|step| match step.by {
            Reason::Decision(within) => Some(within),
            Reason::Rule(_) => None,
        })
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.steps.iter().enumerate() {
            let end = if at == 0 { "" } else { "\n" };
            write!(formatter, "{end}{step}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Removal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl Candidate {
    /// Explains by which decisions and rules a value went; `None` while it is open, or if the choice has none of it.
    #[must_use]
    pub fn explain(&self, choice: ChoiceId, value: usize) -> Option<Explanation> {
        let gone = self.problem().all(choice).without(self.values(choice));
        gone.has(value).then(|| explain(self, choice, Values::of([value])))
    }
}

impl Conflict {
    /// Explains by which decisions and rules all its values went.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use nitro_decide::{Candidate, Problem, Rule, Values};
    ///
    /// let mut problem = Problem::default();
    /// let one = problem.numbers("a", [1, 2])?;
    /// let other = problem.numbers("b", [1, 2])?;
    /// problem.rule("alike", Rule::Equal(one, other))?;
    /// let mut candidate = Candidate::new(Arc::new(problem))?;
    /// candidate.restrict(one, Values::of([0]))?;
    /// let conflict = candidate.restrict(other, Values::of([1])).unwrap_err();
    /// assert_eq!(conflict.explain().decisions().count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn explain(&self) -> Explanation {
        match self.choice() {
            Some(choice) => explain(&self.state, choice, self.state.problem().all(choice)),
            None => Explanation::default(),
        }
    }
}

/// Walks the removals backwards: what is asked about, then what the rules looked at that took it.
fn explain(state: &Candidate, choice: ChoiceId, values: Values) -> Explanation {
    let problem = state.problem();
    let mut asked = vec![Values::NONE; problem.choices.len()];
    asked[choice.0] = values;
    let mut steps = Vec::new();
    for removal in state.trail.iter().rev() {
        let wanted = removal.gone.and(asked[removal.choice.0]);
        if wanted.is_empty() {
            continue;
        }
        let by = match removal.cause {
            Cause::Decision(decision) => Reason::Decision(state.decisions()[decision]),
            Cause::Rule(rule) => {
                let named = &problem.rules[rule];
                for &other in named.scope.iter().filter(|&&other| other != removal.choice) {
                    asked[other.0] = asked[other.0].or(named.rule.moved_by(other));
                }
                Reason::Rule(RuleId(rule))
            }
        };
        let text = text(state, removal.choice, wanted, by);
        steps.push(Removal { choice: removal.choice, values: wanted, by, text });
    }
    steps.reverse();
    Explanation { steps }
}

fn text(state: &Candidate, choice: ChoiceId, values: Values, by: Reason) -> String {
    let problem = state.problem();
    match by {
        Reason::Decision(within) => format!("decided: {}", problem.show_within(within)),
        Reason::Rule(rule) => {
            let gone = problem.show_within(Within { choice, values });
            format!("not {gone}, by {}", problem.show(rule))
        }
    }
}
