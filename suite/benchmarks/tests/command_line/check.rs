//! `train check` as the continuous integration of an application runs it: it lets good models pass and says what to
//! change about others.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::trainer::text;
use serde_json::Value;
use tempfile::TempDir;

/// Exit code, standard output and standard error of the trainer.
fn train(folder: &Path, arguments: &str) -> (i32, String, String) {
    let output = crate::trainer::train(folder, &arguments.split(' ').collect::<Vec<_>>());
    (output.status.code().expect("it ends by itself"), text(&output.stdout), text(&output.stderr))
}

#[track_caller]
fn passes(folder: &Path, arguments: &str) -> String {
    let (code, out, errors) = train(folder, arguments);
    assert_eq!((code, errors.contains("error")), (0, false), "{arguments}: {errors}");
    out
}

/// The sentences, one a problem.
#[track_caller]
fn fails(folder: &Path, arguments: &str) -> Vec<String> {
    let (code, _, errors) = train(folder, arguments);
    assert_eq!(code, 1, "{arguments}: {errors}");
    errors.lines().filter_map(|line| line.strip_prefix("error: ")).map(str::to_owned).collect()
}

/// Two devices on which small inputs want `fast` and large ones `slow`.
const MEASUREMENTS: &str = "device,input,variant,time_ns\n\
    A,train/x,slow,200\nA,train/x,fast,100\nA,train/y,slow,100\nA,train/y,fast,300\nA,test/z,slow,500\nA,test/z,fast,250\n\
    B,train/x,slow,220\nB,train/x,fast,110\nB,train/y,slow,110\nB,train/y,fast,310\nB,test/z,slow,510\nB,test/z,fast,255\n";
const INPUTS: &str = "input,size\ntrain/x,10\ntrain/y,1000\ntest/z,20\n";
const DEVICES: &str = "device,gbps\nA,100\nB,200\n";
const FILES: &str = "--measurements m.csv --inputs i.csv --devices d.csv";

fn import(folder: &Path, function: &str, measurements: &str, store: &str) {
    let files = [("m.csv", measurements), ("i.csv", INPUTS), ("d.csv", DEVICES)];
    files.iter().for_each(|(name, content)| fs::write(folder.join(name), content).unwrap());
    passes(folder, &format!("import --function {function} {FILES} --store {store}"));
}

/// A store `s.db` of these recordings, and in `models` what was fitted from it.
fn fitted(function: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    import(folder.path(), function, MEASUREMENTS, "s.db");
    passes(folder.path(), "fit --store s.db --selector svm --device-features none");
    folder
}

/// Where `models` were fitted from carried recordings, once for the tests that do no more than read them.
static CARRIED: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("check");
    fs::create_dir_all(&folder).unwrap();
    passes(&folder, "fit --function transpose --function cuda_transpose");
    folder
});

#[test]
fn models_fresh_from_the_carried_recordings_pass() {
    let lines = passes(&CARRIED, "check --function transpose --function cuda_transpose --json");
    for (line, devices) in lines.lines().zip([9, 7]) {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["devices"].as_object().unwrap().len(), devices, "{line}");
        let regret = line["regret"].as_f64().unwrap();
        assert!(regret > 0.0 && regret <= line["max_regret"].as_f64().unwrap(), "{line}");
        assert_eq!(line["problems"], serde_json::json!([]));
        assert_eq!(
            line["counts_choosing"],
            line["function"] == "transpose",
            "the time of its features is known"
        );
    }
    let table = passes(&CARRIED, "check --function transpose");
    assert!(table.contains("host:16@") && table.contains("1 of 1 models may be shipped"), "{table}");
    assert!(table.contains("with the time for choosing counted as in a fit: transpose"), "{table}");
}

#[test]
fn a_regret_above_the_bound_of_its_function_fails() {
    let check = "check --function transpose --max-regret";
    let problems = fails(&CARRIED, &format!("{check} 0"));
    assert!(
        problems.len() == 1 && problems[0].contains("`transpose`") && problems[0].contains("`max_regret`"),
        "{problems:?}"
    );
    passes(&CARRIED, &format!("{check} 0 --max-regret transpose=100"));
    fails(&CARRIED, &format!("{check} transpose=0 --max-regret 100"));
    let problems = fails(&CARRIED, &format!("{check} sort=3"));
    assert!(problems[0].contains("`sort`, which is not among"), "{problems:?}");
    assert!(problems[0].ends_with("(--max-regret)"), "{problems:?}");
}

