//! What the documents say is what `guide/figures.json` has, and what that has is what the recordings give.

use std::collections::BTreeSet;

use nitro_figures::blocks;
use nitro_figures::compute::evaluation::{evaluate, mode};
use nitro_figures::compute::nearness::near;
use nitro_figures::compute::vendor;
use nitro_figures::documents::{DOCUMENTS, block_names, check_all, handwritten, measured_names, read};
use nitro_figures::figures::{Figures, Remade, Vendor, differences};
use nitro_figures::numbers::{amounts, says_when_measured, sections};
use nitro_figures::parts;
use nitro_figures::recordings::{GINKGO, shipped};
use nitro_figures::root;
use nitro_learn::evaluate::{LeaveOut, Split};

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

/// By document what looks measured and is a version, a setting, a definition or a property of a machine.
const NOT_MEASURED: [(&str, &[&str]); 14] = [
    ("README.md", &["1.95"]),
    ("guide/src/ci.md", &["5 %", "95 %"]),
    ("guide/src/decided.md", &["2 %"]),
    ("guide/src/g-adapt.md", &["48 KiB"]),
    ("guide/src/learning.md", &["2 %"]),
    ("guide/src/nests.md", &["9.0", "8.0", "48 KiB", "99 KiB"]),
    ("guide/src/paper.md", &["48 KiB"]),
    ("guide/src/paper-g-adapt.md", &["1 %", "0.2"]),
    ("guide/src/paper-coding-ants.md", &["0.1", "0.05", "0.95", "5 %", "0.09"]),
    ("guide/src/paper-gevo.md", &["80 %", "30 %", "1 %"]),
    ("guide/src/questions.md", &["60 ms", "1.95"]),
    ("guide/src/recording.md", &["1 %", "60 ms", "5 %", "10 %", "10 ms", "0.2", "0.4"]),
    ("guide/src/results.md", &["4.0", "3.37"]),
    ("guide/src/transfer.md", &["95 %"]),
];

/// Every page of the guide, the README, and what tells of the shipped recordings.
fn pages() -> Vec<String> {
    let guide = std::fs::read_dir(root().join("guide/src")).unwrap();
    let names = guide.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut pages: Vec<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("guide/src/{name}")).collect();
    pages.extend(["README.md", "models/README.md"].map(String::from));
    pages
}

/// Each amount of a page outside its blocks whose section does not say when, how and at which commit, with its section.
fn undated(page: &str) -> Vec<(String, String)> {
    let text = handwritten(&read(page).unwrap());
    let mut undated = Vec::new();
    for section in sections(&text).iter().filter(|section| !says_when_measured(section)) {
        let heading = section.lines().next().unwrap_or_default();
        undated.extend(amounts(section).into_iter().map(|amount| (heading.to_owned(), amount)));
    }
    undated
}

#[test]
fn a_measured_number_is_remade_or_says_when_how_and_at_which_commit_it_was_measured() {
    let mut unused: BTreeSet<(String, String)> = NOT_MEASURED
        .iter()
        .flat_map(|(page, all)| all.iter().map(|amount| ((*page).to_owned(), (*amount).to_owned())))
        .collect();
    let exceptions = unused.clone();
    let mut wrong = String::new();
    for page in pages() {
        for (heading, amount) in undated(&page) {
            let stands = (page.clone(), amount);
            unused.remove(&stands);
            if !exceptions.contains(&stands) {
                wrong += &format!("{page}, {heading}: {}\n", stands.1);
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "nobody measured these: write `Measured on DATE with `COMMAND`, commit HASH` in the section\n{wrong}"
    );
    assert!(unused.is_empty(), "these exceptions stand nowhere any more: {unused:?}");
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
    for (function, size) in vendor::FUNCTIONS {
        let kept = &kept.vendor[function];
        let times = Vendor { auto: kept.auto, ..vendor::times(function, size).unwrap() };
        assert_eq!(differences(kept, &times), [""; 0], "{function}");
    }
    for (function, kept) in &kept.functions {
        assert_eq!(near(&shipped(function).unwrap()).len(), kept.near_training, "{function}");
    }
    assert_eq!(differences(&kept.profiles, &remade.profiles), [""; 0]);
    assert_eq!(differences(&kept.spread, &remade.spread), [""; 0]);
}

/// One function whole, one way of leaving out; all of them take minutes:
/// `cargo run --release -p nitro-figures -- --check`.
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
