//! Choices and rules, as data.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::ids::{ChoiceId, RuleId};
use super::rule::{Rule, Within};
use super::values::Values;

/// The values that a choice has at first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Universe {
    /// Names, such as kinds of a loop.
    Labels(Vec<String>),
    /// Numbers, such as sizes of a tile.
    Numbers(Vec<u64>),
}

impl Universe {
    fn len(&self) -> usize {
        match self {
            Self::Labels(labels) => labels.len(),
            Self::Numbers(numbers) => numbers.len(),
        }
    }
}

/// Choices and rules over them, as data.
///
/// ```
/// use nitro_decide::{Problem, Rule, Values, Within};
///
/// let mut problem = Problem::default();
/// let kind = problem.labels("kind of i", ["plain", "thread"])?;
/// let size = problem.numbers("size of i", [1, 32])?;
/// let threads = problem.named(kind, &["thread"])?;
/// let rule = Rule::Clause { when: vec![threads], then: Within { choice: size, values: Values::of([1]) } };
/// let rule = problem.rule("threads are many", rule)?;
/// assert_eq!(
///     problem.show(rule).to_string(),
///     "threads are many: if kind of i is thread then size of i is 32",
/// );
/// # Ok::<(), nitro_decide::ProblemError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Problem {
    pub(super) choices: Vec<Arc<Choice>>,
    pub(super) rules: Vec<Arc<NamedRule>>,
    /// For each choice the rules that look at it.
    pub(super) watchers: Vec<Vec<usize>>,
}

#[derive(Debug)]
pub(super) struct Choice {
    pub(super) name: String,
    pub(super) universe: Universe,
}

#[derive(Debug)]
pub(super) struct NamedRule {
    pub(super) name: String,
    pub(super) rule: Rule,
    pub(super) scope: Vec<ChoiceId>,
}

/// The reason for which a choice or a rule is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// A choice has 1 to 64 values, each once.
    #[error("{0} has {1} values, or one twice: a choice has 1 to 64, each once")]
    Values(String, usize),
    /// A label that the choice does not have.
    #[error("{0} has no value that is called {1}")]
    Label(String, String),
    /// A rule over a choice of another problem, or over values that the choice does not have.
    #[error("the rule {0} is about a choice or a value that the problem does not have")]
    Unknown(String),
    /// A size is a number.
    #[error("the rule {0} counts with {1}, whose values are no numbers")]
    NoNumber(String, String),
    /// A table is over as many choices as its relation.
    #[error(
        "the table {0} does not fit its choices: there are one to three, each once, \
         with as many values as the relation says"
    )]
    Table(String),
}

impl Problem {
    /// Adds a choice between names.
    ///
    /// # Errors
    /// Unless there are 1 to 64, each once.
    pub fn labels<L: Into<String>>(
        &mut self,
        name: impl Into<String>,
        labels: impl IntoIterator<Item = L>,
    ) -> Result<ChoiceId, ProblemError> {
        let labels: Vec<String> = labels.into_iter().map(Into::into).collect();
        let distinct = labels.iter().collect::<BTreeSet<_>>().len();
        self.add(name.into(), distinct, Universe::Labels(labels))
    }

    /// Adds a choice between numbers.
    ///
    /// # Errors
    /// Unless there are 1 to 64, each once.
    pub fn numbers(
        &mut self,
        name: impl Into<String>,
        numbers: impl IntoIterator<Item = u64>,
    ) -> Result<ChoiceId, ProblemError> {
        let numbers: Vec<u64> = numbers.into_iter().collect();
        let distinct = numbers.iter().collect::<BTreeSet<_>>().len();
        self.add(name.into(), distinct, Universe::Numbers(numbers))
    }

    fn add(&mut self, name: String, distinct: usize, universe: Universe) -> Result<ChoiceId, ProblemError> {
        let values = universe.len();
        if distinct != values || !(1..=Values::MOST).contains(&values) {
            return Err(ProblemError::Values(name, values));
        }
        self.choices.push(Arc::new(Choice { name, universe }));
        self.watchers.push(Vec::new());
        Ok(ChoiceId(self.choices.len() - 1))
    }

