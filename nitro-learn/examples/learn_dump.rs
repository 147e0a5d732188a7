//! Writes what the trainer learns from and predicts in LIBSVM's text form, so that other tools can be compared with it
//! point by point; `scripts/compare_libsvm.py` and `scripts/compare_sklearn.py` read it.
//!
//! ```text
//! cargo run --release -p nitro-variants-learn --example learn_dump -- IMPORT-FOLDER OUT-FOLDER [FUNCTION]
//! ```
//!
//! The import folder has `measurements.csv`, `inputs.csv` and `devices.csv`, each also as `.gz` or `.xz`. For each
//! held-out device and strategy there come `DEVICE.STRATEGY.train` and `.test` (one line a point: index of the best
//! variant, then `column:value` of the scaled features), `.predicted` (one line a test point: our variant, then its
//! share of the best variant's speed), `.shares` (one line a test point: the share of each variant, `-` where
//! inadmissible) and `.json` (C, γ, the classes in the order of the vote, the seconds that training took). The
//! held-out device trained on itself is the strategy `target-trained`. Built with the feature `linfa`, a `.linfa`
//! beside them holds what a machine trained by linfa-svm predicts.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use nitro_core::model::{Model, Selector, Svm};
use nitro_learn::StudyOptions;
use nitro_learn::evaluate::{Chooser, Split};
use nitro_learn::learners::svm::{BinarySolver, SamplesByClass, Smo, Stop};
use nitro_learn::performance::PerformanceTable;
use nitro_learn::study::Study;
use nitro_learn::task::Task;
use nitro_store::exchange::{Files, import};
use nitro_store::recordings::Recordings;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, out, rest @ ..] = arguments.as_slice() else {
        return Err("usage: learn_dump IMPORT-FOLDER OUT-FOLDER [FUNCTION]".into());
    };
    let function = rest.first().map_or("spmv", String::as_str);
    let recordings = import(function, &files(Path::new(folder))?)?;
    let split = Split::by_name(&recordings);
    let performance = PerformanceTable::new(&recordings)?;
    fs::create_dir_all(out)?;
    for held_out in 0..recordings.devices.len() {
        dump_device(&recordings, &performance, &split, held_out, Path::new(out))?;
    }
    Ok(())
}

fn files(folder: &Path) -> Result<Files> {
    let find = |table: &str| -> Result<PathBuf> {
        let names = ["", ".gz", ".xz"].map(|ending| folder.join(format!("{table}.csv{ending}")));
        let found = names.into_iter().find(|path| path.exists());
        found.ok_or_else(|| format!("{} has no {table}.csv, .csv.gz or .csv.xz", folder.display()).into())
    };
    Ok(Files {
        measurements: find("measurements")?,
        inputs: find("inputs")?,
        devices: find("devices")?,
        parameters: None,
        feature_times: None,
        artifacts: None,
        units: None,
    })
}

fn dump_device(
    recordings: &Recordings,
    performance: &PerformanceTable,
    split: &Split,
    held_out: usize,
    out: &Path,
) -> Result<()> {
    let task = Task::new(recordings, performance, &split.train, 0);
    let options = StudyOptions::default();
    let known = recordings.devices[held_out].features.keys().cloned().collect();
    let sources: Vec<usize> = (0..recordings.devices.len()).filter(|&device| device != held_out).collect();
    let study = |sources: &[usize]| Study::new(&task, sources.to_vec(), Some(&known), &options);
    let (others, own) = (study(&sources), study(&[held_out]));
    let cases = [
        (&others, &sources[..], "svm-none", "svm-none"),
        (&others, &sources[..], "svm-cross-validation", "svm-cross-validation"),
        (&others, &sources[..], "svm-all", "svm-all"),
        (&own, &[held_out][..], "svm-none", "target-trained"),
    ];
    for (study, sources, strategy, name) in cases {
        let fitted = study.fit(strategy.parse()?);
        let (cost, gamma) = (fitted.hyperparameters["C"], fitted.hyperparameters["gamma"]);
        let Selector::Svm(svm) = &fitted.model.selector else { continue };
        let case = Case {
            recordings,
            performance,
            task: &task,
            split,
            held_out,
            sources,
            model: &fitted.model,
            svm,
        };
        let base = out.join(format!("{}.{name}", recordings.devices[held_out].id.replace('/', "_")));
        let seconds = case.train_again(&Smo, cost).1;
        let classes: Vec<usize> = svm.classes.iter().map(|class| class.choice).collect();
        let about = serde_json::json!({
            "device": recordings.devices[held_out].id, "strategy": name, "variants": recordings.variants,
            "cost": cost, "gamma": gamma, "classes": classes,
            "device_features": fitted.model.device_features, "train_seconds": seconds,
        });
        case.write(&base, &format!("{about:#}\n"))?;
        #[cfg(feature = "linfa")]
        case.compare_linfa(&base, cost)?;
    }
    Ok(())
}

