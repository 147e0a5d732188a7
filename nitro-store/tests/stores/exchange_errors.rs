//! Every kind of bad table is one error with file, line and what to change.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use nitro_store::exchange::{Files, ImportError, export, import, read_bytes};

const MEASUREMENTS: &str = "device,input,variant,time_ns\nV100,a,csr,1300\nV100,a,ell,\n";
const INPUTS: &str = "input,rows,nnz\na,10,20\n";
const DEVICES: &str = "device,sm_count\nV100,80\n";

fn message(measurements: &[u8], inputs: &[u8], devices: &[u8]) -> String {
    let error = read_bytes("spmv", measurements, inputs, devices).expect_err("the tables are bad");
    let message = error.to_string();
    assert!(!message.contains('\n') && !message.ends_with('.'), "one sentence: {message}");
    message
}

/// `row` is the third line of the measurements.
#[track_caller]
fn check_row(row: &str, expected: &str) {
    let text = format!("device,input,variant,time_ns\nV100,a,csr,1300\n{row}\nV100,a,dia,7\n");
    assert_eq!(
        message(text.as_bytes(), INPUTS.as_bytes(), DEVICES.as_bytes()),
        format!("measurements of spmv:3: {expected}")
    );
}

#[track_caller]
fn check_measurements(text: &str, expected: &str) {
    let found = message(text.as_bytes(), INPUTS.as_bytes(), DEVICES.as_bytes());
    assert_eq!(found, format!("measurements of spmv:{expected}"));
}

#[track_caller]
fn check_inputs(text: &str, expected: &str) {
    let found = message(MEASUREMENTS.as_bytes(), text.as_bytes(), DEVICES.as_bytes());
    assert_eq!(found, format!("inputs of spmv:{expected}"));
}

#[track_caller]
fn check_devices(text: &str, expected: &str) {
    let found = message(MEASUREMENTS.as_bytes(), INPUTS.as_bytes(), text.as_bytes());
    assert_eq!(found, format!("devices of spmv:{expected}"));
}

#[test]
fn rows_that_name_what_is_not_there() {
    check_row(
        "V100,b,ell,1",
        "input `b` has no row in the table of inputs; add it there or correct the name",
    );
    check_row(
        "K40m,a,ell,1",
        "device `K40m` has no row in the table of devices; add it there or correct the name",
    );
    check_row("V100,,ell,1", "the input has no name; fill it in");
    check_row(",a,ell,1", "the device has no name; fill it in");
    check_row("V100,a,,1", "the variant has no name; fill it in");
}

#[test]
fn rows_that_come_twice() {
    let expected = "`csr` for input `a` on device `V100` is there already; remove one of the two rows";
    check_row("V100,a,csr,1300", expected);
    check_row("V100,a,csr,", expected);
}

#[test]
fn times_that_are_none() {
    for found in ["x", "NaN", "inf", "-inf", "infinity", "1e999", "0x10", "1 2", "1_000", " "] {
        let expected = format!("`{found}` in column `time_ns` is not a finite number; correct it");
        check_row(&format!("V100,a,ell,{found}"), &expected);
    }
    for found in ["-1", "0", "-0", "0.0", "1e-400"] {
        let expected = format!("`{found}` in column `time_ns` is out of range; it has to be above 0");
        check_row(&format!("V100,a,ell,{found}"), &expected);
    }
}

#[test]
fn rows_of_other_lengths() {
    let advice = "add or remove fields, or quote those with a comma";
    check_row("V100,a,ell", &format!("3 fields where the header has 4; {advice}"));
    check_row("V100,a,ell,1,2", &format!("5 fields where the header has 4; {advice}"));
    check_row("V100", &format!("1 fields where the header has 4; {advice}"));
}

#[test]
fn quotes_that_do_not_close() {
    let expected = "a quoted field is not closed; end it with `\"` and double the quotes inside it";
    check_row("V100,\"a,ell,1", expected);
    check_row("V100,\"a\"b,ell,1", expected);
}

