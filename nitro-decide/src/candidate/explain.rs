//! Explanations: the decisions and rules that took values away, back to the beginning.

use std::fmt;

use super::problem::{ChoiceId, RuleId};
use super::rule::Within;
use super::state::{Cause, Partial};
use super::values::Values;

/// An explanation of why values are gone, from the first cause to the last. The decisions in it, made alone, take
/// them away too. [`Partial::explain`] gives one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// The values that went, in that order.
    pub steps: Vec<Removed>,
}

/// Values that went together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
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

impl fmt::Display for Removed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// Walks the removals backwards: what is asked about, then what the rules looked at that took it.
pub(super) fn explain(state: &Partial, choice: ChoiceId, values: Values) -> Explanation {
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
        steps.push(Removed { choice: removal.choice, values: wanted, by, text });
    }
    steps.reverse();
    Explanation { steps }
}

fn text(state: &Partial, choice: ChoiceId, values: Values, by: Reason) -> String {
    let problem = state.problem();
    match by {
        Reason::Decision(within) => format!("decided: {}", problem.show_within(within)),
        Reason::Rule(rule) => {
            let gone = problem.show_within(Within { choice, values });
            format!("not {gone}, by {}", problem.show(rule))
        }
    }
}
