//! The command line.

mod bound;
mod calibrate;
mod evaluate;
mod measure;
mod nest;
mod objective;
mod search;
mod show;
mod which;

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand};
use nitro_learn::{DeviceFeatures, Strategy, StudyOptions, WhenUnsure};
use nitro_store::exchange::Files;

pub(super) use self::bound::Bound;
pub(super) use self::calibrate::CalibrateArgs;
pub(super) use self::evaluate::{EvaluateArgs, LeftOut};
pub(super) use self::measure::{DEADLINE_SECONDS, JobArgs, ProfileArgs, RecordArgs};
pub(super) use self::nest::{NestArgs, NestCommand, ShowNestArgs};
pub(super) use self::objective::ObjectiveArgs;
pub(super) use self::search::SearchArgs;
pub(super) use self::show::{JsonArgs, ShowArgs};
pub(super) use self::which::{AgainArgs, ForgetArgs};
use crate::trainer::{CheckRequest, DataRequest, FitRequest, ReportRequest};

/// Learns on some machines which variant of a function is fastest, and picks well on others.
///
/// Without a command: the main job. It takes the recordings of other machines that this program carries, fits each
/// function's selector for this machine without measuring here, then measures here to show what that choice
/// achieved, as a table and a report page.
#[derive(Debug, Parser)]
#[command(name = "train", version, args_conflicts_with_subcommands = true, after_help = EXAMPLES, max_term_width = HELP_COLUMNS)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    #[command(flatten)]
    pub(super) job: JobArgs,
}

/// The most columns of a line of help, on terminals of any width.
pub(super) const HELP_COLUMNS: usize = 80;

const EXAMPLES: &str = "\
Examples:
  train
      the main job on this machine
  train record --device host:4 --store my.db
      measure here with 4 threads; a stopped run goes on where it was
  train record --device all --store my.db
      measure on every GPU at once
  train fit --store my.db --models models
      fit a selector for each function
  train evaluate --store my.db
      how good it is on a device it was not trained on
  train explain transpose m=1e3 n=2e3 skinny=0 coprime=0
      which variant would run, and why";

// On lines that fit.
const IMPORT_USAGE: &str = "\
train import [OPTIONS] --function <F> --measurements <M.csv>
                    --inputs <I.csv> --devices <D.csv>
       train import [OPTIONS] --function <F> --kernel-tuner <CACHE.json>...";
