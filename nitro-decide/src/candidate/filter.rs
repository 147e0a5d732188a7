//! Filters: the values that one rule takes away. Each is monotone: the less is open, the less it leaves; so the
//! fixed point does not depend on the order.

use super::ids::ChoiceId;
use super::problem::Problem;
use super::rule::{Factor, Rule, Size, Term, Within};
use super::values::Values;

/// Returns the values that go, by choice. `Err` when the rule cannot be fulfilled and looks at no choice.
pub(super) fn filter(
    problem: &Problem,
    rule: &Rule,
    scope: &[ChoiceId],
    open: &mut [Values],
) -> Result<Vec<(ChoiceId, Values)>, ()> {
    match rule {
        Rule::Table { choices, allowed } => {
            // A table of fewer than three choices has one value of each that it lacks.
            let mut own = [Values::first(1); 3];
            for (own, choice) in own.iter_mut().zip(choices) {
                *own = open[choice.0];
            }
            let left = allowed.supported(own);
            let gone = choices.iter().zip(left).map(|(&choice, left)| (choice, open[choice.0].without(left)));
            Ok(gone.filter(|(_, gone)| !gone.is_empty()).collect())
        }
        Rule::Clause { when, then } => Ok(clause(problem, when, *then, open)),
        _ => by_trial(problem, rule, scope, open),
    }
}

/// A clause as alternatives, one of which has to hold: where all but one cannot, that one does.
fn clause(problem: &Problem, when: &[Within], then: Within, open: &[Values]) -> Vec<(ChoiceId, Values)> {
    let mut possible: Option<Within> = None;
    let mut alternatives: Vec<Within> = Vec::with_capacity(when.len() + 1);
    let failing = when
        .iter()
        .map(|within| Within { values: problem.all(within.choice).without(within.values), ..*within });
    for next in failing.chain([then]) {
        match alternatives.iter_mut().find(|own| own.choice == next.choice) {
            Some(own) => own.values = own.values.or(next.values),
            None => alternatives.push(next),
        }
    }
    for &alternative in &alternatives {
        if !open[alternative.choice.0].and(alternative.values).is_empty()
            && possible.replace(alternative).is_some()
        {
            return Vec::new();
        }
    }
    let left = possible.unwrap_or(alternatives[0]);
    let gone = open[left.choice.0].without(left.values);
    if gone.is_empty() { Vec::new() } else { vec![(left.choice, gone)] }
}

/// Tries every open value, with everything else as open as it is.
fn by_trial(
    problem: &Problem,
    rule: &Rule,
    scope: &[ChoiceId],
    open: &mut [Values],
) -> Result<Vec<(ChoiceId, Values)>, ()> {
    if scope.is_empty() {
        return if possible(problem, rule, open) { Ok(Vec::new()) } else { Err(()) };
    }
    let mut gone = Vec::new();
    for &choice in scope {
        let before = open[choice.0];
        let mut impossible = Values::NONE;
        for value in before.iter() {
            open[choice.0] = Values::of([value]);
            if !possible(problem, rule, open) {
                impossible = impossible.or(open[choice.0]);
            }
        }
        open[choice.0] = before;
        if !impossible.is_empty() {
            gone.push((choice, impossible));
        }
    }
    Ok(gone)
}

/// Returns true if what is open may fulfil the rule: necessary, and exact once all is decided.
fn possible(problem: &Problem, rule: &Rule, open: &[Values]) -> bool {
    match rule {
        Rule::Product { of, at_least, at_most } => {
            let (least, most) = product(problem, of, open);
            least <= *at_most
                && most >= *at_least
                && (at_least != at_most || *at_most == u128::MAX || divides(problem, of, *at_most, open))
        }
        Rule::Sum { of, at_least, at_most } => {
            let (least, most) = of.iter().map(|of| term(problem, of, open)).fold((0, 0), plus);
            least <= *at_most && most >= *at_least
        }
        Rule::Count { of, at_least, at_most } => {
            let certain = of.iter().filter(|within| open[within.choice.0].within(within.values)).count();
            let able =
                of.iter().filter(|within| !open[within.choice.0].and(within.values).is_empty()).count();
            certain <= *at_most && able >= *at_least
        }
        Rule::NoMore { when, product: less, than } => {
            let certain = when.iter().all(|&when| matches!(holds(when, open), Holds::Always));
            !certain || product(problem, less, open).0 <= product(problem, than, open).1
        }
        Rule::Divides { product, size } => divides(problem, product, u128::from(*size), open),
        Rule::Equal(one, other) => open[one.0].iter().any(|value| {
            let name = problem.value_name(*one, value);
            open[other.0].iter().any(|value| problem.value_name(*other, value) == name)
        }),
        Rule::Table { .. } | Rule::Clause { .. } => true, // have filters of their own
    }
}

fn plus(one: (u128, u128), other: (u128, u128)) -> (u128, u128) {
    (one.0.saturating_add(other.0), one.1.saturating_add(other.1))
}

fn term(problem: &Problem, term: &Term, open: &[Values]) -> (u128, u128) {
    let (least, most) = product(problem, &term.product, open);
    match term.when.map_or(Holds::Always, |when| holds(when, open)) {
        Holds::Always => (least, most),
        Holds::Perhaps => (0, most),
        Holds::Never => (0, 0),
    }
}

fn product(problem: &Problem, factors: &[Factor], open: &[Values]) -> (u128, u128) {
    factors.iter().fold((1, 1), |(least, most), factor| {
        let (low, high) = range(problem, factor, open);
        (least.saturating_mul(low), most.saturating_mul(high))
    })
}

fn range(problem: &Problem, factor: &Factor, open: &[Values]) -> (u128, u128) {
    let (low, high) = sizes(problem, factor.size, open)
        .fold((u128::MAX, 0), |(low, high), size| (low.min(size.into()), high.max(size.into())));
    match factor.when.map_or(Holds::Always, |when| holds(when, open)) {
        Holds::Always => (low, high),
        Holds::Perhaps => (low.min(1), high.max(1)),
        Holds::Never => (1, 1),
    }
}

/// Returns true if the largest number that surely divides the product divides the size.
fn divides(problem: &Problem, factors: &[Factor], size: u128, open: &[Values]) -> bool {
    let certain = factors.iter().fold(1_u128, |product, factor| {
        let common = sizes(problem, factor.size, open).fold(0, |one, other| gcd(one, other.into()));
        product.saturating_mul(match factor.when.map_or(Holds::Always, |when| holds(when, open)) {
            Holds::Always => common,
            Holds::Perhaps => gcd(common, 1),
            Holds::Never => 1,
        })
    });
    if certain == 0 { size == 0 } else { size.is_multiple_of(certain) }
}

fn gcd(mut one: u128, mut other: u128) -> u128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

fn sizes<'a>(problem: &'a Problem, size: Size, open: &[Values]) -> impl Iterator<Item = u64> + 'a {
    let (fixed, choice) = match size {
        Size::Fixed(size) => (Some(size), None),
        Size::Choice(choice) => (None, Some((choice, open[choice.0]))),
    };
    let chosen = choice.into_iter().flat_map(move |(choice, values)| {
        values.iter().filter_map(move |value| problem.number(choice, value))
    });
    fixed.into_iter().chain(chosen)
}

enum Holds {
    Always,
    Perhaps,
    Never,
}

fn holds(within: Within, open: &[Values]) -> Holds {
    let open = open[within.choice.0];
    if open.within(within.values) {
        Holds::Always
    } else if open.and(within.values).is_empty() {
        Holds::Never
    } else {
        Holds::Perhaps
    }
}