#[test]
fn headers_of_measurements() {
    let needs = "it needs device,input,variant,time_ns";
    check_measurements("device,input,variant\n", &format!("1: the header has no column `time_ns`; {needs}"));
    check_measurements(
        "device,input,variant,time_ms\n",
        "1: column `time_ms` means nothing here; remove it or use one of device, input, variant, time_ns, \
         outcome, spread_ns, repeats, configuration, reason, load",
    );
    check_measurements(
        "device,input,variant,time_ns,input\n",
        "1: column `input` appears twice; remove or rename one",
    );
    check_measurements("device,input,,time_ns\n", "1: column 3 has no name; name it or remove it");
    let no_header = "V100,a,csr,1300\n";
    assert!(
        message(no_header.as_bytes(), INPUTS.as_bytes(), DEVICES.as_bytes()).contains("`V100` means nothing")
    );
}

#[test]
fn tables_with_nothing_in_them() {
    let empty = "1: the file is empty; it needs a header line with the names of its columns";
    let no_rows = "2: there is no row below the header; add at least one";
    for text in ["", "\n\r\n\n", "\u{FEFF}"] {
        check_measurements(text, empty);
        check_inputs(text, empty);
        check_devices(text, empty);
    }
    check_measurements("device,input,variant,time_ns\n", no_rows);
    check_inputs("input,rows\n", no_rows);
    check_devices("device,sm_count\n", no_rows);
}

#[test]
fn tables_of_features() {
    check_inputs(
        "name,rows\na,1\n",
        "1: the first column is `name`; it has to be `input`, then one column a feature",
    );
    check_devices(
        "input,rows\na,1\n",
        "1: the first column is `input`; it has to be `device`, then one column a feature",
    );
    check_inputs("input,rows,rows\na,1,1\n", "1: column `rows` appears twice; remove or rename one");
    check_inputs("input,rows\na,\n", "2: `` in column `rows` is not a finite number; correct it");
    check_inputs("input,rows\na,NaN\n", "2: `NaN` in column `rows` is not a finite number; correct it");
    check_inputs("input,rows\na,1\nb,2\na,1\n", "4: input `a` is there already; remove one of the two rows");
    check_inputs("input,rows\n,1\n", "2: the input has no name; fill it in");
    check_devices(
        "device,clock\nV100,fast\n",
        "2: `fast` in column `clock` is not a finite number; correct it",
    );
    check_devices(
        "device,clock\nV100,1\nV100,1\n",
        "3: device `V100` is there already; remove one of the two rows",
    );
}

#[test]
fn optional_columns() {
    let header = "device,input,variant,time_ns,outcome,spread_ns,repeats\n";
    let check = |row: &str, expected: &str| check_measurements(&format!("{header}{row}\n"), expected);
    check(
        "V100,a,csr,,time,,",
        "2: outcome `time` comes without a time; fill in time_ns or change the outcome",
    );
    check(
        "V100,a,csr,5,wrong,,",
        "2: outcome `wrong` comes with a time; empty time_ns or change the outcome",
    );
    check("V100,a,csr,,slow,,", "2: outcome `slow` means nothing; use time, failed, wrong or inadmissible");
    check("V100,a,csr,5,,-1,", "2: `-1` in column `spread_ns` is out of range; it has to be 0 or above");
    let load = "device,input,variant,time_ns,load\nV100,a,csr,5,";
    for (value, problem) in [
        ("1.5", "is out of range; it has to be from 0 to 1"),
        ("-0.1", "is out of range; it has to be from 0 to 1"),
        ("NaN", "is not a finite number; correct it"),
    ] {
        let expected = format!("2: `{value}` in column `load` {problem}");
        check_measurements(&format!("{load}{value}\n"), &expected);
    }
    let count = "is not a whole number from 0 to 4294967295; correct it";
    check("V100,a,csr,5,,,-1", &format!("2: `-1` in column `repeats` {count}"));
    check("V100,a,csr,5,,,4294967296", &format!("2: `4294967296` in column `repeats` {count}"));
}

#[test]
fn lines_are_counted_as_an_editor_counts_them() {
    let text = "device,input,variant,time_ns,reason\r\n\r\n\nV100,a,ell,,\"two\nlines\"\r\nV100,a,csr,x,\r\n";
    check_measurements(text, "6: `x` in column `time_ns` is not a finite number; correct it");
}

#[test]
fn long_and_binary_fields_are_quoted_in_part() {
    let found = message("z".repeat(5_000_000).as_bytes(), INPUTS.as_bytes(), DEVICES.as_bytes());
    assert!(found.len() < 300, "{}", found.len());
    let found = message(b"device\0\x1b[31m", INPUTS.as_bytes(), DEVICES.as_bytes());
    assert!(found.contains("`device\\0\\u{1b}[31m`"), "{found}");
}

