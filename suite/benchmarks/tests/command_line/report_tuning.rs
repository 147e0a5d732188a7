//! What the page says of tuning parameters, as a user gets it of a store with configurations that another tool has
//! measured.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::Value;

use crate::report::part;
use crate::search::cache;
use crate::trainer::success;

/// A function of twelve configurations on two devices and one input, so that nothing can be left out, and a page
/// with two searches of each strategy.
static PAGE: LazyLock<(tempfile::TempDir, String)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    for (device, best) in [("A100", 2), ("A4000", 3)] {
        fs::write(folder.path().join(format!("{device}.json")), cache(device, best)).unwrap();
    }
    success(
        folder.path(),
        &["import", "--store", "s.db", "--function", "mm", "--kernel-tuner", "A100.json", "A4000.json"],
    );
    let page = report(folder.path(), &["--searches", "2"]);
    (folder, page)
});

fn report(folder: &Path, more: &[&str]) -> String {
    success(folder, &[&["report", "--store", "s.db", "--out", "page.html"], more].concat());
    fs::read_to_string(folder.join("page.html")).unwrap()
}

#[test]
fn the_curves_are_those_of_search_replay() {
    let (folder, page) = &*PAGE;
    let searches = part(page, "mm", "How soon searches find the best");
    let strategies = ["transfer", "model", "genetic", "climb", "random"];
    for strategy in strategies {
        let arguments =
            ["search", "--store", "s.db", "--replay", "--json", "--seeds", "2", "--evaluations", "12"];
        let json = success(folder.path(), &[&arguments[..], &["--strategy", strategy]].concat());
        let replayed: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let mean = |count: &str| {
            let shares = replayed.iter().map(|one| one["best_after"][count].as_f64().unwrap());
            format!("{:.1}", 100.0 * shares.sum::<f64>() / replayed.len() as f64)
        };
        let expected = format!("{strategy}: 1: {}, 2: ", mean("1"));
        assert!(searches.contains(&expected), "no {expected} in {searches}");
        let row = &searches[searches.find(&format!("<th scope=\"row\">{strategy}</th>")).unwrap()..];
        let cells: Vec<&str> =
            row.split("<td>").skip(1).map(|cell| cell.split('<').next().unwrap()).collect();
        // After 1, 2, 5 and all 12 evaluations.
        assert_eq!((cells[0], cells[2]), (&*mean("1"), &*mean("5")), "{strategy}");
    }
    assert_eq!(searches.matches("class=\"band b").count(), strategies.len());
}

#[test]
fn without_being_asked_for_nothing_is_searched() {
    let (folder, with) = &*PAGE;
    let page = report(folder.path(), &[]);
    assert!(!page.contains("How soon searches"));
    assert_eq!(part(&page, "mm", "Which parameters matter"), part(with, "mm", "Which parameters matter"));
}

#[test]
fn the_tile_matters_most_and_its_best_cells_are_those_of_the_table() {
    let (_, page) = &*PAGE;
    assert!(page.contains("12 configurations"));
    let importance = part(page, "mm", "Which parameters matter");
    assert!(importance.contains("<strong>Most of all <code>tile</code></strong>"), "{importance}");
    // Tile 2 is best on one device and takes 2 of 1 ms on the other, as tile 3 does.
    let map = part(page, "mm", "Where the fast configurations lie");
    let expected =
        "<strong><code>tile = 2</code> with <code>staged = true</code> reaches 75.0\u{a0}%</strong>";
    assert!(map.contains(expected), "{map}");
    // Staged tile 6 failed on both.
    assert!(map.contains("<code>tile = 6</code> with <code>staged = true</code> at best 0.0."), "{map}");
}

#[test]
fn two_choices_are_enough_for_two_devices() {
    let (_, page) = &*PAGE;
    let emitted = part(page, "mm", "Choices that are told apart");
    let verdict = "A model may choose among 2 of 12 choices: 100.0\u{a0}% on these inputs.";
    assert!(emitted.contains(verdict), "{emitted}");
    assert!(emitted.contains("all inputs: 1: 75.0, 2: 100.0"), "{emitted}");
}
