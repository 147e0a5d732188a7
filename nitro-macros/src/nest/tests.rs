//! Places in slices, drawn: what is read as a place in each dimension is the same element, and within them.

use std::collections::BTreeMap;

use nitro_test_support::random::Random;
use syn::{Expr, parse_str};

use super::flat;
use super::integers::affine;
use super::ir::{Affine, Argument, Array, Element, Kind, Subscript};
use super::scope::{Meaning, Scope, name};

/// The sizes and iterators of all tests.
const SIZES: [&str; 3] = ["n", "m", "p"];
const ITERATORS: [&str; 3] = ["i", "j", "k"];

fn expression(text: &str) -> Expr {
    parse_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn scope() -> Scope {
    let ident = |text: &str| name(&expression(text)).cloned().unwrap();
    let arguments: Vec<_> =
        SIZES.iter().map(|size| Argument { name: ident(size), kind: Kind::Parameter }).collect();
    let mut scope = Scope::of(&arguments, Element::F32);
    for iterator in ITERATORS {
        scope.enter(&ident(iterator), Meaning::Integer).unwrap();
        scope = scope.supposing(&expression(&format!("{iterator} >= 0")), true);
    }
    scope
}

fn evaluated(affine: &Affine, values: &BTreeMap<String, i64>) -> i64 {
    affine.constant
        + affine.terms.iter().map(|(name, number)| values[&name.to_string()] * number).sum::<i64>()
}

/// Calls for all values of sizes and iterators from 0 to below `end` for which all conditions hold.
fn for_each(end: i64, conditions: &[(Affine, Affine)], mut call: impl FnMut(&BTreeMap<String, i64>)) {
    let names = [SIZES, ITERATORS].concat();
    for index in 0..end.pow(names.len() as u32) {
        let digits =
            names.iter().enumerate().map(|(at, name)| (name.to_string(), index / end.pow(at as u32) % end));
        let values = digits.collect();
        if conditions.iter().all(|(less, more)| evaluated(less, &values) < evaluated(more, &values)) {
            call(&values);
        }
    }
}

fn sum(random: &mut Random, names: &[&str], numbers: &[i64]) -> String {
    let mut pick = |numbers: &[i64]| numbers[random.below(numbers.len() as u64) as usize];
    let mut text = format!("{}", pick(&[0, 0, 0, 1, 1, 2]));
    for name in names {
        match pick(numbers) {
            0 => {}
            number if number < 0 => text = format!("{text} - {} * {name}", -number),
            number => text = format!("{text} + {number} * {name}"),
        }
    }
    text
}

/// Conditions that are read by `suppose`, and comparisons for the same.
fn conditions(random: &mut Random, scope: &mut Scope, count: u64) -> Vec<(Affine, Affine)> {
    let names = [SIZES, ITERATORS].concat();
    let mut all = Vec::new();
    for _ in 0..count {
        let [less, more] = [(); 2].map(|()| sum(random, &names, &[0, 0, 0, 0, 0, 1, 1, 2]));
        let (text, holds) = match random.below(3) {
            0 => (format!("{less} < {more}"), true),
            1 => (format!("!({more} > {less} && n + 1 > 0)"), false),
            _ => (format!("{less} >= {more} || m + 1 == 0"), false),
        };
        let read = scope.supposing(&expression(&text), holds);
        let [less, more] = [less, more].map(|text| affine(&expression(&text), scope).unwrap());
        *scope = read;
        all.push((less, more));
    }
    all
}

#[test]
fn what_is_said_to_follow_holds_wherever_the_conditions_do() {
    let mut random = Random::new(13);
    let mut followed = 0;
    for _ in 0..400 {
        let mut scope = scope();
        let conditions = conditions(&mut random, &mut scope, 3);
        let names = [SIZES, ITERATORS].concat();
        let goal = affine(&expression(&sum(&mut random, &names, &[0, 0, 0, 0, 1, -1, 2])), &scope).unwrap();
        if scope.facts.prove(&goal) {
            followed += 1;
            for_each(4, &conditions, |values| assert!(evaluated(&goal, values) >= 0, "{values:?}"));
        }
    }
    assert!(followed > 100, "{followed}");
}

#[test]
fn bounds_of_loops_and_steps_are_enough_for_what_is_written() {
    let follows = |conditions: &[&str], goal: &str| {
        let mut scope = scope();
        for condition in conditions {
            scope = scope.supposing(&expression(condition), true);
        }
        scope.facts.prove(&affine(&expression(goal), &scope).unwrap())
    };
    assert!(follows(&["i < n", "n <= m"], "m - i - 1"));
    assert!(!follows(&["i < n", "n <= m + 1"], "m - i - 1"));
    assert!(follows(&["i != 0"], "i - 1"), "no integer is negative");
    assert!(follows(&["i < n", "i + 1 != n"], "n - i - 2"));
    assert!(follows(&["2 * i < 2 * n + 1"], "n - i"), "integers are whole");
    assert!(follows(&["j == i + 1", "j < m"], "m - 2 - i"));
    assert!(!follows(&["i == 0 || j == 0"], "0 - i"));
    assert!(follows(&["!(i > 2 || j > 2)"], "4 - i - j"));
    assert!(follows(&["i < 0"], "0 - 7"), "nothing runs there");
}

/// The array with these extents.
fn array(extents: &[String], scope: &Scope) -> Array {
    let shape = extents.iter().map(|extent| affine(&expression(extent), scope).unwrap()).collect();
    Array { shape, is_written: true, is_slice: true, storage: None }
}

fn parts(written: &str, array: &Array, scope: &Scope) -> Option<Vec<Affine>> {
    let name = name(&expression("a")).cloned().unwrap();
    let places = flat::places(&expression(written), &name, array, scope).ok()?;
    let affine = places.into_iter().map(|place| match place {
        Subscript::Affine(affine) => affine,
        Subscript::Quasi(_) | Subscript::Index(_) => panic!("there is no array of integers"),
    });
    Some(affine.collect())
}

/// Whatever is written: the parts are the element that the sum is, and only the first may be beyond its extent.
#[test]
fn parts_of_a_place_are_the_same_element_and_within_their_extents() {
    let mut random = Random::new(39);
    let mut taken = 0;
    for _ in 0..1_500 {
        let mut scope = scope();
        let extents = [(); 3].map(|()| {
            let extents = ["n", "m", "p", "m", "p", "3", "2 * p", "m + 2", "n + p"];
            extents[random.below(extents.len() as u64) as usize].to_owned()
        });
        let extents = &extents[random.below(2) as usize..];
        let array = array(extents, &scope);
        let mut conditions = conditions(&mut random, &mut scope, 1);
        let mut written = sum(&mut random, &ITERATORS, &[0, 1, 1, -1, 2]);
        for extent in &extents[1..] {
            let part = sum(&mut random, &[SIZES, ITERATORS].concat(), &[0, 0, 0, 0, 0, 1, 1, -1]);
            // In most cases as a user knows that it is.
            if random.below(4) > 0 {
                for condition in [format!("{part} < {extent}"), format!("0 - 1 < {part}")] {
                    let (less, more) = condition.split_once(" < ").unwrap();
                    let sides = [less, more].map(|side| affine(&expression(side), &scope).unwrap());
                    scope = scope.supposing(&expression(&condition), true);
                    conditions.push(sides.into());
                }
            }
            written = format!("({written}) * ({extent}) + {part}");
        }
        let Some(parts) = parts(&written, &array, &scope) else { continue };
        taken += 1;
        let whole = super::polynomial::polynomial(&expression(&written), &scope).unwrap();
        for_each(3, &conditions, |values| {
            let extents: Vec<i64> = array.shape.iter().map(|extent| evaluated(extent, values)).collect();
            if extents.contains(&0) {
                return;
            }
            let parts: Vec<i64> = parts.iter().map(|part| evaluated(part, values)).collect();
            let place = parts.iter().zip(&extents).fold(0, |place, (part, extent)| place * extent + part);
            assert_eq!(place, whole.evaluated(values), "{written} {extents:?} {values:?} {parts:?}");
            let are_within =
                parts.iter().zip(&extents).skip(1).all(|(part, extent)| (0..*extent).contains(part));
            assert!(are_within, "{written} {extents:?} {values:?} {parts:?}");
        });
    }
    assert!(taken > 700, "{taken}");
}
