//! Files of Kernel Tuner are taken as they are, and what is wrong in one is told with its place.

use std::path::{Path, PathBuf};

use nitro_train::exchange::{Files, export, import, import_kernel_tuner};
use nitro_train::recordings::{Measurement, Outcome, Recordings};
use nitro_train::store;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stores/data/kernel_tuner").join(name)
}

fn of<'r>(recordings: &'r Recordings, configuration: &str) -> &'r Measurement {
    let found = recordings.measurements.iter().find(|one| one.configuration == configuration);
    found.unwrap_or_else(|| panic!("{configuration}"))
}

/// How many have each outcome.
fn counts(recordings: &Recordings) -> [usize; 3] {
    ["time", "failed", "inadmissible"]
        .map(|name| recordings.measurements.iter().filter(|one| one.outcome.name() == name).count())
}

#[test]
fn a_cache_that_was_written_by_kernel_tuner() {
    let recordings = import_kernel_tuner("add", &[data("cache-1.5.json")]).unwrap();
    assert_eq!(recordings.variants, ["vector_add"]);
    assert_eq!(recordings.devices[0].id, "cache-1.5", "the C back end does not name its device");
    assert_eq!(
        (&*recordings.inputs[0].name, &*recordings.inputs[0].features),
        ("196608x1", &[196_608.0, 1.0][..])
    );
    assert_eq!(recordings.features, ["problem_size_x", "problem_size_y"]);
    assert_eq!(counts(&recordings), [14, 10, 0]);
    let space = recordings.space("vector_add").unwrap();
    assert_eq!(
        (space.parameters.join(" "), space.configurations.len()),
        ("BLOCK UNROLL order".to_owned(), 24)
    );
    let first = of(&recordings, "BLOCK=16,UNROLL=1,order=row");
    assert!(first.outcome.time_ns().is_some_and(|ns| (6e4..9e4).contains(&ns)), "{first:?}");
    assert!(first.repeats == 7 && first.spread_ns > 0.0);
    let uncompiled = of(&recordings, "BLOCK=48,UNROLL=2,order=row");
    assert_eq!((uncompiled.outcome, &*uncompiled.reason), (Outcome::Failed, "CompilationFailedConfig"));
    let too_large = of(&recordings, "BLOCK=2048,UNROLL=1,order=row");
    assert_eq!(
        (too_large.outcome, &*too_large.reason),
        (Outcome::Failed, "InvalidConfig"),
        "on this device, whatever others do"
    );
}

#[test]
fn t4_results_say_the_same_as_the_cache_of_their_run() {
    let cache = import_kernel_tuner("add", &[data("cache-1.5.json")]).unwrap();
    let results = import_kernel_tuner("add", &[data("results-1.5_T4.json")]).unwrap();
    assert_eq!(
        (&*results.devices[0].id, &*results.inputs[0].name, &*results.variants[0]),
        ("results-1.5", "only", "kernel")
    );
    assert_eq!(counts(&results), [14, 10, 0]);
    for one in &results.measurements {
        let other = of(&cache, &one.configuration);
        assert_eq!(
            (one.outcome, one.spread_ns, one.repeats),
            (other.outcome, other.spread_ns, other.repeats)
        );
    }
    assert_eq!(of(&results, "BLOCK=48,UNROLL=2,order=row").reason, "compile");
}

#[test]
fn a_cache_that_was_never_closed_has_all_its_entries() {
    let recordings = import_kernel_tuner("add", &[data("cache-0.4.json")]).unwrap();
    assert_eq!(counts(&recordings), [18, 0, 0]);
}

#[test]
fn what_is_imported_is_exported_imported_and_stored_again() {
    let folder = tempfile::tempdir().unwrap();
    let files = [data("cache-1.5.json"), data("cache-0.4.json")];
    let mut store = store::memory().unwrap();
    // 0.4 has three parameters' worth of configurations of the same kernel on the same problem: another device.
    let recordings = import_kernel_tuner("add", &files).unwrap();
    store.import(&recordings).unwrap();
    store.import(&recordings).unwrap(); // again changes nothing
    let [measurements, inputs, devices, parameters] =
        ["m.csv", "i.csv", "d.csv", "p.csv"].map(|name| folder.path().join(name));
    let files = Files {
        measurements,
        inputs,
        devices,
        parameters: Some(parameters),
        feature_times: None,
        artifacts: None,
    };
    export(&recordings, &files).unwrap();
    assert_eq!(import("add", &files).unwrap(), recordings);
    assert_eq!(store.load("add").unwrap().measurements.len(), 24 + 18);
}

