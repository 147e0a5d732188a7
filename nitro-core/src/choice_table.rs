//! The choices that calls of a function can end in, by dense index: its variants with their defaults first, then
//! what the user pinned and what the model at hand may pick beyond them.

use crate::device::Chain;
use crate::{Choice, Function};

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
        let is_same = |own: &Self| std::ptr::eq(own.function, function) && *own.choices == *choices;
        TABLES.find_or_insert(is_same, || Self { function, choices: choices.clone().into() });
        let mut tables = Self::all().enumerate();
        tables.find(|(_, own)| is_same(own)).expect("it has just been noted")
    }

    /// All tables so far, in the order of their numbers.
    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        TABLES.iter()
    }

    /// The functions called so far, in the order of their first calls.
    pub(crate) fn functions() -> impl Iterator<Item = &'static Function> {
        let is_first = |(number, own): &(usize, &'static Self)| {
            !Self::all().take(*number).any(|earlier| std::ptr::eq(earlier.function, own.function))
        };
        Self::all().enumerate().filter(is_first).map(|(_, own)| own.function)
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