#[test]
fn names_that_nothing_is_called() {
    for (function, why) in [
        ("../../x", "contains '.'"),
        ("/etc/x", "contains '/'"),
        ("a\x1b[31m", "contains '\\u{1b}'"),
        ("", "is empty"),
        (&"z".repeat(201), "has more than 200 bytes"),
    ] {
        let error = read_bytes(function, MEASUREMENTS.as_bytes(), INPUTS.as_bytes(), DEVICES.as_bytes());
        let found = error.expect_err("nothing is called so").to_string();
        assert!(found.starts_with("function `") && found.contains(why), "{found}");
        assert!(!found.contains(char::is_control) && found.len() < 300, "{found}");
    }
    let (escape, long) = ("\x1b]0;x\x07", "z".repeat(1025));
    let control = "contains the control character '\\u{1b}': leave it out";
    check_row(&format!("V100,a,{escape},1"), &format!("variant `\\u{{1b}}]0;x\\u{{7}}` {control}"));
    check_inputs(
        &format!("input,rows\n{escape},1\n"),
        &format!("2: input `\\u{{1b}}]0;x\\u{{7}}` {control}"),
    );
    check_inputs(&format!("input,{escape}\na,1\n"), &format!("1: column `\\u{{1b}}]0;x\\u{{7}}` {control}"));
    check_devices(
        &format!("device,clock\n{escape},1\n"),
        &format!("2: device `\\u{{1b}}]0;x\\u{{7}}` {control}"),
    );
    let quoted = format!("{}…", &long[..60]);
    check_row(
        &format!("V100,a,{long},1"),
        &format!("variant `{quoted}` has more than 1024 bytes: shorten it"),
    );
    check_inputs(
        "input,rows\n\"two\nlines\",1\n",
        "2: input `two\\nlines` contains the control character '\\n': leave it out",
    );
    check_measurements(
        &format!("device,input,variant,time_ns,configuration\nV100,a,csr,1,{escape}\n"),
        &format!("2: configuration `\\u{{1b}}]0;x\\u{{7}}` {control}"),
    );
}

#[test]
fn more_variants_than_a_selection_tells_apart() {
    let rows = |count| (0..count).map(|index| format!("V100,a,v{index},5\n")).collect::<String>();
    let table = |count| format!("device,input,variant,time_ns\n{}", rows(count));
    let whole = read_bytes("spmv", table(64).as_bytes(), INPUTS.as_bytes(), DEVICES.as_bytes()).unwrap();
    assert_eq!(whole.variants.len(), 64);
    check_measurements(
        &table(3000),
        "66: variant `v64` is one too many: a function may have 64; leave some out",
    );
}

#[test]
fn more_features_than_recordings_have() {
    let table = |key: &str, name: &str, count: usize| {
        let (columns, values): (String, String) =
            (0..count).map(|index| (format!(",f{index}"), format!(",{index}"))).unzip();
        format!("{key}{columns}\n{name}{values}\n")
    };
    let whole = read_bytes(
        "spmv",
        MEASUREMENTS.as_bytes(),
        table("input", "a", 4096).as_bytes(),
        table("device", "V100", 4096).as_bytes(),
    );
    assert_eq!(whole.unwrap().features.len(), 4096);
    let expected = "1: column 4098, `f4096`, is one too many: a table may have 4096 features; remove those that say little";
    check_inputs(&table("input", "a", 4097), expected);
    check_devices(&table("device", "V100", 100_000), expected);
    check_measurements(
        &",".repeat(10_000_000),
        "1: column 4098, ``, is one too many: a table may have 4096 features; remove those that say little",
    );
}

#[test]
fn bytes_that_are_no_text() {
    let found =
        message(b"device,input,variant,time_ns\nV100,\xFF,csr,1\n", INPUTS.as_bytes(), DEVICES.as_bytes());
    assert_eq!(found, "measurements of spmv:2: byte 6 of the line is not UTF-8; save the file as UTF-8");
}

fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("exchange-errors-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn files(folder: &Path, suffix: &str) -> Files {
    let path = |table: &str| folder.join(format!("{table}.csv{suffix}"));
    Files {
        measurements: path("measurements"),
        inputs: path("inputs"),
        devices: path("devices"),
        parameters: None,
        feature_times: None,
        artifacts: None,
        units: None,
    }
}