const EXPORT_USAGE: &str = "\
train export [OPTIONS] --function <F> --measurements <M.csv>
                    --inputs <I.csv> --devices <D.csv>";

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Measure every admissible variant on every input
    ///
    /// What is already in the store is skipped, so a stopped run goes on where it was.
    Record(RecordArgs),
    /// Read hardware counters of every variant and of the application proxies, with NVIDIA Nsight Compute (ncu)
    ///
    /// Writes DIR/proxies.csv and DIR/FUNCTION/profiles.csv, which fit and evaluate take with --profiles DIR: from
    /// them follows which device features matter to a function (--device-features profile). The profiler's own logs
    /// are kept in DIR/logs.
    Profile(ProfileArgs),
    /// Fit a selector for each function from the recordings; no device is used
    Fit(FitArgs),
    /// Evaluate selectors on devices, or inputs, that they were not trained on
    ///
    /// Each device, or each input, is left out in turn. Selectors learn from the others, and their choices are compared
    /// with exhaustive search.
    Evaluate(EvaluateArgs),
    /// Write the evaluation of every function as one self-contained page
    Report(ReportArgs),
    /// Check that the models may be shipped; for continuous integration
    ///
    /// Ends with 1, and a sentence a problem, when a model's regret on inputs held out from training is above a
    /// bound, when a model and the code differ in variants or features, or when a model was not fitted from these
    /// recordings. Names the inputs on which choices lost most, with what was chosen and what was best.
    Check(CheckArgs),
    /// Describe this machine's devices and those in the store
    Devices(DevicesArgs),
    /// Show what is in a model file
    Inspect(InspectArgs),
    /// Show which variant a model selects for given feature values, and why
    Explain(ExplainArgs),
    /// Correct models that were learned elsewhere by measuring a few inputs here
    ///
    /// Of each function the training inputs that tell most are measured on the device; what the store holds of it
    /// already is not measured again. The model chooses by them on this device if that stands beside what it chose
    /// before; elsewhere it stays as it is. With --captured those inputs are measured that tell most of a program's
    /// own calls; what the file says of their times takes no part.
    Calibrate(CalibrateArgs),
    /// Search for the fastest configurations of variants with tuning parameters, measuring few of them
    ///
    /// The configurations that bring most are measured on all inputs then, for fit to choose among. What was
    /// evaluated is in the store: a search that was stopped goes on as if it had not been. Of a variant that runs
    /// generated code it searches what the program's generator makes, its presets first; the texts of those that are
    /// kept are in the store too. With --strategy prove it says below the table what is proved: that nothing of the
    /// code that could be generated takes less than so many milliseconds, and how much less than the best that is.
    ///
    /// With --replay every device is searched on as if nothing were known of it. A figure is the time of the best
    /// of all configurations over that of the best found after so many evaluations, failed ones counted, mean over
    /// the seeds.
    Search(SearchArgs),
    /// Show code that was generated for a loop nest
    Nest(NestArgs),
    /// Import measurements from CSV files, or from files of Kernel Tuner, into the store
    ///
    /// measurements: device,input,variant,time_ns (an empty time: the variant failed or is not admissible there);
    /// inputs: input, then one numeric column a feature; devices: device, then one numeric column a device feature.
    /// Each with a header line; .gz and .xz files are read too. At most 64 variants and 4096 features; a text that
    /// a spreadsheet would compute, as =1+1, has a ' before it, as export writes it. Nothing is imported when
    /// anything is wrong.
    ///
    /// --kernel-tuner takes the cache files and T4 results of Kernel Tuner instead, as they are: each of one device
    /// and one input. What it has as invalid is kept without a time, with its reason.
    #[command(override_usage = IMPORT_USAGE)]
    Import(ImportArgs),
    /// Export measurements of a function as CSV files, in the form that import reads
    #[command(override_usage = EXPORT_USAGE)]
    Export(ExportArgs),
    /// Copy between two stores what one has and the other lacks
    ///
    /// Afterwards both have all functions, devices, inputs and measurements of either, and what searches have
    /// evaluated. What both had before stays in each as it was, also where it differs. Nothing is copied when the
    /// stores contradict each other: other features of a function or of an input.
    Sync(SyncArgs),
    /// Remove recordings from a store, by function, variant, device or input
    ///
    /// Says how many of each function. What searches have evaluated goes too. Recordings that the program carries stay.
    ///
    /// Says how many of each function. What searches have evaluated goes too. Recordings that the program carries stay.
    Forget(ForgetArgs),
    /// Show how much captured traffic lies far from the training inputs, and what to record next
    ///
    /// Programs capture their calls when they run with NITRO_CAPTURE=FILE.
    Coverage(CoverageArgs),
}

#[derive(Args, Debug)]
pub(super) struct StoreArgs {
    /// Store of measurements: a file (made when absent) or redis://host:port/db. Without one, nitro.db in the working
    /// directory over the recordings that the program carries
    #[arg(long, value_name = "S", env = "NITRO_STORE", hide_env_values = true)]
    // an address may have a password
    pub(super) store: Option<String>,
}

/// An option that every command takes, of a command without a store: scripts need not know which have one.
#[derive(Args, Debug)]
pub(super) struct NoStoreArgs {
    /// Accepted by every command; this one uses no store
    #[arg(long, value_name = "S")]
    #[allow(dead_code, reason = "nothing is asked")]
    store: Option<String>,
}

impl StoreArgs {
    pub(super) fn request(&self) -> DataRequest {
        DataRequest { store: self.store.clone(), ..DataRequest::default() }
    }
}

#[derive(Args, Debug)]
pub(super) struct ModelsArgs {
    /// Folder of models
    #[arg(long, value_name = "DIR", env = "NITRO_MODELS", default_value = "models")]
    pub(super) models: PathBuf,
}

