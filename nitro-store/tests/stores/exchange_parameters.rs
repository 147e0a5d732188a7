//! The table of configurations: those that exist, measured or not.

use std::path::Path;

use nitro_store::exchange::{Files, export, import};
use nitro_store::recordings::{Recordings, SpaceRecord};
use nitro_store::store;

const PARAMETERS: &str =
    "configuration,block,unroll\n\"block=64,unroll=1\",64,1\n\"block=64,unroll=2\",64,2\nodd,128,2\n";
const MEASUREMENTS: &str = "device,input,variant,time_ns,configuration\nV100,a,tiled,5,\"block=64,unroll=1\"\nV100,a,tiled,,odd\nV100,a,plain,9,\n";

fn files(folder: &Path, parameters: &str, measurements: &str) -> Files {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    Files {
        measurements: write("m.csv", measurements),
        inputs: write("i.csv", "input,rows\na,4096\n"),
        devices: write("d.csv", "device,sm_count\nV100,80\n"),
        parameters: Some(write("p.csv", parameters)),
        feature_times: None,
        artifacts: None,
        units: None,
    }
}

fn read(parameters: &str, measurements: &str) -> Result<Recordings, String> {
    let folder = tempfile::tempdir().unwrap();
    import("spmv", &files(folder.path(), parameters, measurements))
        .map_err(|error| error.to_string().replace(&format!("{}/", folder.path().display()), ""))
}

fn space(variant: usize, parameters: &[&str], rows: &[(&str, &[&str])]) -> SpaceRecord {
    let text = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect();
    SpaceRecord {
        variant,
        parameters: text(parameters),
        configurations: rows.iter().map(|&(name, values)| (name.to_owned(), text(values))).collect(),
    }
}

#[test]
fn the_space_is_what_is_listed_and_not_what_was_measured() {
    let recordings = read(PARAMETERS, MEASUREMENTS).unwrap();
    let rows: &[(&str, &[&str])] =
        &[("block=64,unroll=1", &["64", "1"]), ("block=64,unroll=2", &["64", "2"]), ("odd", &["128", "2"])];
    assert_eq!(recordings.spaces, [space(0, &["block", "unroll"], rows)]);
    assert_eq!(recordings.measurements.len(), 3);
}

#[test]
fn several_variants_have_a_column_that_tells_them_apart() {
    let parameters = "configuration,block,variant,depth\nx,64,tiled,\nx,,deep,3\ny,,deep,4\n";
    let measurements = "device,input,variant,time_ns,configuration\nV100,a,tiled,5,x\nV100,a,plain,9,\n";
    let recordings = read(parameters, measurements).unwrap();
    assert_eq!(recordings.variants, ["tiled", "plain", "deep"]);
    let deep = space(2, &["depth"], &[("x", &["3"]), ("y", &["4"])]);
    assert_eq!(recordings.spaces, [space(0, &["block"], &[("x", &["64"])]), deep]);
}

#[test]
fn what_is_exported_is_imported_again() {
    let variants = "configuration,variant,block,depth\nx,tiled,64,\n=1,deep,,3\n";
    let measured = "device,input,variant,time_ns,configuration\nV100,a,tiled,5,x\nV100,a,deep,5,=1\n";
    for (parameters, measurements) in [(PARAMETERS, MEASUREMENTS), (variants, measured)] {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path(), parameters, measurements);
        let before = import("spmv", &files).unwrap();
        export(&before, &files).unwrap();
        assert_eq!(import("spmv", &files).unwrap(), before);
        let text = std::fs::read_to_string(files.parameters.unwrap()).unwrap();
        let header = text.lines().next().unwrap();
        assert_eq!(header, parameters.lines().next().unwrap());
    }
}

#[track_caller]
fn check(parameters: &str, measurements: &str, expected: &str) {
    let found = read(parameters, measurements).unwrap_err();
    assert_eq!(found, expected);
    assert!(!found.contains('\n') && !found.ends_with('.'), "one sentence: {found}");
}

#[test]
fn bad_tables() {
    let check_parameters = |table: &str, expected: &str| check(table, MEASUREMENTS, expected);
    check_parameters(
        "block,configuration\n64,x\n",
        "p.csv:1: the first column is `block`; it has to be `configuration`, then one column a parameter",
    );
    check_parameters(
        "configuration,block\nx,64\nx,128\n",
        "p.csv:3: configuration `x` is there already; remove one of the two rows",
    );
    check_parameters("configuration,block\n,64\n", "p.csv:2: the configuration has no name; fill it in");
    check_parameters(
        "configuration,block\nblock=64,32\n",
        "p.csv:2: configuration `block=64` has 32 in column `block`; correct one of the two",
    );
    check_parameters(
        "configuration,block,unroll\nx,64,1\ny,64,\n",
        "p.csv:3: configuration `y` has other parameters than the first one of its variant, block, unroll; fill in those and no other",
    );
    check_parameters("configuration,block\n", "p.csv:2: there is no row below the header; add at least one");
    check(
        "configuration,block\n\"block=64,unroll=1\",64\n",
        MEASUREMENTS,
        "m.csv:3: configuration `odd` has no row in the table of configurations; add it there or correct the name",
    );
    check(
        "configuration,block\nx,64\n",
        "device,input,variant,time_ns,configuration\nV100,a,tiled,5,x\nV100,a,deep,9,x\n",
        "p.csv:1: of which variant these configurations are cannot be told (tiled, deep); add a column `variant`",
    );
}

/// Two programs that list other configurations of one variant add to each other; what contradicts is refused whole.
#[test]
fn spaces_add_up_in_a_store() {
    let mut store = store::memory().unwrap();
    let table = |rows: &str| {
        read(
            &format!("configuration,block\n{rows}"),
            "device,input,variant,time_ns,configuration\nV100,a,tiled,5,x\n",
        )
    };
    store.import(&table("x,64\ny,128\n").unwrap()).unwrap();
    store.import(&table("x,64\nz,256\n").unwrap()).unwrap();
    let both = [space(0, &["block"], &[("x", &["64"]), ("y", &["128"]), ("z", &["256"])])];
    assert_eq!(store.load("spmv").unwrap().spaces, both);

    let error = store.import(&table("x,65\nw,1\n").unwrap()).unwrap_err().to_string();
    assert!(error.starts_with("configuration `x` of variant `tiled` is 64 in store"), "{error}");
    let other =
        read("configuration,width\nx,64\n", "device,input,variant,time_ns,configuration\nV100,a,tiled,5,x\n");
    let error = store.import(&other.unwrap()).unwrap_err().to_string();
    assert!(error.starts_with("list of parameters of variant `tiled` is block in store"), "{error}");
    assert_eq!(store.load("spmv").unwrap().spaces, both);
}

#[test]
fn a_configuration_is_the_same_in_any_order() {
    let twice = format!("{PARAMETERS}\"unroll=1,block=64\",64,1\n");
    assert_eq!(
        read(&twice, MEASUREMENTS).unwrap_err(),
        "p.csv:5: configuration `unroll=1,block=64` is there already; remove one of the two rows"
    );
    let twice = format!("{MEASUREMENTS}V100,a,tiled,6,\"unroll=1,block=64\"\n");
    assert!(read(PARAMETERS, &twice).unwrap_err().starts_with("m.csv:5: `tiled` for input `a` on device"));
}
