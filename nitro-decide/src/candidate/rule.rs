//! Rules that the values of choices have to meet together.

use super::ids::ChoiceId;
use super::relation::Relation;
use super::values::Values;

/// "This choice has one of these values."
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Within {
    /// The choice.
    pub choice: ChoiceId,
    /// The values.
    pub values: Values,
}

/// A number that is known, or the value of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// A number that is known.
    Fixed(u64),
    /// The value of a choice between numbers.
    Choice(ChoiceId),
}

/// A factor of a product: 1 where its condition does not hold.
///
/// ```
/// use nitro_decide::{Factor, Problem};
///
/// let mut problem = Problem::default();
/// let kind = problem.labels("kind of i", ["plain", "thread"])?;
/// let size = problem.numbers("size of i", [8, 32])?;
/// let threads = Factor { when: Some(problem.named(kind, &["thread"])?), ..Factor::choice(size) };
/// assert_ne!(threads, Factor::choice(size));
/// # Ok::<(), nitro_decide::ProblemError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor {
    /// Its amount.
    pub size: Size,
    /// When it counts; always, if there is no condition.
    pub when: Option<Within>,
}

impl Factor {
    /// Creates the factor that a choice is, always.
    #[must_use]
    pub fn choice(choice: ChoiceId) -> Self {
        Self { size: Size::Choice(choice), when: None }
    }

    /// Creates the factor that is this number, always.
    #[must_use]
    pub fn fixed(size: u64) -> Self {
        Self { size: Size::Fixed(size), when: None }
    }

    /// Returns the choice of its size, if that is one.
    fn size_choice(&self) -> Option<ChoiceId> {
        match self.size {
            Size::Choice(choice) => Some(choice),
            Size::Fixed(_) => None,
        }
    }
}

/// A summand: a product, or 0 where its condition does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The factors; without any it is 1.
    pub product: Vec<Factor>,
    /// When it counts; always, if there is no condition.
    pub when: Option<Within>,
}

/// A rule that the values of some choices have to meet together. Sums and products do not overflow: what is more than
/// 2^128 − 1 counts as that, and that as an upper limit is none.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Rule {
    /// Only these combinations of one to three choices.
    Table {
        /// The choices, in the order of the relation, each once.
        choices: Vec<ChoiceId>,
        /// The combinations.
        allowed: Relation,
    },
    /// If all of these hold, then that does.
    Clause {
        /// The conditions; none always holds.
        when: Vec<Within>,
        /// The consequence.
        then: Within,
    },
    /// A product is within limits.
    Product {
        /// The factors; without any it is 1.
        of: Vec<Factor>,
        /// At least so much.
        at_least: u128,
        /// At most so much.
        at_most: u128,
    },
    /// A sum of products is within limits.
    Sum {
        /// The terms; without any it is 0.
        of: Vec<Term>,
        /// At least so much.
        at_least: u128,
        /// At most so much.
        at_most: u128,
    },
    /// Of these so many hold.
    Count {
        /// The conditions that are counted.
        of: Vec<Within>,
        /// At least so many.
        at_least: usize,
        /// At most so many.
        at_most: usize,
    },
    /// A product divides a number; 0 divides 0 alone.
    Divides {
        /// The factors; without any it is 1.
        product: Vec<Factor>,
        /// The number that it divides.
        size: u64,
    },
    /// If all of these hold, then one product is not more than another.
    NoMore {
        /// The conditions; none always holds.
        when: Vec<Within>,
        /// The factors of the smaller side.
        product: Vec<Factor>,
        /// Than what.
        than: Vec<Factor>,
    },
    /// Two choices have the same value: the same name or the same number.
    Equal(ChoiceId, ChoiceId),
}

impl Rule {
    /// The choices that it looks at, ascending, each once.
    #[must_use]
    pub fn scope(&self) -> Vec<ChoiceId> {
        let mut scope = match self {
            Self::Table { choices, .. } => choices.clone(),
            Self::Clause { when, then } => when.iter().chain([then]).map(|within| within.choice).collect(),
            Self::Product { of, .. } | Self::Divides { product: of, .. } => {
                of.iter().flat_map(of_factor).collect()
            }
            Self::Sum { of, .. } => of.iter().flat_map(of_term).collect(),
            Self::Count { of, .. } => of.iter().map(|within| within.choice).collect(),
            Self::NoMore { when, product, than } => {
                let factors = product.iter().chain(than).flat_map(of_factor);
                when.iter().map(|within| within.choice).chain(factors).collect()
            }
            Self::Equal(one, other) => vec![*one, *other],
        };
        scope.sort_unstable();
        scope.dedup();
        scope
    }

    /// Returns which of a choice's values, once gone, may make the rule take away others, for explanations.
    pub(super) fn moved_by(&self, choice: ChoiceId) -> Values {
        let Self::Clause { when, then } = self else { return Values::first(Values::MOST) };
        let conditions = when.iter().filter(|within| within.choice == choice);
        let then = if then.choice == choice { then.values } else { Values::NONE };
        conditions.fold(then, |values, within| {
            // that a condition fails is impossible once all values are gone for which it does
            values.or(Values::first(Values::MOST).without(within.values))
        })
    }

    fn factors(&self) -> Vec<Factor> {
        match self {
            Self::Product { of, .. } | Self::Divides { product: of, .. } => of.clone(),
            Self::Sum { of, .. } => of.iter().flat_map(|term| term.product.clone()).collect(),
            Self::NoMore { product, than, .. } => [product.clone(), than.clone()].concat(),
            _ => Vec::new(),
        }
    }

    /// Returns the choices that have to be numbers.
    pub(super) fn sizes(&self) -> Vec<ChoiceId> {
        self.factors().iter().filter_map(Factor::size_choice).collect()
    }

    /// Returns all conditions on choices.
    pub(super) fn conditions(&self) -> Vec<Within> {
        let mut conditions: Vec<Within> = self.factors().iter().filter_map(|factor| factor.when).collect();
        match self {
            Self::Clause { when, then } => conditions.extend(when.iter().chain([then])),
            Self::Sum { of, .. } => conditions.extend(of.iter().filter_map(|term| term.when)),
            Self::Count { of: all, .. } | Self::NoMore { when: all, .. } => conditions.extend(all),
            _ => {}
        }
        conditions
    }
}

fn of_factor(factor: &Factor) -> impl Iterator<Item = ChoiceId> + use<> {
    factor.size_choice().into_iter().chain(factor.when.map(|within| within.choice))
}

fn of_term(term: &Term) -> Vec<ChoiceId> {
    let condition = term.when.map(|within| within.choice);
    term.product.iter().flat_map(of_factor).chain(condition).collect()
}
