//! Quotients and remainders: names of their own in sums, of which is known between what they lie.
//!
//! `e / 2` is a name `q` with `2 * q <= e <= 2 * q + 1`, and `e % 2` is `e - 2 * q`. A remainder by a size is `e - w`,
//! where `e` is below twice the size: `w` is the size where `e` is not below it, and else zero.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use proc_macro2::Ident;
use quote::format_ident;
use syn::ext::IdentExt;
use syn::{BinOp, ExprBinary, Result};

use super::integers::{BEYOND, quasi};
use super::ir::{Affine, Quasi, Quotient};
use super::polynomial::Polynomial;
use super::scope::{Scope, at};

/// A sum that a name stands for.
#[derive(Clone)]
struct Named {
    name: Ident,
    dividend: Affine,
    divisor: Divisor,
}

#[derive(Clone)]
enum Divisor {
    /// The name is the dividend divided by a number, rounded down.
    Number(i64),
    /// The name is this where the dividend is not below it, and else zero. The dividend is below twice that.
    Once(Affine),
}

/// The quotients of a function so far: one table for all copies of what is known.
#[derive(Clone, Default)]
pub(crate) struct Quotients(Rc<RefCell<Vec<Named>>>);

/// A name that is one of two sums.
pub(crate) struct Wrap {
    /// The name.
    pub name: Ident,
    /// It is `within` where this is not negative, and else zero.
    pub beyond: Affine,
    /// What it is then.
    pub within: Affine,
}

impl Quotients {
    fn name_of(&self, dividend: &Affine, divisor: Divisor) -> Affine {
        let mut all = self.0.borrow_mut();
        let text = |divisor: &Divisor| match divisor {
            Divisor::Number(number) => number.to_string(),
            Divisor::Once(sum) => sum.text(),
        };
        let is_same =
            |own: &&Named| own.dividend.text() == dividend.text() && text(&own.divisor) == text(&divisor);
        if let Some(known) = all.iter().find(is_same) {
            return Affine::variable(&known.name);
        }
        let name = format_ident!("__nitro_quotient_{}", all.len());
        all.push(Named { name: name.clone(), dividend: dividend.clone(), divisor });
        Affine::variable(&name)
    }

    fn get(&self, name: &Ident) -> Option<Named> {
        self.0.borrow().iter().find(|own| own.name == *name).cloned()
    }

    /// Returns true where there is a quotient in a sum.
    pub fn are_in(&self, sum: &Affine) -> bool {
        sum.terms.iter().any(|(name, _)| self.get(name).is_some())
    }

    /// Calls for sums that are not negative, as of these names and those in their dividends.
    pub fn for_each_fact(&self, mut names: BTreeSet<String>, call: &mut dyn FnMut(Affine)) {
        // A dividend names what was known before it.
        for Named { name, dividend, divisor } in self.0.borrow().iter().rev() {
            if !names.contains(&name.to_string()) {
                continue;
            }
            let own = Affine::variable(name);
            names.extend(dividend.terms.iter().map(|(name, _)| name.unraw().to_string()));
            let mut all = vec![];
            match divisor {
                Divisor::Number(number) => {
                    let rest = dividend.clone().plus(&own, -number);
                    all.push(rest.clone());
                    all.push(rest.and_then(|rest| Affine::number(number - 1).plus(&rest, -1)));
                }
                Divisor::Once(sum) => {
                    let rest = dividend.clone().plus(&own, -1);
                    let below = rest.as_ref().and_then(|rest| sum.clone().plus(rest, -1));
                    names.extend(sum.terms.iter().map(|(name, _)| name.unraw().to_string()));
                    all.extend([Some(own.clone()), sum.clone().plus(&own, -1), rest]);
                    all.push(below.and_then(|below| below.plus(&Affine::number(1), -1)));
                }
            }
            all.into_iter().flatten().for_each(&mut *call);
        }
    }

    /// A text with quotients in the place of their names.
    pub fn in_words(&self, mut text: String) -> String {
        for Named { name, dividend, divisor } in self.0.borrow().iter().rev() {
            let dividend = Polynomial::from(dividend.clone());
            let words = match divisor {
                Divisor::Number(number) => format!("(({dividend}) / {number})"),
                Divisor::Once(sum) => {
                    let sum = Polynomial::from(sum.clone());
                    format!("(({dividend}) / ({sum}) * ({sum}))")
                }
            };
            text = text.replace(&name.to_string(), &words);
        }
        text
    }

    /// The first of the names in a sum that is one of two sums; false: it is in a dividend.
    pub fn wrap(&self, sum: &Affine) -> std::result::Result<Option<Wrap>, ()> {
        for (name, _) in &sum.terms {
            match self.get(name) {
                Some(Named { name, dividend, divisor: Divisor::Once(within) }) => {
                    let beyond = dividend.plus(&within, -1).ok_or(())?;
                    return Ok(Some(Wrap { name, beyond, within }));
                }
                Some(Named { dividend, .. }) if !matches!(self.wrap(&dividend), Ok(None)) => return Err(()),
                _ => {}
            }
        }
        Ok(None)
    }