/// The source of hardware counters.
#[derive(Args, Debug)]
pub(super) struct ProfilesArgs {
    /// Folder that `profile` has written to [default: the profiles that the program carries]
    #[arg(long, value_name = "DIR")]
    pub(super) profiles: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(super) struct FitArgs {
    #[command(flatten)]
    pub(super) request: FitRequest,
    #[command(flatten)]
    pub(super) profiles: ProfilesArgs,
    /// Way to select device features [default: the one that does best on the source devices]
    #[arg(long, value_parser = device_features())]
    pub(super) device_features: Option<String>,
    /// Kind of selector; auto takes the one that does best on the source devices. Trees are used only if they are named
    #[arg(long, value_parser = selectors(), default_value = AUTO)]
    pub(super) selector: String,
    /// Variant to run when the model is unsure, or the input far from the training inputs: `default`, the default
    /// variant, or `best`, the variant that is ranked first [default: the default variant where another is hardly ahead
    /// of it, if that does better on the source devices]
    #[arg(long, value_name = "WHAT", value_parser = ["default", "best"])]
    when_unsure: Option<String>,
    #[command(flatten)]
    pub(super) objective: ObjectiveArgs,
    #[command(flatten)]
    pub(super) study: StudyArgs,
    #[command(flatten)]
    pub(super) output: JsonArgs,
}

impl FitArgs {
    pub(super) fn when_unsure(&self) -> WhenUnsure {
        match self.when_unsure.as_deref() {
            None => WhenUnsure::Decided,
            Some("default") => WhenUnsure::Default,
            Some(_) => WhenUnsure::Best,
        }
    }
}

/// The kind of selector that does best on the source devices.
pub(super) const AUTO: &str = "auto";

fn device_features() -> PossibleValuesParser {
    let help = |set: DeviceFeatures| match set {
        DeviceFeatures::None => "Input features alone",
        DeviceFeatures::Profile => {
            "Those that the hardware counters of the function point to (needs profiles)"
        }
        DeviceFeatures::CrossValidation => "Those that carry over best from source to source",
        DeviceFeatures::All => "All device features",
    };
    PossibleValuesParser::new(DeviceFeatures::ALL.map(|set| PossibleValue::new(set.name()).help(help(set))))
}

fn selectors() -> PossibleValuesParser {
    PossibleValuesParser::new([AUTO].into_iter().chain(Strategy::known_learner_names()))
}

/// The settings of selecting device features by cross-validation.
#[derive(Args, Debug)]
pub(super) struct StudyArgs {
    /// Most device features in one of the subsets that cross-validation tries
    #[arg(long, value_name = "N", default_value_t = StudyOptions::default().subset_size as u32, value_parser = clap::value_parser!(u32).range(1..=5))]
    pub(super) subset_size: u32,
    /// Number of the most frequent winners among the subsets to use together. Of equally frequent ones, the order is by
    /// mean over all sources, then by size, then by alphabet
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) keep: u32,
}

impl StudyArgs {
    pub(super) fn options(&self) -> StudyOptions {
        let (subset_size, keep) = (self.subset_size as usize, self.keep as usize);
        StudyOptions { subset_size, keep }
    }
}

#[derive(Args, Debug)]
pub(super) struct ReportArgs {
    #[command(flatten)]
    pub(super) request: ReportRequest,
    #[command(flatten)]
    pub(super) profiles: ProfilesArgs,
    /// The page
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    pub(super) out: PathBuf,
    #[command(flatten)]
    pub(super) output: JsonArgs,
}

#[derive(Args, Debug)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub(super) request: CheckRequest,
    /// The most regret that a model may have, in percent off the best variant's speed, mean over test inputs and
    /// devices. For one function with its name, as spmv=8; repeat for several [default: 5]
    #[arg(long, value_name = "PERCENT")]
    pub(super) max_regret: Vec<Bound>,
    #[command(flatten)]
    pub(super) show: ShowArgs,
}

#[derive(Args, Debug)]
pub(super) struct DevicesArgs {
    #[command(flatten)]
    pub(super) data: DataRequest,
    /// Suggest the unmeasured device to measure next: the one that is expected to reduce regret most. Candidates are
    /// devices that this program can name here, or else points among the recorded devices
    #[arg(long, conflicts_with = "devices")]
    pub(super) next: bool,
    /// Measure the device features that take a benchmark, and replace those that are kept; best while nothing else runs
    #[arg(long, conflicts_with = "next")]
    pub(super) measure: bool,
    /// Device to describe, for example host:4 or cuda:0/16sm; repeat for several [default: host with all threads]
    #[arg(long = "device", value_name = "DEVICE")]
    pub(super) devices: Vec<String>,
    #[command(flatten)]
    pub(super) show: ShowArgs,
}

