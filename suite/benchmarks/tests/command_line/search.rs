//! `train search --replay` as a user types it, on what Kernel Tuner has measured.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::trainer::text;

fn train(folder: &Path, arguments: &str) -> (i32, String, String) {
    let output = crate::trainer::train(folder, &arguments.split(' ').collect::<Vec<_>>());
    (output.status.code().expect("it ends by itself"), text(&output.stdout), text(&output.stderr))
}

/// A cache of a kernel of twelve configurations, one of which fails, on a device on which this tile is best.
pub(crate) fn cache(device: &str, best: u32) -> String {
    let entry = |tile: u32, staged: bool| {
        let time = match (tile, staged) {
            (6, true) => "\"CompilationFailedConfig\"".to_owned(),
            _ => format!("{}", 1.0 + f64::from(tile.abs_diff(best)) + if staged { 0.0 } else { 0.25 }),
        };
        format!("\"{tile},{staged}\": {{\"tile\": {tile}, \"staged\": {staged}, \"time\": {time}}}")
    };
    let entries: Vec<_> = (1..=6).flat_map(|tile| [false, true].map(|staged| entry(tile, staged))).collect();
    format!(
        "{{\"device_name\": \"{device}\", \"kernel_name\": \"mm\", \"problem_size\": [64, 64], \"tune_params_keys\": [\"tile\", \"staged\"],\n\
         \"cache\": {{\n{},",
        entries.join(",\n")
    )
}

#[test]
fn caches_of_kernel_tuner_are_imported_and_replayed() {
    let folder = tempfile::tempdir().unwrap();
    for (device, best) in [("A100", 2), ("A4000", 3)] {
        fs::write(folder.path().join(format!("{device}.json")), cache(device, best)).unwrap();
    }
    let import = "import --store s.db --function mm --kernel-tuner A100.json A4000.json";
    let (code, out, errors) = train(folder.path(), import);
    assert_eq!(
        (code, &*out),
        (0, "mm: 24 measurements of 1 variant on 1 input and 2 devices, 12 configurations listed\n"),
        "{errors}"
    );
    let replay = "search --store s.db --replay --seeds 3 --evaluations 10";
    let (code, out, errors) = train(folder.path(), &format!("{replay} --strategy all --json"));
    assert_eq!(code, 0, "{errors}");
    let objects: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), 2 * 9, "each strategy on each device");
    let transfer =
        objects.iter().find(|one| one["strategy"] == "transfer" && one["device"] == "A4000").unwrap();
    assert_eq!(
        (&transfer["function"], &transfer["input"], &transfer["sources"]),
        (&"mm".into(), &"64x64".into(), &vec!["A100"].into())
    );
    assert_eq!(
        (&transfer["configurations"], &transfer["valid"], &transfer["seeds"]),
        (&12.into(), &11.into(), &3.into())
    );
    let (code, again, _) = train(folder.path(), &format!("{replay} --strategy all --json"));
    assert_eq!((code, again), (0, out), "the same seeds, the same searches");

    let (code, table, _) =
        train(folder.path(), &format!("{replay} --sources none --device A100 --strategy random --wide"));
    assert_eq!(code, 0);
    assert!(
        table.starts_with("mm, input 64x64: 12 configurations\n")
            && table.contains("% at 10")
            && table.contains("\nA100, random ")
            && table.lines().count() == 3,
        "{table}"
    );
}

#[test]
fn the_guide_s_commands_work() {
    let folder = tempfile::tempdir().unwrap();
    for device in ["A100", "A4000"] {
        fs::write(folder.path().join(format!("{device}.json")), cache(device, 3)).unwrap();
    }
    let page = include_str!("../../../../guide/src/kernel-tuner.md");
    let blocks = page.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("text\n"));
    let commands: Vec<&str> =
        blocks.flat_map(str::lines).filter_map(|line| line.strip_prefix("train ")).collect();
    assert_eq!(commands.len(), 3);
    for command in commands {
        let (code, out, errors) = train(folder.path(), command);
        assert!(code == 0 && !out.is_empty(), "{command}: {errors}");
    }
}

#[test]
fn what_cannot_be_searched_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let message = |arguments: &str| {
        let (code, _, errors) = train(folder.path(), arguments);
        (code, errors)
    };
    let (code, errors) = message("search --store s.db --replay --strategy hill");
    assert!(code == 2 && errors.contains("there is no search strategy `hill`"), "{errors}");
    let (code, errors) = message("search --store s.db --replay");
    assert!(code == 1 && errors.contains("no recordings"), "{errors}");
    let (code, errors) = message("import --function f --kernel-tuner a.json --measurements m.csv");
    assert!(code == 2 && errors.contains("cannot be used with"), "{errors}");
}
