//! Files of Kernel Tuner are taken as they are, and what is wrong in one is told with its place.

use std::path::{Path, PathBuf};

use nitro_store::exchange::{Files, export, import, import_kernel_tuner};
use nitro_store::recordings::{Measurement, Outcome, Recordings};
use nitro_store::store;

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
        units: None,
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
    refused(cache(twice), "A100_T4.json:3: `1,1` is there twice; remove one of the two");
    let same = "\"x\": {\"a\": 1, \"b\": 1, \"time\": 1},\n\"y\": {\"a\": 1, \"b\": 1, \"time\": 2}";
    refused(cache(same), "A100_T4.json:4: configuration `a=1,b=1` on device `GPU` is in ");
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
        error.contains("third.json:3: its parameters are a, those of this kernel in the files before a, b"),
        "{error}"
    );
    let error = import_kernel_tuner("f", &[one.clone(), one]).unwrap_err().to_string();
    assert!(error.contains("one.json:3: configuration `a=1,b=2` on device `GPU` is in "), "{error}");
}

#[test]
fn what_is_given_twice_is_refused_on_its_line() {
    let one =
        |entry: &str| cache(&format!("\"0\": {{\"a\": 0, \"b\": 0, \"time\": 1}},\n\"1\": {{\n{entry}}}"));
    refused(one("\"a\": 1,\n\"a\": 2, \"b\": 1, \"time\": 1"), "A100_T4.json:6: `a` is there twice");
    refused(one("\"a\": 1, \"b\": 1, \"time\": 1,\n\"time\": 5"), "A100_T4.json:6: `time` is there twice");
    refused(
        one("\"a\": 1, \"b\": 1, \"time\": 1, \"note\": 1, \"note\": 1"),
        "A100_T4.json:5: `note` is there",
    );
    refused("{\"cache\": {},\n\"cache\": {}}", "A100_T4.json:2: duplicate field `cache`");
    let result = |text: &str| format!("{{\"results\": [\n{{{text}, \"invalidity\": \"timeout\"}}]}}");
    refused(result("\"configuration\": {\"a\": 1, \"a\": 2}"), "A100_T4.json:2: `a` is there twice");
    refused(result("\"configuration\": {},\n\"configuration\": {}"), "A100_T4.json:3: duplicate field");
}

#[test]
fn values_that_are_nothing_are_values() {
    let values = ["\"\"", "null", "\" \"", "\"-O3\"", "\" -O3\"", "\"a\\nb\"", "3", "\"-x,-y \""];
    let entries = values.iter().enumerate();
    let entries: Vec<String> =
        entries.map(|(at, value)| format!("\"{at}\": {{\"a\": 16, \"b\": {value}, \"time\": 1}}")).collect();
    let recordings = read(cache(&entries.join(",\n")).as_bytes()).unwrap();
    let found: Vec<&str> = recordings.measurements.iter().map(|one| &*one.configuration).collect();
    let expected = ["\"\"", "null", "\" \"", "-O3", "\" -O3\"", "a\\nb", "3", "\"-x;-y \""];
    assert_eq!(found, expected.map(|value| format!("a=16,b={value}")));
    let mut store = store::memory().unwrap();
    store.import(&recordings).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let [measurements, inputs, devices, parameters] =
        ["m.csv", "i.csv", "d.csv", "p.csv"].map(|name| folder.path().join(name));
    let (parameters, feature_times, artifacts) = (Some(parameters), None, None);
    let files = Files { measurements, inputs, devices, parameters, feature_times, artifacts, units: None };
    export(&recordings, &files).unwrap();
    assert_eq!(import("f", &files).unwrap(), recordings);
}

#[test]
fn repeats_are_in_the_unit_that_the_file_or_else_the_time_says() {
    let result = |unit: &str| {
        format!(
            "{{\"configuration\": {{\"b\": 1}}, \"objectives\": [\"TotalDuration\"], \"invalidity\": \"correct\",
              \"times\": {{\"runtimes\": [2990, 3000, 3010, 3020]}},
              \"measurements\": [{{\"name\": \"TotalDuration\", \"value\": 3000, \"unit\": \"{unit}\"}}]}}"
        )
    };
    for (unit, metadata, time_ns, spread_ns) in [
        ("Microseconds", "", 3e6, 15e3),
        ("Seconds", "", 3e12, 15e9),
        ("", "microseconds", 3e6, 15e3),
        ("Nanoseconds", "nanoseconds", 3e3, 15.0),
        ("s", "milliseconds", 3e12, 15e6),
    ] {
        let text =
            format!("{{\"metadata\": {{\"timeunit\": \"{metadata}\"}}, \"results\": [{}]}}", result(unit));
        let text = text.replace("TotalDuration", "time");
        let recordings = read(text.as_bytes()).unwrap();
        let one = of(&recordings, "b=1");
        assert_eq!(
            (one.outcome, one.spread_ns, one.repeats),
            (Outcome::Time(time_ns), spread_ns, 4),
            "{unit} {metadata}"
        );
    }
    let own_objective = read(format!("{{\"results\": [{}]}}", result("Microseconds")).as_bytes()).unwrap();
    assert_eq!(of(&own_objective, "b=1").spread_ns, 15e3);
}

/// Results of KTT, each on a line, the first on line 4.
fn ktt(results: &[String]) -> String {
    format!(
        "{{\"Metadata\": {{\"ComputeApi\": \"CUDA\", \"Platform\": \"NVIDIA CUDA\", \"Device\": \"RTX 2080 Ti\",\n\"KttVersion\": \"2.1\", \"Timestamp\": \"x\",\n\"TimeUnit\": \"Microseconds\"}}, \"Results\": [\n{}]}}",
        results.join(",\n")
    )
}