/// One model and what it is trained and judged on.
struct Case<'a> {
    recordings: &'a Recordings,
    performance: &'a PerformanceTable,
    task: &'a Task<'a>,
    split: &'a Split,
    held_out: usize,
    sources: &'a [usize],
    model: &'a Model,
    svm: &'a Svm,
}

impl Case<'_> {
    fn write(&self, base: &Path, about: &str) -> Result<()> {
        let chooser = Chooser::new(self.recordings, self.model, self.held_out)?;
        let (mut train, mut test, mut predicted, mut all_shares) =
            (String::new(), String::new(), String::new(), String::new());
        for sample in self.training_set().samples() {
            let device = self.sources[sample.device];
            train += &self.line(sample.class, self.task.inputs[sample.input], device);
        }
        for &input in &self.split.test {
            let Some(shares) = self.performance.shares(self.held_out, input) else { continue };
            let best = self.performance.best(self.held_out, input).expect("shares have a best variant");
            test += &self.line(best, input, self.held_out);
            writeln!(predicted, "{}", choice(&chooser, input, shares))?;
            let shares = shares.iter().map(|share| share.map_or("-".into(), |share| share.to_string()));
            writeln!(all_shares, "{}", shares.collect::<Vec<String>>().join(" "))?;
        }
        let file = |ending: &str| base.with_added_extension(ending);
        fs::write(file("train"), train)?;
        fs::write(file("test"), test)?;
        fs::write(file("predicted"), predicted)?;
        fs::write(file("shares"), all_shares)?;
        fs::write(file("json"), about)?;
        Ok(())
    }

    fn line(&self, variant: usize, input: usize, device: usize) -> String {
        let device = self.task.device_row(device, &self.model.device_features);
        let raw = self.recordings.inputs[input].features.iter().chain(&device);
        let scaled = self.svm.scaling.iter().zip(raw).map(|(scale, &value)| scale.apply(value));
        let columns = scaled.enumerate().map(|(at, value)| format!(" {}:{value}", at + 1));
        format!("{variant}{}\n", columns.collect::<String>())
    }

    fn training_set(&self) -> SamplesByClass {
        SamplesByClass::new(self.task.samples(self.sources, &self.task.all_inputs()))
    }

    /// Trains with a solver of choice; also the seconds it took.
    fn train_again(&self, solver: &dyn BinarySolver, cost: f64) -> (Svm, f64) {
        let (set, task) = (self.training_set(), self.task);
        let space = task.device_space(self.sources, &self.model.device_features);
        let start = Instant::now();
        let stop = Stop::default();
        let machine = set.train(solver, stop, &task.space, &space, self.svm.gamma, &[cost]).remove(0);
        let seconds = start.elapsed().as_secs_f64();
        (machine.to_svm(&set, &task.space, &space, self.svm.gamma), seconds)
    }

    #[cfg(feature = "linfa")]
    fn compare_linfa(&self, base: &Path, cost: f64) -> Result<()> {
        let (ours, own_seconds) = self.train_again(&Smo, cost);
        let (svm, seconds) = self.train_again(&nitro_learn::learners::svm::LinfaSvm, cost);
        let model = Model { selector: Selector::Svm(svm), ..self.model.clone() };
        let chooser = Chooser::new(self.recordings, &model, self.held_out)?;
        let (mut predicted, mut same, mut count) = (String::new(), 0, 0);
        let own = Chooser::new(self.recordings, self.model, self.held_out)?;
        for &input in &self.split.test {
            let Some(shares) = self.performance.shares(self.held_out, input) else { continue };
            same += usize::from(first(&own, input) == first(&chooser, input));
            count += 1;
            writeln!(predicted, "{}", choice(&chooser, input, shares))?;
        }
        let line = format!(
            "{}: linfa {seconds:.2} s, own solver {own_seconds:.2} s ({} support vectors), same choice on {same} of \
             {count}\n",
            base.display(),
            ours.support()
        );
        // That nobody reads it is no reason to end.
        let _ = std::io::Write::write_all(&mut std::io::stdout(), line.as_bytes());
        fs::write(base.with_added_extension("linfa"), predicted)?;
        Ok(())
    }
}

/// The variant that is ranked first.
fn first(chooser: &Chooser<'_>, input: usize) -> usize {
    chooser.choose(input, |_| true).expect("there are variants")
}

/// The variant that is ranked first, and the share of that which would run.
fn choice(chooser: &Chooser<'_>, input: usize, shares: &[Option<f64>]) -> String {
    let runs = chooser.choose(input, |variant| shares[variant].is_some());
    format!("{} {}", first(chooser, input), runs.and_then(|variant| shares[variant]).unwrap_or(0.0))
}