#[test]
fn compressed_files_cut_short_anywhere() {
    for (suffix, format) in [(".gz", "gzip"), (".xz", "xz")] {
        let files = files(&folder(&suffix[1..]), suffix);
        let rows: String =
            (0..2000).map(|index| format!("V100,a,csr,{},{index}\n", index * 7919 + 1)).collect();
        let text = format!("device,input,variant,time_ns,configuration\n{rows}");
        let recordings = read_bytes("spmv", text.as_bytes(), INPUTS.as_bytes(), DEVICES.as_bytes()).unwrap();
        export(&recordings, &files).unwrap();
        let whole = fs::read(&files.measurements).unwrap();
        assert_eq!(import("spmv", &files).unwrap(), recordings);
        for length in (8..whole.len()).step_by(whole.len() / 50).chain([whole.len() - 1]) {
            fs::write(&files.measurements, &whole[..length]).unwrap();
            let error = import("spmv", &files).unwrap_err();
            assert!(matches!(error, ImportError::Compressed { .. }), "{length}: {error:?}");
            assert!(
                error.to_string().contains(format) && error.to_string().contains("measurements.csv"),
                "{error}"
            );
        }
        let mut damaged = whole.clone();
        damaged[whole.len() / 2] ^= 0x55;
        fs::write(&files.measurements, &damaged).unwrap();
        import("spmv", &files).unwrap_err();
    }
}

/// Some hundred KiB that unpack to 300 MiB, and zeros without end.
#[test]
fn files_that_are_longer_than_any_table() {
    let folder = folder("bombs");
    let files = files(&folder, "");
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    (0..300).for_each(|_| bomb.write_all(&[b','; 1 << 20]).unwrap());
    fs::write(&files.devices, bomb.finish().unwrap()).unwrap();
    let found = import("spmv", &files).unwrap_err().to_string();
    assert!(found.ends_with("devices.csv: has more than 256 MiB of text; split it"), "{found}");
    fs::File::create(&files.devices).unwrap().set_len(257 << 20).unwrap();
    let found = import("spmv", &files).unwrap_err().to_string();
    assert!(found.ends_with("devices.csv: has more than 256 MiB of text; split it"), "{found}");
    #[cfg(unix)]
    {
        let endless = Files { devices: "/dev/zero".into(), ..files };
        let error = import("spmv", &endless).unwrap_err();
        assert!(matches!(error, ImportError::Read { .. }), "{error:?}");
    }
}

#[test]
fn names_that_promise_too_much() {
    let files = files(&folder("promise"), ".gz");
    fs::write(&files.devices, DEVICES).unwrap();
    let found = import("spmv", &files).unwrap_err().to_string();
    assert!(found.ends_with("devices.csv.gz: is not gzip data; rename it or compress it"), "{found}");
}

#[test]
fn files_that_are_not_there() {
    let files = files(&folder("absent"), "");
    let error = import("spmv", &files).unwrap_err();
    assert!(
        matches!(error, ImportError::Read { .. }) && error.to_string().contains("devices.csv"),
        "{error}"
    );
    let folder = folder("folder");
    let files = Files { devices: folder.clone(), ..files };
    assert!(matches!(import("spmv", &files), Err(ImportError::Read { .. })));
}

#[test]
fn errors_name_the_file() {
    let files = files(&folder("named"), "");
    fs::write(&files.devices, DEVICES).unwrap();
    fs::write(&files.inputs, INPUTS).unwrap();
    fs::write(&files.measurements, "device,input,variant,time_ns\nV100,a,csr,-3\n").unwrap();
    let found = import("spmv", &files).unwrap_err().to_string();
    assert!(found.starts_with(&format!("{}:2: `-3`", files.measurements.display())), "{found}");
}