    /// The sum with its quotients written out. It has no names that are one of two sums.
    pub fn written(&self, sum: &Affine) -> Quasi {
        let (mut affine, mut quotients) = (Affine::number(sum.constant), Vec::new());
        for (name, coefficient) in &sum.terms {
            match self.get(name) {
                Some(Named { dividend, divisor: Divisor::Number(divisor), .. }) => {
                    let dividend = self.written(&dividend);
                    quotients.push(Quotient { factor: *coefficient, dividend, divisor });
                }
                _ => affine.terms.push((name.clone(), *coefficient)),
            }
        }
        Quasi { affine, quotients }
    }
}

impl Affine {
    /// The sum with each variable once.
    fn merged(&self) -> Affine {
        let mut terms: BTreeMap<String, (Ident, i64)> = BTreeMap::new();
        for (name, coefficient) in &self.terms {
            let own = terms.entry(name.unraw().to_string()).or_insert_with(|| (name.clone(), 0));
            own.1 = own.1.saturating_add(*coefficient);
        }
        let terms = terms.into_values().filter(|(_, coefficient)| *coefficient != 0).collect();
        Affine { terms, constant: self.constant }
    }

    fn text(&self) -> String {
        let merged = self.merged();
        let terms = merged.terms.iter().map(|(name, coefficient)| format!("{coefficient}*{}+", name.unraw()));
        terms.collect::<String>() + &merged.constant.to_string()
    }

    /// The sum with another one in the place of a variable, where it fits.
    pub fn with(&self, variable: &Ident, by: &Affine) -> Option<Affine> {
        let (own, others) = self.terms.iter().partition::<Vec<_>, _>(|(name, _)| name == variable);
        let sum = Affine { terms: others.into_iter().cloned().collect(), constant: self.constant };
        own.into_iter().try_fold(sum, |sum, (_, coefficient)| sum.plus(by, *coefficient))
    }
}

const NEGATIVE: &str = "the dividend may be negative here: write `if` around it, so that it is not";

const DIVISORS: &str = "a divisor is a number, or in remainders a size that what is divided is below twice of, as in \
    `(i + 1) % n`: write two loops, over rows and columns, or declare the array with both extents";

/// Reads `e / d` or `e % d`.
pub(super) fn divided(binary: &ExprBinary, scope: &Scope) -> Result<Affine> {
    let [dividend, divisor] = [quasi(&binary.left, scope)?.merged(), quasi(&binary.right, scope)?.merged()];
    let is_remainder = matches!(binary.op, BinOp::Rem(_));
    match (&divisor.terms[..], divisor.constant) {
        ([], 0) => return at(&binary.right, "this divides by zero: write a number that is greater"),
        ([], number) if number < 0 => {
            return at(&binary.right, "a divisor is a positive number: write it without `-`");
        }
        _ => {}
    }
    if !scope.facts.prove(&dividend) {
        return at(&binary.left, NEGATIVE);
    }
    let is_below = |times: i64| {
        let above = Affine::default().plus(&divisor, times).and_then(|sum| sum.plus(&dividend, -1));
        above.and_then(|sum| sum.plus(&Affine::number(1), -1)).is_some_and(|sum| scope.facts.prove(&sum))
    };
    let read = if is_below(1) {
        Some(if is_remainder { dividend } else { Affine::default() })
    } else if is_remainder && is_below(2) && !scope.facts.quotients.are_in(&divisor) {
        let once = scope.facts.quotients.name_of(&dividend, Divisor::Once(divisor));
        dividend.plus(&once, -1)
    } else if divisor.terms.is_empty() {
        let quotient = quotient(&dividend, divisor.constant, scope);
        if is_remainder { quotient.and_then(|own| dividend.plus(&own, -divisor.constant)) } else { quotient }
    } else {
        return at(&binary.right, DIVISORS);
    };
    read.map_or_else(|| at(binary, BEYOND), Ok)
}

/// The dividend divided by a number. What is a multiple of the number needs no quotient.
fn quotient(dividend: &Affine, divisor: i64, scope: &Scope) -> Option<Affine> {
    let (mut whole, mut rest) = (Affine::default(), Affine::default());
    for (name, coefficient) in &dividend.terms {
        match coefficient % divisor {
            0 => whole.terms.push((name.clone(), coefficient / divisor)),
            _ => rest.terms.push((name.clone(), *coefficient)),
        }
    }
    whole.constant = dividend.constant.div_euclid(divisor);
    rest.constant = dividend.constant.rem_euclid(divisor);
    // Division by a number rounds towards zero: what is divided is not negative.
    if !scope.facts.prove(&rest) {
        (whole, rest) = (Affine::default(), dividend.clone());
    }
    if rest.terms.is_empty() && rest.constant < divisor {
        return Some(whole);
    }
    whole.plus(&scope.facts.quotients.name_of(&rest, Divisor::Number(divisor)), 1)
}
