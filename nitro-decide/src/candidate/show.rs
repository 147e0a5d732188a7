//! Rules as people read them.

use std::fmt;

use super::ids::RuleId;
use super::problem::Problem;
use super::rule::{Factor, Rule, Size, Term, Within};

impl Problem {
    /// A rule with its name, as a sentence. [`Problem`] has an example.
    #[must_use]
    pub fn show(&self, rule: RuleId) -> impl fmt::Display + '_ {
        let named = &self.rules[rule.0];
        fmt::from_fn(move |formatter| write!(formatter, "{}: {}", named.name, self.sentence(&named.rule)))
    }

    /// Writes a condition as people read it.
    ///
    /// ```
    /// use nitro_decide::{Problem, Values, Within};
    ///
    /// let mut problem = Problem::default();
    /// let size = problem.numbers("size of i", [1, 2, 4])?;
    /// let small = Within { choice: size, values: Values::of([0, 1]) };
    /// assert_eq!(problem.show_within(small), "size of i is 1 or 2");
    /// # Ok::<(), nitro_decide::ProblemError>(())
    /// ```
    #[must_use]
    pub fn show_within(&self, within: Within) -> String {
        let names: Vec<_> = within.values.iter().map(|value| self.value_name(within.choice, value)).collect();
        let names = if names.is_empty() { "nothing".to_owned() } else { names.join(" or ") };
        format!("{} is {names}", self.name(within.choice))
    }

    fn sentence(&self, rule: &Rule) -> String {
        match rule {
            Rule::Table { choices, allowed } => {
                let names: Vec<_> = choices.iter().map(|&choice| self.name(choice)).collect();
                let count: usize = allowed.thirds.iter().map(|thirds| thirds.len()).sum();
                format!("({}) is one of {count} combinations", names.join(", "))
            }
            Rule::Clause { when, then } if when.is_empty() => self.show_within(*then),
            Rule::Clause { when, then } => self.if_all(when) + &self.show_within(*then),
            Rule::NoMore { when, product, than } => {
                format!("{}{} <= {}", self.if_all(when), self.product(product), self.product(than))
            }
            Rule::Product { of, at_least, at_most } => limits(&self.product(of), *at_least, *at_most),
            Rule::Sum { of, at_least, at_most } => {
                let terms: Vec<_> = of.iter().map(|term| self.term(term)).collect();
                limits(&or_else(terms.join(" + "), "0"), *at_least, *at_most)
            }
            Rule::Count { of, at_least, at_most } => {
                let counted: Vec<_> = of.iter().map(|&within| self.show_within(within)).collect();
                let text = format!("how many hold of [{}]", counted.join("; "));
                limits(&text, *at_least as u128, *at_most as u128)
            }
            Rule::Divides { product, size } => format!("{} divides {size}", self.product(product)),
            Rule::Equal(one, other) => format!("{} = {}", self.name(*one), self.name(*other)),
        }
    }

    fn if_all(&self, when: &[Within]) -> String {
        let conditions: Vec<_> = when.iter().map(|&within| self.show_within(within)).collect();
        if when.is_empty() { String::new() } else { format!("if {} then ", conditions.join(" and ")) }
    }

    fn term(&self, term: &Term) -> String {
        self.with_condition(self.product(&term.product), term.when)
    }

    fn product(&self, factors: &[Factor]) -> String {
        let mut shown = Vec::with_capacity(factors.len());
        for factor in factors {
            let size = match factor.size {
                Size::Fixed(size) => size.to_string(),
                Size::Choice(choice) => self.name(choice).to_owned(),
            };
            shown.push(self.with_condition(size, factor.when));
        }
        or_else(shown.join(" * "), "1")
    }

    fn with_condition(&self, text: String, when: Option<Within>) -> String {
        when.map_or_else(|| text.clone(), |when| format!("({text} if {})", self.show_within(when)))
    }
}

fn or_else(text: String, empty: &str) -> String {
    if text.is_empty() { empty.to_owned() } else { text }
}

fn limits(text: &str, at_least: u128, at_most: u128) -> String {
    match (at_least, at_most) {
        (least, most) if least == most => format!("{text} = {least}"),
        (0, most) => format!("{text} <= {most}"),
        (least, u128::MAX) => format!("{text} >= {least}"),
        (least, most) => format!("{least} <= {text} <= {most}"),
    }
}