#[test]
fn generated_code_that_is_none_is_named_with_its_line() {
    let files = files(&folder("artifacts"), "");
    fs::write(&files.devices, DEVICES).unwrap();
    fs::write(&files.inputs, INPUTS).unwrap();
    fs::write(&files.measurements, "device,input,variant,time_ns\nV100,a,csr,3\n").unwrap();
    let files = Files { artifacts: Some(files.inputs.with_file_name("code.jsonl")), ..files };
    let kernel = nitro_core::Artifact::of("block=32");
    let good = format!("{{\"artifact\": \"{kernel}\", \"text\": \"block=32\"}}\n");
    let found = |second: &str| {
        fs::write(files.artifacts.as_ref().unwrap(), format!("{good}{second}")).unwrap();
        import("spmv", &files).map(|read| read.artifacts.len()).map_err(|error| error.to_string())
    };
    assert_eq!(found("\n"), Ok(1));
    for (second, expected) in [
        (good.replace("=32", "=33"), format!("and not `{kernel}`; copy the line again")),
        (good.replace(&kernel.to_string(), "none"), "and not `none`".to_owned()),
        (good.clone(), format!("artifact `{kernel}` is there already")),
        ("block=32".to_owned(), "the line is not an artifact (`{\"artifact\": DIGEST".to_owned()),
        ("{\"artifact\": \"none\"}".to_owned(), "missing field `text`".to_owned()),
        (good.replace("block=32", &"x".repeat(1 << 21)), "2097152 bytes".to_owned()),
    ] {
        let error = found(&second).unwrap_err();
        assert!(error.contains("code.jsonl:2: ") && error.contains(&expected), "{error}");
    }
}

/// A row of units is the second header line; an input or device of that name has numbers.
#[test]
fn units_are_words_that_there_are() {
    let known = "is no unit: units are Bytes, Operations, Count and Parallelism, of device features also Bytes/s and \
         Operations/s; correct it or leave it empty";
    check_inputs(
        "input,rows,nnz\nunit,Octets,Count\na,10,20\n",
        &format!("2: `Octets` in column `rows` {known}"),
    );
    check_inputs("input,rows,nnz\n\nunit,,GB\na,10,20\n", &format!("3: `GB` in column `nnz` {known}"));
    check_devices(
        "device,sm_count\nunit,seconds\nV100,80\n",
        &format!("2: `seconds` in column `sm_count` {known}"),
    );
    check_inputs(
        "input,rows,nnz\nunit,bytes,Bytes/S\na,10,20\n",
        "2: `Bytes/s` in column `nnz` is a rate, which only device features have; write Bytes, Operations, Count or \
         Parallelism, or leave it empty",
    );
    check_inputs(
        "input,rows,nnz\nunit,Bytes\na,10,20\n",
        "2: 2 fields where the header has 3; add or remove fields, or quote those with a comma",
    );
    check_inputs(
        "input,rows,nnz\nunit,Bytes,Count\n",
        "3: there is no row below the header; add at least one",
    );
    check_inputs(
        "input,rows,nnz\na,10,20\nunit,Bytes,Count\n",
        "3: `Bytes` in column `rows` is not a finite number; correct it",
    );
    check_inputs(
        "input,rows,nnz\nunit,Bytes,7\na,10,20\n",
        "2: `Bytes` in column `rows` is not a finite number; correct it",
    );
}

#[test]
fn a_table_of_units_names_features_that_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let files = Files { units: Some(path("units.csv")), ..files(folder.path(), "") };
    fs::write(&files.measurements, MEASUREMENTS).unwrap();
    fs::write(&files.inputs, "input,rows,nnz\nunit,,Bytes\na,10,20\n").unwrap();
    fs::write(&files.devices, DEVICES).unwrap();
    for (text, expected) in [
        (
            "feature,unit\nrows,Count\ncolumns,Count\n",
            "3: feature `columns` is neither in the table of inputs nor in",
        ),
        (
            "feature,unit\nrows,Count\nrows,Bytes\n",
            "3: feature `rows` is there already; remove one of the two rows",
        ),
        ("feature,unit\nrows,Lines\n", "2: `Lines` in column `rows` is no unit: units are Bytes,"),
        ("feature,unit\nnnz,Count\n", "2: feature `nnz` is in Bytes by its own table and in Count here"),
        (
            "feature,unit\nrows,Bytes/s\n",
            "2: `Bytes/s` in column `rows` is a rate, which only device features have",
        ),
        ("feature,units\nrows,Bytes\n", "1: the header has no column `unit`; it needs `feature` and `unit`"),
        ("feature,unit,of\nrows,Bytes,a\n", "1: column `of` means nothing here"),
        ("feature,unit\n", "2: there is no row below the header"),
    ] {
        fs::write(path("units.csv"), text).unwrap();
        let message = import("spmv", &files).unwrap_err().to_string();
        assert!(message.starts_with(&format!("{}:{expected}", path("units.csv").display())), "{message}");
    }
}