#[test]
fn a_wrong_choice_on_a_held_out_input_is_regretted_on_its_device_alone() {
    let folder = fitted("f");
    passes(folder.path(), "check --store s.db");
    let worse = MEASUREMENTS.replace("B,test/z,slow,510", "B,test/z,slow,51");
    import(folder.path(), "f", &worse, "t.db");
    passes(folder.path(), "check --store t.db --device A");
    let problems = fails(folder.path(), "check --store t.db --device B");
    assert!(problems[0].contains("regret of 80.00 %") && problems[0].contains("`B`"), "{problems:?}");
}

#[test]
fn the_worst_inputs_are_named_with_what_was_chosen_and_what_was_best() {
    let folder = fitted("f");
    assert!(!passes(folder.path(), "check --store s.db").contains("lost most"), "every choice is the best");
    let worse = MEASUREMENTS.replace("B,test/z,slow,510", "B,test/z,slow,51");
    import(folder.path(), "f", &worse, "t.db");
    let (code, shown, _) = train(folder.path(), "check --store t.db");
    let line = "f lost most: test/z on B, 20 % of exhaustive search: fast where slow is best\n";
    assert!(code == 1 && shown.contains(line), "{shown}");
    let (_, shown, _) = train(folder.path(), "check --store t.db --json");
    let found: Value = serde_json::from_str(&shown).unwrap();
    let named = [("input", "test/z"), ("device", "B"), ("chosen", "fast"), ("best", "slow")];
    named.iter().for_each(|(key, name)| assert_eq!(found["worst_inputs"][0][key], *name, "{shown}"));
    assert_eq!(found["worst_inputs"][0]["share"], 0.2, "{shown}");
    let judged_on_a = passes(folder.path(), "check --store t.db --device A");
    assert!(!judged_on_a.contains("lost most"), "{judged_on_a}");
}

#[test]
fn other_recordings_than_stated_fail_and_a_round_trip_passes() {
    let folder = fitted("f");
    passes(folder.path(), &format!("export --function f {FILES} --store s.db"));
    passes(folder.path(), &format!("import --function f {FILES} --store again.db"));
    passes(folder.path(), "check --store again.db");

    import(folder.path(), "f", &MEASUREMENTS.replace("A,train/x,slow,200", "A,train/x,slow,201"), "t.db");
    let problems = fails(folder.path(), "check --store t.db");
    assert!(problems.len() == 1 && problems[0].contains("other recordings of `A`, `B`"), "{problems:?}");

    let only_a: String =
        MEASUREMENTS.lines().filter(|row| !row.starts_with("B,")).map(|row| format!("{row}\n")).collect();
    fs::write(folder.path().join("d.csv"), DEVICES.replace("B,200\n", "")).unwrap();
    fs::write(folder.path().join("m.csv"), only_a).unwrap();
    passes(folder.path(), &format!("import --function f {FILES} --store a.db"));
    let problems = fails(folder.path(), "check --store a.db");
    assert!(
        problems.len() == 1 && problems[0].contains("`B`, of which there are no recordings"),
        "{problems:?}"
    );
}

#[test]
fn recordings_of_a_further_device_do_not_make_a_model_stale() {
    let folder = fitted("f");
    let further: String = MEASUREMENTS
        .replace("B,", "C,")
        .lines()
        .filter(|row| !row.starts_with("A,"))
        .map(|row| format!("{row}\n"))
        .collect();
    fs::write(folder.path().join("m.csv"), further).unwrap();
    fs::write(folder.path().join("d.csv"), DEVICES.replace("B,", "C,")).unwrap();
    passes(folder.path(), &format!("import --function f {FILES} --store s.db"));
    assert!(passes(folder.path(), "check --store s.db").contains(" C\n"), "the device is judged too");
}

