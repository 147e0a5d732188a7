//! The choices that calls of a function can end in, by dense index. First come its variants with their defaults,
//! then what the user pinned and what the model at hand may pick beyond them.

use super::{Choice, Function};
use crate::chain::Chain;

/// All tables made so far. A reload that brings the same choices goes on with the same table, and so with the same
/// counters.
static TABLES: Chain<ChoiceTable> = Chain::new();

/// The choices of one function.
#[derive(Debug)]
pub(crate) struct ChoiceTable {
    pub(crate) function: &'static Function,
    choices: Box<[Choice]>,
}

impl ChoiceTable {
    /// The table with these choices beyond the variants, and its number among all tables.
    pub(crate) fn with(
        function: &'static Function,
        further: impl Iterator<Item = Choice>,
    ) -> (usize, &'static Self) {
        let mut choices: Vec<_> = function.default_choices().collect();
        for choice in further {
            if !choices.contains(&choice) {
                choices.push(choice);
            }
        }
        TABLES.find_or_insert(
            |own| own.is(function, &choices),
            || Self { function, choices: choices.clone().into() },
        );
        let mut tables = Self::all().enumerate();
        tables.find(|(_, own)| own.is(function, &choices)).expect("it has just been noted")
    }

    /// Returns true for the table of this function with these choices.
    fn is(&self, function: &Function, choices: &[Choice]) -> bool {
        std::ptr::eq(self.function, function) && *self.choices == *choices
    }

    /// All tables so far, in the order of their numbers.
    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        TABLES.iter()
    }

    /// The functions called so far, in the order of their first calls.
    pub(crate) fn functions() -> impl Iterator<Item = &'static Function> {
        let all = Self::all().enumerate();
        all.filter(|&(number, own)| {
            !Self::all().take(number).any(|earlier| std::ptr::eq(earlier.function, own.function))
        })
        .map(|(_, own)| own.function)
    }

    /// The choices.
    #[inline]
    pub(crate) fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// The index of a choice.
    pub(crate) fn index_of(&self, choice: Choice) -> Option<usize> {
        self.choices.iter().position(|own| *own == choice)
    }
}