    /// Adds a rule, with a name for people.
    ///
    /// # Errors
    /// When it is about what the problem does not have, or counts with what is no number.
    pub fn rule(&mut self, name: impl Into<String>, rule: Rule) -> Result<RuleId, ProblemError> {
        let name = name.into();
        self.check(&rule, &name)?;
        let scope = rule.scope();
        let id = self.rules.len();
        scope.iter().for_each(|choice| self.watchers[choice.0].push(id));
        self.rules.push(Arc::new(NamedRule { name, rule, scope }));
        Ok(RuleId(id))
    }

    /// Checks that a rule is about choices of this problem, in ways that these have.
    fn check(&self, rule: &Rule, name: &str) -> Result<(), ProblemError> {
        if rule.scope().iter().any(|choice| choice.0 >= self.choices.len()) {
            return Err(ProblemError::Unknown(name.to_owned()));
        }
        if rule.conditions().iter().any(|within| !within.values.within(self.all(within.choice))) {
            return Err(ProblemError::Unknown(name.to_owned()));
        }
        if let Rule::Table { choices, allowed } = rule {
            let sizes: Vec<usize> = choices.iter().map(|&choice| self.all(choice).len()).collect();
            if sizes != allowed.sizes || rule.scope().len() != choices.len() {
                return Err(ProblemError::Table(name.to_owned()));
            }
        }
        match rule.sizes().into_iter().find(|&choice| self.number(choice, 0).is_none()) {
            Some(choice) => Err(ProblemError::NoNumber(name.to_owned(), self.name(choice).to_owned())),
            None => Ok(()),
        }
    }

    /// "This choice has one of these names".
    ///
    /// # Errors
    /// When it does not have one of them.
    pub fn named(&self, choice: ChoiceId, labels: &[&str]) -> Result<Within, ProblemError> {
        let mut values = Values::NONE;
        for &label in labels {
            let found = match self.universe(choice) {
                Universe::Labels(labels) => labels.iter().position(|own| own == label),
                Universe::Numbers(numbers) => numbers.iter().position(|own| own.to_string() == label),
            };
            let Some(value) = found else {
                return Err(ProblemError::Label(self.name(choice).to_owned(), label.to_owned()));
            };
            values = values.or(Values::of([value]));
        }
        Ok(Within { choice, values })
    }

    /// The choices, in the order in which they were added.
    pub fn choices(&self) -> impl Iterator<Item = ChoiceId> + use<> {
        (0..self.choices.len()).map(ChoiceId)
    }

    /// The rules, in the order in which they were added.
    pub fn rules(&self) -> impl Iterator<Item = RuleId> + use<> {
        (0..self.rules.len()).map(RuleId)
    }

    /// The rule itself, as data.
    #[must_use]
    pub fn get(&self, rule: RuleId) -> &Rule {
        &self.rules[rule.0].rule
    }

    /// Returns the name of a choice.
    #[must_use]
    pub fn name(&self, choice: ChoiceId) -> &str {
        &self.choices[choice.0].name
    }

    /// The values that a choice has at first.
    #[must_use]
    pub fn universe(&self, choice: ChoiceId) -> &Universe {
        &self.choices[choice.0].universe
    }

    /// All values of a choice.
    #[must_use]
    pub fn all(&self, choice: ChoiceId) -> Values {
        Values::first(self.universe(choice).len())
    }

    /// A value as people write it.
    #[must_use]
    pub fn value_name(&self, choice: ChoiceId, value: usize) -> String {
        match self.universe(choice) {
            Universe::Labels(labels) => labels[value].clone(),
            Universe::Numbers(numbers) => numbers[value].to_string(),
        }
    }

    /// A value as a number, where it is one.
    #[must_use]
    pub fn number(&self, choice: ChoiceId, value: usize) -> Option<u64> {
        match self.universe(choice) {
            Universe::Labels(_) => None,
            Universe::Numbers(numbers) => numbers.get(value).copied(),
        }
    }
}