/// A cache with these entries, on one line each, the first on line 3.
fn cache(entries: &str) -> String {
    format!(
        "{{\"device_name\": \"GPU\", \"kernel_name\": \"k\", \"problem_size\": 64,\n\"tune_params_keys\": [\"a\", \"b\"], \"cache\": {{\n{entries}}}}}"
    )
}

fn read(text: &[u8]) -> Result<Recordings, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("A100_T4.json");
    std::fs::write(&file, text).unwrap();
    import_kernel_tuner("f", &[file])
        .map_err(|error| error.to_string().replace(&format!("{}/", folder.path().display()), ""))
}

#[track_caller]
fn refused(text: impl AsRef<[u8]>, message: &str) {
    let error = read(text.as_ref()).unwrap_err();
    assert!(error.starts_with(message), "{error}");
}

#[test]
fn every_way_in_which_a_version_says_that_something_failed() {
    let recordings = read(
        cache(
            "\"1,1\": {\"a\": 1, \"b\": 1, \"time\": 1e20},
             \"1,2\": {\"a\": 1, \"b\": 2, \"time\": \"RuntimeFailedConfig\"},
             \"1,3\": {\"a\": 1, \"b\": 3, \"time\": \"InvalidConfig\", \"times\": []},
             \"1,4\": {\"a\": 1, \"b\": 4, \"__error__\": \"CompilationFailedConfig\", \"nvml_power\": {\"x\": [NaN]}},
             \"1,5\": {\"a\": 1, \"b\": 5, \"time\": NaN},
             \"1,6\": {\"a\": 1.0, \"b\": 6, \"time\": 2, \"GFLOP/s\": Infinity},
             \"x,y;z,true\": {\"a\": \"x,y\", \"b\": true, \"time\": 0.5}",
        )
        .as_bytes(),
    )
    .unwrap();
    assert_eq!(counts(&recordings), [2, 5, 0]);
    assert_eq!(recordings.devices[0].id, "GPU");
    assert_eq!(of(&recordings, "a=1,b=6").outcome, Outcome::Time(2e6));
    assert_eq!(of(&recordings, "a=x;y,b=true").outcome, Outcome::Time(5e5), "a comma would end the value");
    let reasons = [2, 3, 4].map(|b| of(&recordings, &format!("a=1,b={b}")).reason.clone());
    assert_eq!(reasons, ["RuntimeFailedConfig", "InvalidConfig", "CompilationFailedConfig"]);
}

#[test]
fn results_have_units_reasons_and_repeats() {
    let result = |a: u32, rest: &str| format!("{{\"configuration\": {{\"a\": {a}}}, {rest}}}");
    let time = |unit: &str| {
        format!(
            "\"invalidity\": \"correct\", \"correctness\": 1, \"times\": {{\"runtimes\": [1000, 3000]}}, \
             \"measurements\": [{{\"name\": \"power\", \"value\": 3, \"unit\": \"W\"}}, {{\"name\": \"time\", \"value\": 2, \"unit\": \"{unit}\"}}]"
        )
    };
    let failed = |why: &str| format!("\"invalidity\": \"{why}\", \"times\": {{}}, \"correctness\": 0");
    let results = [
        result(1, &time("s")),
        result(2, &time("ms")),
        result(3, &time("")),
        result(4, &failed("timeout")),
        result(5, &failed("correctness")),
        result(6, &failed("constraints")),
    ];
    let text = format!(
        "{{\"metadata\": {{\"timeunit\": \"miliseconds\", \"device_name\": \"RTX\"}}, \"results\": [{}]}}",
        results.join(",")
    );
    let recordings = read(text.as_bytes()).unwrap();
    assert_eq!(recordings.devices[0].id, "RTX");
    let outcome = |a: u32| of(&recordings, &format!("a={a}")).outcome;
    assert_eq!([1, 2, 3].map(outcome), [2e9, 2e6, 2e6].map(Outcome::Time));
    assert_eq!([4, 5, 6].map(outcome), [Outcome::Failed, Outcome::Wrong, Outcome::Failed]);
    assert_eq!(of(&recordings, "a=1").spread_ns, 1e9, "repeats are in the unit of the file");
}

