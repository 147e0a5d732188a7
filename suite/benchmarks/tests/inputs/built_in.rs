//! Names of built-in inputs make the same inputs everywhere, and training inputs are no test inputs.

use std::collections::HashSet;

use nitro_benchmarks::inputs::{histogram, sort, spmv, transpose};

fn all_names() -> [(&'static str, Vec<String>); 4] {
    [
        ("histogram", histogram::names()),
        ("spmv", spmv::names()),
        ("sort", sort::names()),
        ("transpose", transpose::names()),
    ]
}

/// The input of a name as far as it can be compared; panics if there is none.
fn fingerprint(function: &str, name: &str) -> Vec<u64> {
    match function {
        "histogram" => histogram::load(name).unwrap().pixels.into_iter().map(u64::from).collect(),
        "sort" => match sort::load(name).unwrap() {
            sort::Keys::F32(keys) => keys.into_iter().map(|key| u64::from(key.to_bits())).collect(),
            sort::Keys::F64(keys) => keys.into_iter().map(f64::to_bits).collect(),
        },
        "spmv" => {
            let a = spmv::load(name).unwrap();
            let shape = [a.rows() as u64, a.columns() as u64];
            let entries = a
                .entries()
                .flat_map(|(row, column, value)| [u64::from(row), u64::from(column), value.to_bits()]);
            shape.into_iter().chain(entries).collect()
        }
        _ => {
            let dense = transpose::load(name).unwrap();
            vec![dense.rows as u64, dense.columns as u64, dense.values.len() as u64]
        }
    }
}

#[test]
fn there_are_enough_inputs_of_both_kinds_and_none_twice() {
    for (function, names) in all_names() {
        let distinct: HashSet<&String> = names.iter().collect();
        assert_eq!(distinct.len(), names.len(), "{function}");
        let train = names.iter().filter(|name| name.starts_with("train/")).count();
        let test = names.iter().filter(|name| name.starts_with("test/")).count();
        assert_eq!(train + test, names.len(), "{function}");
        assert!((70..=130).contains(&train) && (40..=70).contains(&test), "{function}: {train} and {test}");
    }
}

#[test]
fn test_inputs_differ_from_training_inputs_in_more_than_the_seed() {
    for (function, names) in all_names() {
        let parts = |split: &str| -> HashSet<String> {
            let rest = names.iter().filter_map(|name| name.strip_prefix(split));
            rest.map(|name| name.rsplit_once("-s").map_or(name, |(parameters, _)| parameters).to_owned())
                .collect()
        };
        assert!(parts("train/").is_disjoint(&parts("test/")), "{function}");
    }
}

#[test]
fn every_family_and_every_shipped_matrix_loads_alike_twice() {
    for (function, names) in all_names() {
        let mut families = HashSet::new();
        for name in names {
            let family = name.split(['/', '-']).nth(1).unwrap().to_owned();
            let shipped = name.starts_with("test/suitesparse/");
            if shipped || families.insert(family) {
                assert!(fingerprint(function, &name) == fingerprint(function, &name), "{name}");
            }
        }
    }
}

#[test]
fn inputs_are_the_same_on_every_machine_and_in_every_version() {
    // Recordings are kept by name: a generator that changes must change its names.
    let sum = |values: Vec<u64>| {
        values.iter().fold(0u64, |sum, value| sum.rotate_left(5) ^ value.wrapping_mul(0x9e37))
    };
    let cases = [
        ("histogram", "train/few-n3000-k5-s1", 0xb912063bd3a589d5),
        ("histogram", "train/mask-n3000-k3-s1", 0x246c01906014d6b7),
        ("sort", "train/almost-n500-b64-p30-s1", 0x0d4d2a89ea296186),
        ("spmv", "train/rmat-n9-k6-s1", 0xbd9cbdd733f06e80),
        ("spmv", "train/blocks-n500-k4-d2-s1", 0x64eb9e157a3b55cd),
        ("spmv", "train/power-n800-k5-s1", 0x6a068754dcab51f7),
        ("histogram", "train/photo-n3000-d9-s1", 0xa7179c9381e06467),
        ("histogram", "train/skewed-n3000-d20-s1", 0xb76348162f304a21),
    ];
    let found = cases.map(|(function, name, _)| (function, name, sum(fingerprint(function, name))));
    assert_eq!(found, cases);
    let names = all_names().map(|(_, names)| sum(names.concat().bytes().map(u64::from).collect()));
    assert_eq!(names, [85486941212611237, 12147314031147075263, 16323856972525059526, 13132223370540865012]);
}

#[test]
fn unknown_names_are_explained() {
    let messages = [
        (histogram::load("train/unifrom-n5-s1").unwrap_err().to_string(), "there is no family `unifrom`"),
        (histogram::load("missing.png").unwrap_err().to_string(), "there is no such file"),
        (sort::load("missing.txt").unwrap_err().to_string(), "reads no files"),
        (sort::load("train/uniform-n10-b33-s1").map(|_| ()).unwrap_err().to_string(), "`b` is 33"),
        (transpose::load("train/square-m5").unwrap_err().to_string(), "`n` is missing"),
        (transpose::load("train/square-m5-n16777217").unwrap_err().to_string(), "between 1 and 16777216"),
        (spmv::load("train/stencil2d-g5-s1-s2").unwrap_err().to_string(), "`s` is given twice"),
        (spmv::load("train/random-m9-n9-k99999999999-s1").unwrap_err().to_string(), "`k` is 99999999999"),
        (spmv::load("test/suitesparse/nowhere").unwrap_err().to_string(), "494_bus"),
    ];
    for (message, words) in messages {
        assert!(message.contains(words), "{message}");
    }
}