fn ktt_result(status: &str, block: u32, duration: f64) -> String {
    format!(
        "{{\"KernelName\": \"Coulomb\", \"Status\": \"{status}\", \"TotalDuration\": {duration}, \"TotalOverhead\": 7,
          \"ExtraDuration\": 0, \"Configuration\": [{{\"Name\": \"BLOCK\", \"IsDouble\": false, \"Value\": {block}}},
          {{\"Name\": \"SOA\", \"ValueType\": \"Bool\", \"Value\": true}}], \"ComputationResults\": [{{\"Duration\": 1}}]}}"
    )
    .replace('\n', "")
}

#[test]
fn results_that_ktt_wrote() {
    let results = [
        ktt_result("Ok", 16, 109.5),
        ktt_result("CompilationFailed", 32, 0.0),
        ktt_result("ValidationFailed", 64, 3.0),
        ktt_result("DeviceLimitsExceeded", 128, 0.0),
        ktt_result("Ok", 256, 4.0),
        ktt_result("Ok", 256, 2.0),
        ktt_result("Ok", 256, 3.0),
    ];
    let recordings = read(ktt(&results).as_bytes()).unwrap();
    assert_eq!((&*recordings.devices[0].id, &*recordings.variants[0]), ("RTX 2080 Ti", "Coulomb"));
    assert_eq!(recordings.space("Coulomb").unwrap().parameters, ["BLOCK", "SOA"]);
    let one = |block: u32| of(&recordings, &format!("BLOCK={block},SOA=true"));
    assert_eq!((one(16).outcome, one(16).repeats), (Outcome::Time(109_500.0), 1));
    assert_eq!((one(32).outcome, &*one(32).reason), (Outcome::Failed, "CompilationFailed"));
    assert_eq!((one(64).outcome, one(128).outcome), (Outcome::Wrong, Outcome::Failed));
    assert_eq!((one(256).outcome, one(256).spread_ns, one(256).repeats), (Outcome::Time(3e3), 1e3, 3));
    assert_eq!(recordings.measurements.len(), 5, "runs of one configuration are one measurement");

    let mut other = results.clone();
    other[1] = other[1].replace("Coulomb", "Other");
    refused(ktt(&other), "A100_T4.json:5: result 2 is of kernel `Other`, those before of `Coulomb`");
    other[1] = results[1].replace("SOA", "BLOCK");
    refused(ktt(&other), "A100_T4.json:5: result 2 has `BLOCK` twice");
    other[1] = results[1].replace("\"Status\"", "\"KernelName\": \"x\", \"Status\"");
    refused(ktt(&other), "A100_T4.json:5: duplicate field `KernelName`");
    other[1] = ktt_result("Ok", 32, -1.0);
    refused(ktt(&other), "A100_T4.json:5: result 2 has time -1;");
    refused(ktt(&[]), "A100_T4.json:1: no configuration was measured");
    refused(ktt(&results).replace("Microseconds", "Fortnights"), "A100_T4.json:1: `Fortnights` is no unit");
    refused(ktt(&results).replace("TimeUnit", "Unit"), "A100_T4.json:1: the unit of the times is not named");
    refused(
        ktt(&results).replace("\"Results\"", "\"cache\": {}, \"Results\""),
        "A100_T4.json:1: this has more than one",
    );
}

#[test]
fn one_file_in_a_zip_archive_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let text = cache("\"1,2\": {\"a\": 1, \"b\": 2, \"time\": 1}").replace("\"device_name\": \"GPU\", ", "");
    let archive = |files: &[(&str, &[u8])]| {
        let path = folder.path().join("A4000.json.zip");
        let mut archive = rawzip::ZipArchiveWriter::new(std::fs::File::create(&path).unwrap());
        for &(name, mut content) in files {
            let method = rawzip::CompressionMethod::DEFLATE;
            let (mut entry, config) = archive.new_file(name).compression_method(method).start().unwrap();
            let encoder = flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::default());
            let mut writer = config.wrap(encoder);
            std::io::copy(&mut content, &mut writer).unwrap();
            let (encoder, descriptor) = writer.finish().unwrap();
            encoder.finish().unwrap();
            entry.finish(descriptor).unwrap();
        }
        archive.finish().unwrap();
        path
    };
    let json: (&str, &[u8]) = ("out/cache.json", text.as_bytes());
    let path = archive(&[json, ("__MACOSX/out/._cache.json", b"x")]);
    let recordings = import_kernel_tuner("f", &[path]).unwrap();
    assert_eq!((&*recordings.devices[0].id, recordings.measurements.len()), ("A4000", 1));
    for (files, said) in [(&[json, ("b.json", &b"x"[..])][..], "has 2 files"), (&[], "zip")] {
        let error = import_kernel_tuner("f", &[archive(files)]).unwrap_err().to_string();
        assert!(error.contains("A4000.json.zip: ") && error.contains(said), "{error}");
    }
    let path = archive(&[json]);
    let whole = std::fs::read(&path).unwrap();
    for damaged in [&whole[..whole.len() / 2], b"PK\x03\x04", b"no archive"] {
        std::fs::write(&path, damaged).unwrap();
        let error = import_kernel_tuner("f", std::slice::from_ref(&path)).unwrap_err().to_string();
        assert!(error.contains("zip data"), "{error}");
    }
    let path = archive(&[("bomb.json", &vec![b' '; 257 << 20])]);
    assert!(std::fs::metadata(&path).unwrap().len() < 1 << 20);
    let error = import_kernel_tuner("f", &[path]).unwrap_err().to_string();
    assert!(error.contains("more than 256 MiB"), "{error}");
}
