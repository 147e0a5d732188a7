//! What was evolved becomes a variant: a search measures the accepted patches, and a model ships the one that it
//! picks. On a device that runs PTX in the emulator.

use std::cell::Cell;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use nitro::{Artifact, Device, DeviceEntry, Stopwatch, code_variant};
use nitro_evolve::{EvolveCommand, PatchFolder};
use nitro_ptx::Module;
use nitro_ptx::emulate::{Emulator, Launch, Memory, Options};
use nitro_train::model::Model;
use nitro_train::provide::{DeviceProvider, OpenDevice};
use nitro_train::{BoxError, Session, Trainer, TrainerCommand, Tunable};
use tempfile::TempDir;

/// Adds 1 to each element, and stores it twice.
const PTX: &str = include_str!("next/next.ptx");
const WORKLOAD: &str = include_str!("next/next.toml");

#[code_variant(
    name = "next",
    device = Emulated,
    features(length = of.len()),
    variants(plain, evolved { kernel in artifacts }),
    default = plain,
)]
fn next(of: &mut Vec<u8>) -> Result<(), BoxError>;

fn plain(of: &mut Vec<u8>) -> Result<(), BoxError> {
    run(PTX, of)
}

fn evolved(p: next::Evolved, of: &mut Vec<u8>) -> Result<(), BoxError> {
    run(p.kernel.text().ok_or("nobody knows the text")?, of)
}

fn run(ptx: &str, of: &mut Vec<u8>) -> Result<(), BoxError> {
    let mut memory = Memory::new();
    let (length, to) = (of.len() as u32 / 4, memory.allocate(of.clone()));
    let parameters = [to.to_le_bytes().to_vec(), length.to_le_bytes().to_vec()];
    let launch =
        Launch { kernel: "next", grid: [1; 3], block: [64, 1, 1], shared_bytes: 0, parameters: &parameters };
    let launched = Emulator::new(&Module::parse(ptx)?)?.launch(&launch, &mut memory, &Options::default())?;
    TIME_NS.set(launched.cycles as f64);
    *of = memory.bytes(to).to_vec();
    Ok(())
}

thread_local! {
    /// What the last launch took.
    static TIME_NS: Cell<f64> = const { Cell::new(0.0) };
}

#[derive(Clone, Copy)]
struct Emulated;

impl Device for Emulated {
    fn entry(&self) -> &'static DeviceEntry {
        DeviceEntry::intern("emulated", Vec::new, |_| Vec::new())
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        struct Watch;
        impl Stopwatch for Watch {
            fn start(&mut self) {}
            fn stop(&mut self) -> f64 {
                TIME_NS.get()
            }
        }
        Box::new(Watch)
    }
}

impl OpenDevice for Emulated {
    fn run(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), BoxError> {
        work();
        Ok(())
    }
}

/// Provides `emulated:0`.
struct Devices;

impl DeviceProvider for Devices {
    fn kind(&self) -> &'static str {
        "emulated"
    }

    fn forms(&self) -> &'static str {
        "emulated:0"
    }

    fn check(&self, _: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(())
    }

    fn all(&self) -> Result<Vec<String>, Box<dyn Error + Send + Sync>> {
        Ok(vec!["emulated:0".into()])
    }

    fn open(&self, _: &str) -> Result<Box<dyn OpenDevice>, Box<dyn Error + Send + Sync>> {
        Ok(Box::new(Emulated))
    }
}

fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    for length in [20, 40, 60] {
        let ones = vec![1; 4 * length];
        session.checked_input(
            &length.to_string(),
            || {
                let mut of = ones.clone();
                next(&mut of).map(|()| of)
            },
            |expected, found| matches!((expected, found), (Ok(a), Ok(b)) if a == b),
        )?;
    }
    Ok(())
}

/// Names the folder of the patches, and makes this program the trainer.
const FOLDER: &str = "EVOLVED";

fn main() -> ExitCode {
    if let Some(folder) = std::env::var_os(FOLDER) {
        let tunable = Tunable::new(next::function(), record).runs_on("emulated");
        let tunable = tunable.generated("evolved", PatchFolder::exact(folder));
        return Trainer::new().devices(Devices).tunable(tunable).main();
    }
    a_patch_is_searched_kept_and_shipped_in_the_model();
    ExitCode::SUCCESS
}

/// What a command of the trainer writes.
fn train(folder: &Path, arguments: &str) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(arguments.split(' ')).current_dir(folder).env(FOLDER, "next.evolved");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A folder with what an evolution of the kernel has written.
fn evolve() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    fs::write(file("next.ptx"), PTX).unwrap();
    fs::write(file("next.toml"), WORKLOAD).unwrap();
    let words = ["evolve", &file("next.ptx"), "--device", "emulator", "--evaluations", "600"];
    let out = ["--out", &file("next.evolved")];
    let matches = EvolveCommand.command().try_get_matches_from(words.into_iter().chain(out)).unwrap();
    EvolveCommand.run(&matches, &mut Vec::new()).unwrap();
    folder
}

fn a_patch_is_searched_kept_and_shipped_in_the_model() {
    let folder = evolve();
    let folder = folder.path();
    let ptx = fs::read_to_string(folder.join("next.evolved/next-1.ptx")).unwrap();
    let kernel = format!("kernel={}", Artifact::of(&ptx));
    let searched = train(folder, "search --store s.db --device emulated:0 --json");
    let searched: serde_json::Value = serde_json::from_str(&searched).unwrap();
    let searched = searched["searched"].as_array().unwrap();
    assert!(searched.len() == 3 && searched.iter().all(|one| one["best"] == kernel), "{searched:?}");

    train(folder, "fit --store s.db --models models");
    let model = Model::read(&folder.join("models/next.model")).unwrap();
    let choice = format!("evolved{{{kernel}}}");
    assert!(model.choices.contains(&choice), "{:?}", model.choices);

    // People see what it does.
    let list = train(folder, "nest show --store s.db --models models");
    assert!(list.contains("next-1") && list.contains("preset, model, store"), "{list}");
    let shown = train(folder, "nest show next-1 --store s.db --models models");
    assert!(shown.starts_with("Patch 1, ") && shown.contains("st.global.u32 [%rd3], %r4;"), "{shown}");
    train(folder, "nest show next-1 --store s.db --models models --html page.html");
    assert!(fs::read_to_string(folder.join("page.html")).unwrap().contains("Accepted"));
}
