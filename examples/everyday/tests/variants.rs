//! All variants of a function answer the same.

use nitro_everyday::inputs::{self, Random};
use nitro_everyday::{
    Matrix, Natural, big_product, compress, difference, find, group, matmul, sort, transform,
};
use rustfft::num_complex::Complex;

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
        let search = inputs::find::load(&name, 0).unwrap();
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
        let (a, b) = inputs::matmul::load(&name, 0).unwrap();
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
fn every_variant_groups() {
    let mut random = Random::new(4);
    for seed in 0..60 {
        let drawn = inputs::group::draw(&mut random, &inputs::group::FAMILIES, (1, 4_000), (1, 4_000));
        let name = format!("test/{drawn}-s{seed}");
        let (keys, values) = inputs::group::load(&name, 0).unwrap();
        check_group(&keys, &values, &name);
    }
    check_group(&[], &[], "no rows");
    check_group(&[u64::MAX, 0, u64::MAX], &[u64::MAX, 0, 3], "the ends of what keys and values can be");
    check_group(&[u64::MAX, u64::MAX - 1, u64::MAX], &[1, 0, 2], "the last keys, and a sum of zero");
}

fn check_group(keys: &[u64], values: &[u64], what: &str) {
    let mut expected = std::collections::BTreeMap::<u64, u64>::new();
    for (key, value) in keys.iter().zip(values) {
        let sum = expected.entry(*key).or_default();
        *sum = sum.wrapping_add(*value);
    }
    let expected: Vec<(u64, u64)> = expected.into_iter().collect();
    for &variant in group::Variant::ALL {
        if group::admissible(variant, keys, values) {
            let mut groups = group::call(variant, keys, values);
            groups.sort_unstable();
            assert!(groups == expected, "{variant} of {what}");
        }
    }
}

#[test]
fn keys_that_are_far_apart_have_no_dense_table() {
    assert!(group::admissible(group::Variant::Dense, &[7, 1 << 20], &[0, 0]));
    assert!(!group::admissible(group::Variant::Dense, &[7, 1 << 21], &[0, 0]));
    assert!(!group::admissible(group::Variant::Dense, &[0, u64::MAX], &[0, 0]));
}

#[test]
fn columns_of_two_lengths_are_refused_by_every_variant() {
    for &variant in group::Variant::ALL {
        assert!(std::panic::catch_unwind(|| group::call(variant, &[1, 2], &[1])).is_err(), "{variant}");
    }
}

#[test]
fn every_variant_multiplies_big_integers() {
    let mut random = Random::new(5);
    for _ in 0..60 {
        let mut digits = || (0..random.below(60)).map(|_| random.next_u64()).collect::<Vec<_>>();
        check_big_product(digits(), digits());
    }
    check_big_product(vec![], vec![1, 2]);
    check_big_product(vec![0, 0], vec![5, 0]);
    check_big_product(vec![u64::MAX; 40], vec![u64::MAX; 3]);
    check_big_product(vec![u64::MAX; 1_500], vec![u64::MAX; 1_400]);
}

/// Compares with sums of products of 16-bit digits.
fn check_big_product(a: Vec<u64>, b: Vec<u64>) {
    let small = |digits: &[u64]| -> Vec<u64> {
        digits.iter().flat_map(|digit| [0, 16, 32, 48].map(|shift| digit >> shift & 0xffff)).collect()
    };
    let (short, long) = (small(&a), small(&b));
    let mut sums = vec![0_u64; short.len() + long.len() + 4];
    for (place, digit) in short.iter().enumerate() {
        for (sum, other) in sums[place..].iter_mut().zip(&long) {
            *sum += digit * other;
        }
    }
    let mut carry = 0;
    let bytes = sums.iter().flat_map(|sum| {
        carry += sum;
        let bytes = (carry as u16).to_le_bytes();
        carry >>= 16;
        bytes
    });
    let mut expected: Vec<u8> = bytes.collect();
    expected.truncate(expected.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
    let what = format!("{} by {} digits", a.len(), b.len());
    let (a, b) = (Natural::new(a), Natural::new(b));
    for &variant in big_product::Variant::ALL {
        assert!(big_product::call(variant, &a, &b).to_le_bytes() == expected, "{variant} of {what}");
    }
}

#[test]
fn every_variant_compresses_at_the_ratio_that_is_asked_for() {
    let mut random = Random::new(6);
    for seed in 0..60 {
        let drawn = inputs::compress::draw(&mut random, &inputs::compress::FAMILIES, (1, 20_000), (50, 800));
        let name = format!("test/{drawn}-s{seed}");
        let (data, least_ratio) = inputs::compress::load(&name, 0).unwrap();
        check_compress(&data, least_ratio, &name);
    }
    check_compress(&[], 2.0, "no bytes");
    check_compress(&[0; 100_000], 500.0, "a ratio of hundreds");
    check_compress(&[1, 2, 3], f64::NAN, "a ratio that is no number");
}

fn check_compress(data: &[u8], least_ratio: f64, what: &str) {
    let strongest = compress::call(compress::Variant::Strongest, data, least_ratio);
    for &variant in compress::Variant::ALL {
        let compressed = compress::call(variant, data, least_ratio);
        assert!(compressed.decompress().as_deref() == Some(data), "{variant} of {what}");
        let reached = compressed.ratio() >= least_ratio;
        assert!(reached || compressed == strongest, "{variant} of {what}: {}", compressed.ratio());
    }
}

#[test]
fn every_variant_transforms() {
    for length in (0..=70).chain([97, 128, 360, 1_024, 1_031]) {
        let name = format!("test/signal-n{length}-s{length}");
        let signal = inputs::transform::load(&name, 0).unwrap();
        let expected = frequencies(&signal);
        for &variant in transform::Variant::ALL {
            let mut transformed = signal.clone();
            if transform::admissible(variant, &mut transformed) {
                transform::call(variant, &mut transformed);
                let apart = difference(&expected, &transformed);
                assert!(apart < 1e-5, "{variant} of {name}: {apart}");
            }
        }
    }
}

/// The definition, in double precision.
fn frequencies(signal: &[Complex<f32>]) -> Vec<Complex<f32>> {
    let step = -std::f64::consts::TAU / signal.len() as f64;
    let sum = |frequency: usize| {
        let terms = signal.iter().enumerate().map(|(place, value)| {
            let angle = step * (frequency * place % signal.len()) as f64;
            Complex::new(f64::from(value.re), f64::from(value.im)) * Complex::cis(angle)
        });
        terms.sum::<Complex<f64>>()
    };
    (0..signal.len()).map(sum).map(|sum| Complex::new(sum.re as f32, sum.im as f32)).collect()
}

#[test]
fn what_is_judged_by_was_not_learned_from() {
    for names in [
        inputs::sort::names(),
        inputs::find::names(),
        inputs::matmul::names(),
        inputs::group::names(),
        inputs::big_product::names(),
        inputs::compress::names(),
        inputs::transform::names(),
    ] {
        let made = |split: &str| names.iter().filter_map(|name| name.strip_prefix(split)).collect::<Vec<_>>();
        let (train, test) = (made("train/"), made("test/"));
        assert!(train.len() >= 200 && test.len() >= 100, "{} and {}", train.len(), test.len());
        assert!(!test.iter().any(|made| train.contains(made)));
    }
}
