//! What the documents say is what `guide/figures.json` has, and what that has is what the recordings give.

use std::collections::BTreeSet;

use nitro_figures::blocks;
use nitro_figures::compute::evaluation::{evaluate, mode};
use nitro_figures::documents::{DOCUMENTS, block_names, check_all, handwritten, measured_names, read};
use nitro_figures::figures::{Figures, Remade, differences};
use nitro_figures::parts;
use nitro_figures::recordings::{GINKGO, shipped};
use nitro_train::evaluate::{LeaveOut, Split};

fn kept() -> Figures {
    Figures::read(&Figures::path()).unwrap()
}

fn texts() -> Vec<String> {
    DOCUMENTS.iter().map(|document| read(document).unwrap()).collect()
}

#[test]
fn the_documents_say_what_the_file_has() {
    check_all(&kept()).unwrap();
}

#[test]
fn a_figure_that_the_file_has_otherwise_is_seen() {
    let mut figures = kept();
    let sort = figures.remade.functions.get_mut("sort").unwrap();
    *sort.device.devices[0].means.get_mut("auto").unwrap() -= 10.0;
    assert!(check_all(&figures).unwrap_err().to_string().contains("README.md"));
}

#[test]
fn every_block_and_every_measured_figure_stands_somewhere() {
    let texts = texts();
    let blocks_used: BTreeSet<&str> = texts.iter().flat_map(|text| block_names(text)).collect();
    assert_eq!(blocks_used, blocks::names().collect());
    let used: BTreeSet<&str> = texts.iter().flat_map(|text| measured_names(text)).collect();
    let in_tables = ["main-job.", "sklearn."]; // `blocks::measured`
    for source in kept().measured {
        assert!(!source.command.is_empty() && !source.machine.is_empty() && !source.date.is_empty());
        for name in source.values.keys() {
            let is_used = used.contains(&**name) || in_tables.iter().any(|table| name.starts_with(table));
            assert!(is_used, "{name} stands nowhere");
        }
    }
}

/// Decimal fractions that are no figures.
const VERSIONS: [&str; 2] = ["3.37", "4.0"];

#[test]
fn nobody_writes_a_figure_by_hand() {
    for document in ["README.md", "guide/src/results.md", "guide/src/learning.md"] {
        let text = handwritten(&read(document).unwrap());
        let text = match document {
            "README.md" => text.split("## How well it does").nth(1).unwrap().split("\n## ").next().unwrap(),
            _ => &text,
        };
        let is_of_number = |letter: char| letter.is_ascii_digit() || letter == '.';
        for word in text.split(|letter| !is_of_number(letter)) {
            let is_fraction = word.trim_matches('.').contains('.');
            assert!(!is_fraction || VERSIONS.contains(&word.trim_matches('.')), "{document}: {word}");
        }
    }
}

#[test]
fn the_picture_of_a_call_shows_what_was_measured() {
    let (picture, figures) = (read("guide/src/call.svg").unwrap(), kept());
    for name in ["no-model.ns", "repeated.ns", "svm-200.ns", "forest-64.ns"] {
        let ns: f64 = figures.measured(&format!("dispatch.{name}")).unwrap().parse().unwrap();
        assert!(picture.contains(&format!(">{ns:.0}<")), "{name}: run scripts/draw_call.py");
    }
}

#[test]
fn ginkgos_recordings_are_what_the_results_say() {
    let recordings = shipped(GINKGO).unwrap();
    let split = Split::by_name(&recordings);
    let count = |number: usize, of: &str| match number {
        1000.. => format!("{},{:03} {of}", number / 1000, number % 1000),
        _ => format!("{number} {of}"),
    };
    let text = read("guide/src/results.md").unwrap();
    for said in [
        count(recordings.inputs.len(), "matrices of the SuiteSparse collection"),
        count(split.train.len(), "training and"),
        count(split.test.len(), "test matrices, split by group"),
    ] {
        assert!(text.contains(&said), "{said}");
    }
    assert_eq!((recordings.variants.len(), recordings.devices.len()), (10, 4));
}

#[test]
fn quick_parts_are_what_the_recordings_give() {
    let (kept, mut remade) = (kept().remade, Remade::default());
    for part in ["slice", "profiles", "spread"] {
        parts::remake(part, &mut remade).unwrap();
    }
    assert_eq!(differences(&kept.slice, &remade.slice), [""; 0]);
    assert_eq!(differences(&kept.profiles, &remade.profiles), [""; 0]);
    assert_eq!(differences(&kept.spread, &remade.spread), [""; 0]);
}

/// One function whole, one way of leaving out; all of them take minutes: `cargo run --release -p nitro-figures -- --check`.
#[test]
fn the_figures_of_a_function_are_what_its_recordings_give() {
    let kept = kept().remade.functions.remove("transpose").unwrap().device;
    let evaluation = evaluate(&shipped("transpose").unwrap(), LeaveOut::Device).unwrap();
    let remade = mode(&evaluation);
    assert_eq!(differences(&kept, &remade), [""; 0]);
    // What the documents make of the means is what the library says.
    for one in evaluation.by_device_features() {
        for set in &one.sets {
            let name = set.device_features.name();
            let published = kept.with_set(one.learner, name).unwrap();
            assert!((published - 100.0 * set.mean).abs() < 0.05, "{} {name}", one.learner);
        }
    }
}