#[test]
fn what_cannot_be_taken_is_named_with_file_and_line() {
    refused("", "A100_T4.json:1: the file is empty");
    refused("{}", "A100_T4.json:1: this is neither a cache of Kernel Tuner");
    refused("[1, 2]", "A100_T4.json:1: ");
    refused("{\"metadata\": {\"hardware\": {}}}", "A100_T4.json:1: this is neither");
    refused(cache(""), "A100_T4.json:1: no configuration was measured");
    refused(cache("\"1,1\": {\"a\": 1, \"b\": 1}"), "A100_T4.json:3: configuration `1,1` has no `time`");
    refused(cache("\"1\": {\"a\": 1, \"time\": 1}"), "A100_T4.json:3: configuration `1` lacks parameter `b`");
    refused(
        cache("\"1\": {\"a\": {}, \"b\": 1, \"time\": 1}"),
        "A100_T4.json:3: configuration `1` has a value of `a`",
    );
    let below = "\"0,1\": {\"a\": 0, \"b\": 1, \"time\": 1},\n\"1,1\": {\"a\": 1, \"b\": 1, \"time\": -2.5}";
    refused(cache(below), "A100_T4.json:4: configuration `1,1` has time -2.5");
    let twice = "\"1,1\": {\"a\": 1, \"b\": 1, \"time\": 1}, \"1,1\": {\"a\": 1, \"b\": 1, \"time\": 2}";
    refused(cache(twice), "A100_T4.json:1: configuration `a=1,b=1` on device `GPU` is in ");
    refused(
        "{\"results\": [{\"configuration\": {\"a\": 1}, \"invalidity\": \"correct\", \"measurements\": [{\"name\": \"score\", \"value\": 1}]}]}",
        "A100_T4.json:1: result 1 (a=1) has no measurement `time`",
    );
}

#[test]
fn hostile_files_are_refused_in_one_sentence() {
    refused(b"{\"cache\": {\n\"\xff\": 1}}", "A100_T4.json:2: byte 2 of the line is not UTF-8");
    refused("[".repeat(1 << 20), "A100_T4.json:1: ");
    let deep =
        format!("\"1,1\": {{\"a\": {}1{}, \"b\": 1, \"time\": 1}}", "[".repeat(1 << 18), "]".repeat(1 << 18));
    refused(cache(&deep), "A100_T4.json:");
    refused(
        cache("\"1,1\": {\"a\": 1, \"b\": 1, \"time\": 1e999}"),
        "A100_T4.json:3: this is not JSON: number out of range",
    );
    let long = "x".repeat(1 << 20);
    let error =
        read(cache(&format!("\"1\": {{\"a\": \"{long}\", \"b\": 1, \"time\": 1}}")).as_bytes()).unwrap_err();
    assert!(error.len() < 500, "{error}");
    refused(
        &cache("\"1,1\": {\"a\": 1, \"b\": 1, \"time\": 1}")[..120],
        "A100_T4.json:3: the file ends in the middle of an entry",
    );
}

#[test]
fn several_files_are_several_devices_and_inputs_or_contradict_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file
    };
    let text = cache("\"1,2\": {\"a\": 1, \"b\": 2, \"time\": 1}");
    let one = write("one.json", &text);
    // The same parameters in another order, on another device and another problem.
    let other = write(
        "other.json",
        &text.replace("\"a\", \"b\"", "\"b\", \"a\"").replace("GPU", "B").replace("64", "[64, 2]"),
    );
    let recordings = import_kernel_tuner("f", &[one.clone(), other]).unwrap();
    let inputs: Vec<_> = recordings.inputs.iter().map(|input| (&*input.name, &*input.features)).collect();
    assert_eq!(inputs, [("64", &[64.0, 1.0][..]), ("64x2", &[64.0, 2.0][..])]);
    assert!(recordings.measurements.iter().all(|one| one.configuration == "a=1,b=2"));
    let third = write("third.json", &text.replace("[\"a\", \"b\"]", "[\"a\"]").replace("GPU", "C"));
    let error = import_kernel_tuner("f", &[one.clone(), third]).unwrap_err().to_string();
    assert!(
        error.contains("third.json:1: its parameters are a, those of this kernel in the files before a, b"),
        "{error}"
    );
    let error = import_kernel_tuner("f", &[one.clone(), one]).unwrap_err().to_string();
    assert!(error.contains("one.json:1: configuration `a=1,b=2` on device `GPU` is in "), "{error}");
}
