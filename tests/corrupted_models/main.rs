//! A thousand damaged models under real calls: nothing panics, no inadmissible variant runs, and the reason is the
//! true one.
//!
//! Functions read their models at their first call, so each model goes to a function of its own in some process:
//! copies of this test get a folder of damaged models each. The same models are then given to one function by
//! reloading.

mod damage;
mod expected;

use std::path::Path;
use std::process::Command;

use damage::{Random, damaged, sound};
use expected::{Input, choice, unusable};
use nitro::{
    Device, DeviceEntry, DeviceFeature, Function, Reason, Stopwatch, code_variant, model::file_name,
};

const PROCESSES: usize = 50;
/// Damaged models of a process: as many as there are functions.
const MODELS: usize = 20;

/// A device that has nothing to measure.
struct Scripted;

impl Device for Scripted {
    fn entry(&self) -> &'static DeviceEntry {
        let threads = || vec![DeviceFeature { name: "threads".into(), value: 4.0 }];
        DeviceEntry::intern("scripted", threads, |_| Vec::new())
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        unreachable!("nothing is recorded")
    }
}

fn first(_: Input) -> &'static str {
    "first"
}

fn second(input: Input) -> &'static str {
    assert!(input.admits("second"), "second ran on {input:?}");
    "second"
}

fn third(input: Input) -> &'static str {
    assert!(input.admits("third"), "third ran on {input:?}");
    "third"
}

type Tested = (&'static Function, fn(Input) -> &'static str, fn(Input) -> (String, Reason));

macro_rules! functions {
    ($($name:ident)*) => {
        $(
            #[code_variant(
                device = Scripted,
                features(size = input.size, count = input.count),
                variants(first, second if size < 100.0, third if count.is_multiple_of(2)),
                default = first,
            )]
            fn $name(input: Input) -> &'static str;
        )*

        /// The functions, each with its call and its selection.
        fn tested() -> Vec<Tested> {
            vec![$((
                $name::function(),
                $name as fn(Input) -> &'static str,
                |input| {
                    let selection = $name::select(input);
                    (selection.variant().to_string(), selection.reason())
                },
            )),*]
        }
    };
}
functions!(f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12 f13 f14 f15 f16 f17 f18 f19);

fn inputs() -> impl Iterator<Item = Input> {
    let sizes = [0.0, 3.0, 55.5, 99.9, 100.0, 1e12, -1e300, f64::NAN, f64::INFINITY];
    sizes.into_iter().flat_map(|size| [0, 3, 8, u32::MAX].map(|count| Input { size, count }))
}

/// Calls and selections of a function whose model's bytes are these do what they have to.
fn check(tested: Tested, bytes: &[u8]) -> Result<(), Reason> {
    let (function, call, select) = tested;
    let device = Scripted.entry();
    let model = unusable(function, bytes, device);
    for input in inputs() {
        let (variant, mut reason) = select(input);
        if let Reason::PredictedFar { .. } = reason {
            reason = Reason::Predicted;
        }
        assert_eq!((variant.as_str(), reason), choice(function, &model, device, input), "{input:?}");
        assert_eq!(call(input), variant, "{input:?}");
    }
    model.map(drop)
}

fn path(folder: &Path, function: &Function) -> std::path::PathBuf {
    folder.join(file_name(function.name()))
}

/// What a process does: its functions meet their models for the first time.
#[test]
#[ignore = "run by the other test, with a folder of damaged models"]
fn child() {
    let folder = std::env::var_os("NITRO_MODELS").expect("the other test names it");
    let mut usable = 0;
    for tested in tested() {
        let bytes = std::fs::read(path(folder.as_ref(), tested.0)).expect("the other test wrote it");
        usable += usize::from(check(tested, &bytes).is_ok());
    }
    println!("usable: {usable}");
}

/// The damaged models of a process, one for each function.
fn models(process: usize) -> Vec<(Tested, Vec<u8>)> {
    let mut random = Random(process as u64);
    let mut damage = |(number, tested): (usize, Tested)| {
        let model = sound(tested.0.name(), (number + process) % 3);
        (tested, damaged(&model, &mut random))
    };
    tested().into_iter().enumerate().map(&mut damage).collect()
}

#[test]
fn a_thousand_damaged_models_hurt_nobody() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(PROCESSES * MODELS, 1000);
    let usable: usize = (0..PROCESSES).map(|process| first_calls(folder.path(), process)).sum();
    // A test of refusals alone would say nothing of models that are wrong and look right, and the reverse.
    assert!((100..900).contains(&usable), "{usable} of 1000 damaged models could be used");
    reloads(folder.path());
}

/// How many of a process's damaged models could be used.
fn first_calls(folder: &Path, process: usize) -> usize {
    let models = models(process);
    assert_eq!(models.len(), MODELS);
    for ((function, ..), bytes) in &models {
        std::fs::write(path(folder, function), bytes).unwrap();
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child", "--ignored", "--nocapture"]).env("NITRO_MODELS", folder);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "process {process}: {text}{}", String::from_utf8_lossy(&output.stderr));
    let usable = text.lines().find_map(|line| line.split_once("usable: ")?.1.parse().ok());
    usable.unwrap_or_else(|| panic!("process {process} said {text}"))
}

/// The same models by reloading: what cannot be used changes nothing.
fn reloads(folder: &Path) {
    // SAFETY: the only other test of the process is ignored, and no other thread runs.
    unsafe { std::env::set_var("NITRO_MODELS", folder) };
    for tested in tested() {
        std::fs::write(path(folder, tested.0), sound(tested.0.name(), 0).to_bytes()).unwrap();
    }
    let mut present: Vec<Vec<u8>> =
        tested().iter().map(|(function, ..)| std::fs::read(path(folder, function)).unwrap()).collect();
    for process in 0..PROCESSES {
        for ((tested, bytes), present) in models(process).into_iter().zip(&mut present) {
            check(tested, present).expect("it is usable");
            std::fs::write(path(folder, tested.0), &bytes).unwrap();
            let is_usable = unusable(tested.0, &bytes, Scripted.entry()).is_ok();
            assert_eq!(tested.0.reload().is_ok(), is_usable);
            if is_usable {
                *present = bytes;
            }
            check(tested, present).expect("what is in use is usable");
        }
    }
}
