//! All variants of a function answer the same.

use nitro_everyday::inputs::{self, Random};
use nitro_everyday::{Matrix, find, matmul, sort};

#[test]
fn every_variant_sorts() {
    let mut random = Random::new(1);
    let drawn: Vec<String> =
        (0..60).map(|_| inputs::sort::draw(&mut random, &inputs::sort::FAMILIES, 1, 6_000)).collect();
    for (seed, drawn) in drawn.iter().enumerate() {
        let name = format!("test/{drawn}-s{seed}");
        check_sort(&inputs::sort::load(&name, 3).unwrap(), &name);
    }
    check_sort(&[], "no keys");
    check_sort(&[u64::MAX, 0, u64::MAX, 1, 1 << 63], "the ends of what a key can be");
}

fn check_sort(keys: &[u64], what: &str) {
    let mut expected = keys.to_vec();
    expected.sort();
    for &variant in sort::Variant::ALL {
        let mut sorted = keys.to_vec();
        sort::call(variant, &mut sorted);
        assert!(sorted == expected, "{variant} of {what}");
    }
}

#[test]
fn every_variant_finds_the_first_place() {
    let mut random = Random::new(2);
    for seed in 0..80 {
        let name = format!("test/{}-s{seed}", inputs::find::draw(&mut random, (1, 8_000), (1, 60), (1, 20)));
        let search = inputs::find::load(&name).unwrap();
        check_find(&search.text, &search.needles(), &name);
    }
    check_find("", &["a"], "an empty text");
    check_find("text", &[], "no needles");
    check_find("text", &["", "x"], "an empty needle, which is nowhere");
    check_find("naïve café, naïve", &["é,", "ve", "ïv"], "letters of several bytes");
    check_find("aaaaab", &["aab", "aaaab", "b"], "needles that overlap");
    let many: Vec<String> = (0..200).map(|n| format!("needle{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    check_find("where is needle199 in this text", &many, "more than a packed search takes");
}

fn check_find(text: &str, needles: &[&str], what: &str) {
    let place =
        |start: &usize| needles.iter().any(|needle| !needle.is_empty() && text[*start..].starts_with(needle));
    let expected = text.char_indices().map(|(start, _)| start).find(place);
    for &variant in find::Variant::ALL {
        assert_eq!(find::call(variant, text, needles), expected, "{variant} of {what}");
    }
}

#[test]
fn every_variant_multiplies() {
    let mut random = Random::new(3);
    let drawn: Vec<String> = (0..60).map(|_| inputs::matmul::draw(&mut random, [(1, 70); 3])).collect();
    for (seed, drawn) in drawn.iter().enumerate() {
        let name = format!("test/{drawn}-s{seed}");
        let (a, b) = inputs::matmul::load(&name).unwrap();
        check_matmul(&a, &b, &name);
    }
    for [rows, inner, columns] in [[0, 3, 4], [3, 0, 4], [3, 4, 0]] {
        check_matmul(&Matrix::zeros(rows, inner), &Matrix::zeros(inner, columns), "a size of zero");
    }
}

fn check_matmul(a: &Matrix, b: &Matrix, what: &str) {
    let mut expected = Matrix::zeros(a.rows(), b.columns()).values().to_vec();
    for row in 0..a.rows() {
        for column in 0..b.columns() {
            let term = |i: usize| a.values()[row * a.columns() + i] * b.values()[i * b.columns() + column];
            expected[row * b.columns() + column] = (0..a.columns()).map(term).sum();
        }
    }
    for &variant in matmul::Variant::ALL {
        // What stood there before is replaced, whatever it was.
        let mut c = Matrix::new(a.rows(), b.columns(), vec![f32::NAN; a.rows() * b.columns()]);
        matmul::call(variant, a, b, &mut c);
        assert!(c.values() == expected, "{variant} of {what}");
    }
}

#[test]
fn shapes_that_do_not_fit_are_refused_by_every_variant() {
    for &variant in matmul::Variant::ALL {
        let call =
            || matmul::call(variant, &Matrix::zeros(2, 3), &Matrix::zeros(4, 2), &mut Matrix::zeros(2, 2));
        assert!(std::panic::catch_unwind(call).is_err(), "{variant}");
    }
}

#[test]
fn what_is_judged_by_was_not_learned_from() {
    for names in [inputs::sort::names(), inputs::find::names(), inputs::matmul::names()] {
        let made = |split: &str| names.iter().filter_map(|name| name.strip_prefix(split)).collect::<Vec<_>>();
        let (train, test) = (made("train/"), made("test/"));
        assert!(train.len() >= 200 && test.len() >= 100, "{} and {}", train.len(), test.len());
        assert!(!test.iter().any(|made| train.contains(made)));
    }
}
