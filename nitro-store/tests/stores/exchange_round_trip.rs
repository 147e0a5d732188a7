//! What is exported is imported again, to the bit, in every form of file.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use nitro_core::{Artifact, Unit};
use nitro_store::exchange::{Files, export, import, read_bytes};
use nitro_store::recordings::{
    DeviceRecord, FeatureTimes, Input, Meanings, Measurement, Outcome, Recordings,
};
use nitro_store::store;

fn files(test: &str, suffix: &str) -> Files {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("exchange-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let path = |table: &str| folder.join(format!("{table}.csv{suffix}"));
    Files {
        measurements: path("measurements"),
        inputs: path("inputs"),
        devices: path("devices"),
        parameters: None,
        feature_times: Some(path("feature_times")),
        artifacts: Some(path("artifacts")),
        units: None,
    }
}

/// Odd names, every outcome, devices with other features, numbers at the edge.
fn recordings() -> Recordings {
    let names = [
        "train/a.mtx",
        "with, comma",
        "with \"quotes\"",
        "=1+1",
        " spaces ",
        "\u{e9}\u{1F980}",
        "'=1",
        "'-'",
    ];
    let outcomes = [Outcome::Time(f64::MIN_POSITIVE), Outcome::Failed, Outcome::Wrong, Outcome::Inadmissible];
    let device = |id: &str, features: &[(&str, f64)]| DeviceRecord {
        id: id.to_owned(),
        features: features.iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
    };
    let mut measurements = Vec::new();
    for (input, _) in names.iter().enumerate() {
        for (variant, &outcome) in outcomes.iter().enumerate() {
            measurements.push(Measurement {
                device: input % 2,
                input,
                variant,
                configuration: if variant == 0 { "block=64,unroll=2".to_owned() } else { String::new() },
                outcome,
                spread_ns: 1.0 / (1.0 + input as f64 * 3.0),
                repeats: input as u32 * 1000,
                load: (input % 3 > 0).then(|| input as f64 / 9.0),
                reason: if input % 3 == 0 {
                    format!("panicked: \"{input}\",\r\ntwice")
                } else {
                    String::new()
                },
            });
        }
    }
    measurements.sort_by_key(|one| (one.device, one.input, one.variant));
    Recordings {
        function: "spmv".to_owned(),
        variants: ["csr", "csr,balanced", "@ell", "-dia"].map(str::to_owned).to_vec(),
        default_variant: None,
        features: vec!["rows".to_owned(), "+row length, SD".to_owned()],
        inputs: names
            .iter()
            .enumerate()
            .map(|(index, name)| Input { name: (*name).to_owned(), features: vec![index as f64, 0.1 / 3.0] })
            .collect(),
        devices: vec![
            device("host:4", &[("threads", 4.0), ("copy_gbps", 1e-310)]),
            device("cuda:0/32sm", &[("threads", f64::MAX), ("=sm_count", -0.0)]),
        ],
        measurements,
        feature_times: vec![
            FeatureTimes { device: 0, input: 2, times_ns: vec![Some(1.0 / 3.0), None] },
            FeatureTimes { device: 1, input: 3, times_ns: vec![Some(0.0), Some(1e9)] },
        ],
        artifacts: ["block=32", "// \u{e9}\n\t\"quoted\" \\ \0"]
            .map(|code| (Artifact::of(code), code.to_owned()))
            .into(),
        ..Recordings::default()
    }
}

#[test]
fn export_then_import_loses_nothing() {
    for suffix in ["", ".gz", ".xz"] {
        let files = files(&format!("whole{suffix}"), suffix);
        export(&recordings(), &files).unwrap();
        assert_eq!(import("spmv", &files).unwrap(), recordings(), "{suffix}");
        let beside = fs::read_dir(files.inputs.parent().unwrap()).unwrap().count();
        assert_eq!(beside, 5, "nothing but the tables and the code");
    }
}

/// Nothing in a table that somebody opens in a spreadsheet is computed there; numbers stay numbers.
#[test]
fn what_a_spreadsheet_would_compute_is_marked_as_text() {
    let files = files("formulas", "");
    let mut given = recordings();
    given.inputs[0].features = vec![-1.5, 2.0];
    export(&given, &files).unwrap();
    let text = |path| fs::read_to_string(path).unwrap();
    let (measurements, inputs, devices) =
        (text(&files.measurements), text(&files.inputs), text(&files.devices));
    assert!(inputs.starts_with("input,rows,\"'+row length, SD\"\ntrain/a.mtx,-1.5,2\n"), "{inputs}");
    assert!(
        inputs.contains("\n'=1+1,") && inputs.contains("\n''=1,") && inputs.contains("\n''-',"),
        "{inputs}"
    );
    assert!(devices.starts_with("device,'=sm_count,"), "{devices}");
    let is_formula = |cell: &&str| cell.starts_with(['=', '+', '-', '@']);
    assert_eq!(measurements.split(['\n', ',']).find(is_formula), None);
    assert_eq!(import("spmv", &files).unwrap(), given);
}

#[test]
fn the_way_through_a_store_loses_nothing() {
    let mut store = store::memory().unwrap();
    store.import(&recordings()).unwrap();
    let first = store.load("spmv").unwrap();
    let files = files("store", ".gz");
    export(&first, &files).unwrap();
    let mut other = store::memory().unwrap();
    other.import(&import("spmv", &files).unwrap()).unwrap();
    let mut second = other.load("spmv").unwrap();
    // Tables have no list of variants; their order is that of the rows.
    assert_eq!(second.variants.len(), first.variants.len());
    second.variants.clone_from(&first.variants);
    assert_eq!(second, first);
}

#[test]
fn the_same_recordings_give_the_same_bytes() {
    for suffix in [".gz", ".xz"] {
        let (one, two) = (files(&format!("one{suffix}"), suffix), files(&format!("two{suffix}"), suffix));
        export(&recordings(), &one).unwrap();
        export(&recordings(), &two).unwrap();
        assert_eq!(fs::read(&one.measurements).unwrap(), fs::read(&two.measurements).unwrap());
    }
}

#[test]
fn tables_in_the_forms_that_other_tools_write() {
    let recordings = read_bytes(
        "spmv",
        b"\xEF\xBB\xBFvariant,time_ns,\"device\",input\r\ncsr, 1.5e3 ,V100,a\r\n\r\nell,,V100,a",
        b"input\na\n",
        b"device,sm_count,clock_mhz\nV100,80,\n",
    )
    .unwrap();
    assert_eq!(recordings.variants, ["csr", "ell"]);
    let outcomes: Vec<Outcome> = recordings.measurements.iter().map(|one| one.outcome).collect();
    assert_eq!(outcomes, [Outcome::Time(1500.0), Outcome::Failed]);
    assert_eq!(recordings.devices[0].features, BTreeMap::from([("sm_count".to_owned(), 80.0)]));
    assert!(recordings.features.is_empty());
}

#[test]
fn nothing_is_left_of_an_export_that_fails() {
    let mut files = files("fails", "");
    files.measurements = files.measurements.join("below/a/file.csv");
    let message = export(&recordings(), &files).unwrap_err().to_string();
    assert!(message.contains("file.csv: cannot be written"), "{message}");
    assert!(!files.inputs.exists() && !files.devices.exists(), "no table without the others");
}

fn units<const N: usize>(units: [(&str, Unit); N]) -> BTreeMap<String, Unit> {
    units.map(|(name, unit)| (name.to_owned(), unit)).into()
}

/// They come from a row or from a table, in any case of letters, and go out as a row.
#[test]
fn units_go_through_files() {
    let folder = tempfile::tempdir().unwrap();
    let given = Files { units: Some(folder.path().join("units.csv")), ..files("units", "") };
    let recordings = recordings();
    export(&recordings, &given).unwrap();
    let text = |path| fs::read_to_string(path).unwrap();
    assert!(!text(&given.inputs).contains("unit") && !given.units.as_ref().unwrap().exists());
    let inputs = text(&given.inputs).replacen('\n', "\nunit,COUNT,\n", 1);
    fs::write(&given.inputs, inputs).unwrap();
    fs::write(
        given.units.as_ref().unwrap(),
        "unit,feature\nbytes,\"'+row length, SD\"\nBytes/S,copy_gbps\ncount,rows\n,'=sm_count\n",
    )
    .unwrap();
    let expected = Recordings {
        meanings: Meanings {
            units: units([("rows", Unit::Count), ("+row length, SD", Unit::Bytes)]),
            device_units: units([("copy_gbps", Unit::BytesPerSecond)]),
            ..Meanings::default()
        },
        ..recordings.clone()
    };
    assert_eq!(import("spmv", &given).unwrap(), expected);
    assert_ne!(expected.digest(&[0], &[0]), recordings.digest(&[0], &[0]), "models may differ");
    let again = Files { units: None, ..given.clone() };
    export(&expected, &again).unwrap();
    assert!(text(&again.inputs).contains("\nunit,Count,Bytes\n"), "{}", text(&again.inputs));
    assert!(text(&again.devices).contains("\nunit,,Bytes/s,\n"), "{}", text(&again.devices));
    assert_eq!(import("spmv", &again).unwrap(), expected);
}

/// An input and a device may be called `unit`, as they could before.
#[test]
fn what_is_called_unit_and_has_numbers_is_no_row_of_units() {
    let read = |inputs: &str, devices: &str| {
        let measurements = b"device,input,variant,time_ns\nunit,unit,csr,1300\n";
        read_bytes("spmv", measurements, inputs.as_bytes(), devices.as_bytes()).unwrap()
    };
    for (inputs, devices) in [
        ("input,rows\nunit,3\n", "device,sm_count,gb\nunit,80,\n"),
        ("input,rows\nunit,Count\nunit,3\n", "device,sm_count,gb\nunit,,\n"),
    ] {
        let recordings = read(inputs, devices);
        assert_eq!((&*recordings.inputs[0].name, recordings.inputs.len()), ("unit", 1));
        assert_eq!((&*recordings.devices[0].id, recordings.devices.len()), ("unit", 1));
    }
}