#[test]
fn a_model_of_other_variants_and_features_than_the_code_fails() {
    let folder = fitted("transpose");
    let problems = fails(folder.path(), "check --store s.db");
    for (kind, gone, new) in [("variants", "`slow`, `fast`", "`c2r`"), ("features", "`size`", "`coprime`")] {
        let told = |words: &[&str]| problems.iter().any(|line| words.iter().all(|word| line.contains(word)));
        assert!(told(&["does not have its", kind, gone]), "{kind}: {problems:?}");
        assert!(told(&["does not know the", kind, new]), "{kind}: {problems:?}");
    }
    assert_eq!(problems.len(), 4, "{problems:?}");
}

#[test]
fn a_missing_damaged_or_mistaken_model_fails() {
    let folder = fitted("f");
    let problems = fails(folder.path(), "check --store s.db --models elsewhere");
    assert!(problems.len() == 1 && problems[0].contains("make one with `fit`"), "{problems:?}");

    let model = folder.path().join("models/f.model");
    import(folder.path(), "g", MEASUREMENTS, "s.db");
    fs::copy(&model, folder.path().join("models/g.model")).unwrap();
    let problems = fails(folder.path(), "check --store s.db");
    assert!(problems.len() == 1 && problems[0].contains("`g` holds the model of `f`"), "{problems:?}");

    fs::write(&model, b"NITROMDL").unwrap();
    let problems = fails(folder.path(), "check --store s.db --function f");
    assert!(problems.len() == 1 && problems[0].contains("f.model"), "{problems:?}");
}

#[test]
fn a_bound_that_is_none_is_wrong_usage() {
    for bound in ["101", "-1", "spmv=much", "nan"] {
        let (code, _, errors) = train(Path::new("."), &format!("check --max-regret={bound}"));
        assert!(code == 2 && errors.contains("--max-regret"), "{bound}: {errors}");
    }
}

/// A store may be shared with programs of other Cargo features. What those have measured besides is not this
/// program's to ship or to judge by.
#[test]
fn what_is_fitted_and_judged_is_of_this_programs_variants() {
    let folder = tempfile::tempdir().unwrap();
    let own = MEASUREMENTS.replace(",slow,", ",merge,").replace(",fast,", ",quick,");
    let inputs = ["A,train/x", "A,train/y", "A,test/z", "B,train/x", "B,train/y", "B,test/z"];
    let of_others: String = inputs.iter().map(|input| format!("{input},of_others,1\n")).collect();
    import(folder.path(), "sort", &own, "own.db");
    import(folder.path(), "sort", &(own + &of_others), "shared.db");
    let both = |command: &str| {
        ["own.db", "shared.db"].map(|store| passes(folder.path(), &format!("{command} --store {store}")))
    };

    let [alone, shared] = both("evaluate --json");
    assert_eq!(alone, shared);
    let [alone, shared] = both("fit --selector svm --device-features none");
    assert!(alone == shared && alone.contains("sort.model"), "{alone}{shared}");
    passes(folder.path(), "report --store shared.db --out page.html");
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(page.contains("quick") && !page.contains("of_others"));
}

/// A store of one program may hold what others have recorded, and a program may have more than was recorded.
#[test]
fn functions_of_other_programs_and_functions_without_recordings_are_said() {
    let folder = fitted("f");
    for command in ["fit", "check"] {
        let (_, _, said) = train(folder.path(), &format!("{command} --store s.db"));
        assert!(said.contains("f: recorded by another program"), "{command}: {said}");
        let is_said = |line: &&str| line.starts_with("left out, as nothing was recorded of them: ");
        assert_eq!(
            said.lines().filter(is_said).filter(|line| line.contains("transpose")).count(),
            1,
            "{said}"
        );
    }
    let (code, _, said) = train(folder.path(), "fit --store s.db --function transpose");
    assert!(
        code == 1 && said.contains("no recordings of `transpose`") && said.contains("`record`"),
        "{said}"
    );
}

/// What `fit` says of its model is what is to be expected of it: on devices and inputs that were left out of those.
#[test]
fn fit_says_what_its_model_achieved_on_what_was_left_out() {
    let folder = tempfile::tempdir().unwrap();
    for strategy in ["", " --selector forest --device-features all"] {
        let line = passes(folder.path(), &format!("fit --function transpose{strategy}"));
        let (_, score) = line.split_once("inputs; ").expect("a score");
        let score: f64 = score.split(' ').next().unwrap().parse().unwrap();
        assert!((90.0..100.0).contains(&score) && line.contains("on devices and inputs left out"), "{line}");
    }
}