#[derive(Args, Debug)]
pub(super) struct InspectArgs {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub(super) model: PathBuf,
    #[command(flatten)]
    no_store: NoStoreArgs,
    #[command(flatten)]
    pub(super) show: ShowArgs,
}

#[derive(Args, Debug)]
pub(super) struct ExplainArgs {
    /// Function to explain a choice of
    #[arg(value_name = "F")]
    pub(super) function: String,
    /// Values of the input features; without them, the message says which ones the model needs
    #[arg(value_name = "feature=value")]
    pub(super) features: Vec<String>,
    #[command(flatten)]
    pub(super) models: ModelsArgs,
    /// Device to select for: one of this machine, as host:4, or one in the store [default: the host with all threads;
    /// for a function of another kind of device, the first such device here, else a recorded one]
    #[arg(long, value_name = "D")]
    pub(super) device: Option<String>,
    #[command(flatten)]
    pub(super) store: StoreArgs,
    #[command(flatten)]
    pub(super) show: ShowArgs,
}

#[derive(Args, Debug)]
pub(super) struct ExportArgs {
    /// Function that was measured
    #[arg(long, value_name = "F")]
    pub(super) function: String,
    #[command(flatten)]
    pub(super) files: FilesArgs,
    #[command(flatten)]
    pub(super) store: StoreArgs,
    #[command(flatten)]
    pub(super) output: JsonArgs,
}

#[derive(Args, Clone, Debug)]
pub(super) struct FilesArgs {
    /// Measurements: device,input,variant,time_ns
    #[arg(long, value_name = "M.csv")]
    measurements: PathBuf,
    /// Inputs and their features
    #[arg(long, value_name = "I.csv")]
    inputs: PathBuf,
    /// Devices and their features
    #[arg(long, value_name = "D.csv")]
    devices: PathBuf,
    /// Configurations that exist, of a variant with tuning parameters: configuration, then one column a parameter
    #[arg(long, value_name = "P.csv")]
    parameters: Option<PathBuf>,
    /// Times to compute features, in nanoseconds: device,input, then one column a feature
    #[arg(long, value_name = "T.csv")]
    feature_times: Option<PathBuf>,
    /// Generated code, one object a line: {"artifact": DIGEST, "text": CODE}
    #[arg(long, value_name = "A.jsonl")]
    artifacts: Option<PathBuf>,
}

impl FilesArgs {
    pub(super) fn files(&self) -> Files {
        let Self { measurements, inputs, devices, parameters, feature_times, artifacts } = self.clone();
        Files { measurements, inputs, devices, parameters, feature_times, artifacts }
    }
}

#[derive(Args, Debug)]
pub(super) struct ImportArgs {
    /// Function that was measured
    #[arg(long, value_name = "F")]
    pub(super) function: String,
    /// Cache files or T4 results of Kernel Tuner, each of one device and one input; .gz and .xz too
    #[arg(long, value_name = "CACHE.json", num_args = 1.., required_unless_present = "measurements", conflicts_with_all = ["measurements", "inputs", "devices", "parameters", "feature_times", "artifacts"])]
    pub(super) kernel_tuner: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) files: Option<FilesArgs>,
    #[command(flatten)]
    pub(super) store: StoreArgs,
    #[command(flatten)]
    pub(super) output: JsonArgs,
}

#[derive(Args, Debug)]
pub(super) struct SyncArgs {
    /// A store: a file, or redis://host:port/db. One of the two may be a file that is still to be made
    #[arg(value_name = "A")]
    pub(super) first: String,
    /// Another store
    #[arg(value_name = "B")]
    pub(super) second: String,
    #[command(flatten)]
    no_store: NoStoreArgs,
    #[command(flatten)]
    pub(super) output: JsonArgs,
}

#[derive(Args, Debug)]
pub(super) struct CoverageArgs {
    /// File that programs with NITRO_CAPTURE=FILE have written
    #[arg(value_name = "FILE")]
    pub(super) capture: PathBuf,
    #[command(flatten)]
    no_store: NoStoreArgs,
    #[command(flatten)]
    pub(super) models: ModelsArgs,
    #[command(flatten)]
    pub(super) show: ShowArgs,
}
