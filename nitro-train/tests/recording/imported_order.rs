//! Tables whose configurations name their parameters in another order than the code does.

use std::path::Path;

use nitro::code_variant;
use nitro_train::exchange::Files;
use nitro_train::recordings::{Recordings, SpaceRecord};
use nitro_train::{DataRequest, Trainer};

const PARAMETERS: &str =
    "configuration,block,unroll\n\"block=64,unroll=1\",64,1\n\"block=64,unroll=2\",64,2\nodd,128,2\n";

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

#[code_variant(name = "ordered", variants(tiled { block: u32 in [64, 128], unroll in [1, 2] }), default = tiled)]
fn ordered() -> usize;

fn tiled(p: ordered::Tiled) -> usize {
    p.block as usize * p.unroll
}

/// As [`PARAMETERS`] says it, but for the order of the parameters.
const PARAMETERS_REVERSED: &str =
    "configuration,unroll,block\n\"unroll=1,block=64\",1,64\n\"unroll=2,block=64\",2,64\nodd,2,128\n";
const MEASUREMENTS_MIXED: &str = "device,input,variant,time_ns,configuration\nV100,a,tiled,5,\"block=64,unroll=1\"\nV100,a,tiled,7,\"unroll=2, block=64\"\n";

#[test]
fn parameters_in_another_order_are_matched_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let files = |parameters| files(folder.path(), parameters, MEASUREMENTS_MIXED);
    let url = folder.path().join("s.db").display().to_string();
    let data = DataRequest { store: Some(url), ..DataRequest::default() };
    let trainer = Trainer::new().function(ordered::function(), |session| {
        session.input("a", ordered)?;
        Ok(())
    });
    let names = |recordings: &Recordings| {
        recordings.measurements.iter().map(|one| one.configuration.clone()).collect::<Vec<_>>()
    };

    let of_the_code = trainer.import("ordered", &files(PARAMETERS_REVERSED), &data).unwrap();
    assert_eq!(names(&of_the_code), ["block=64,unroll=1", "block=64,unroll=2"], "as they are declared");
    let row = |name: &str, values: [&str; 2]| (name.to_owned(), values.map(str::to_owned).to_vec());
    let declared = SpaceRecord {
        variant: 0,
        parameters: ["block", "unroll"].map(str::to_owned).to_vec(),
        configurations: [
            row("block=64,unroll=1", ["64", "1"]),
            row("block=64,unroll=2", ["64", "2"]),
            row("odd", ["128", "2"]),
        ]
        .into(),
    };
    assert_eq!(of_the_code.spaces, [declared]);

    // Of a function that the program does not have, the store's order counts.
    let first = trainer.import("foreign", &files(PARAMETERS_REVERSED), &data).unwrap();
    assert_eq!(names(&first), ["unroll=1,block=64", "unroll=2,block=64"], "as they are listed");
    let again = trainer.import("foreign", &files(PARAMETERS), &data).unwrap();
    assert_eq!((names(&again), &again.spaces), (names(&first), &first.spaces));
}
