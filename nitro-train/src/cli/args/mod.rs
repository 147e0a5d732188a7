//! The arguments of the command line.

mod bound;
mod common;
mod evaluate;
mod files;
mod fit;
mod measure;
mod nest;
mod objective;
mod results;
mod search;
mod show;
mod which;

use clap::{Parser, Subcommand};

pub(super) use self::common::DEADLINE_SECONDS;
pub(super) use self::evaluate::{EvaluateArgs, LeftOut};
pub(super) use self::files::{ExportArgs, ImportArgs, SyncArgs};
pub(super) use self::fit::{AUTO, FitArgs};
pub(super) use self::measure::{CalibrateArgs, JobArgs, ProfileArgs, RecordArgs};
pub(super) use self::nest::{NestArgs, NestCommand, ShowNestArgs};
pub(super) use self::results::{CheckArgs, CoverageArgs, DevicesArgs, ExplainArgs, InspectArgs, ReportArgs};
pub(super) use self::search::SearchArgs;
pub(super) use self::show::{JsonArgs, ShowArgs};
pub(super) use self::which::ForgetArgs;

/// Learns on some machines which variant of a function is fastest, and picks well on others.
///
/// Without a command, the main job runs. It fits a selector of each function for this machine, from the recordings of
/// other machines that this program carries. Then it measures here to show what the choices achieve, as a table and a
/// report page.
#[derive(Debug, Parser)]
#[command(name = "train", version, args_conflicts_with_subcommands = true)]
#[command(after_help = EXAMPLES, max_term_width = HELP_COLUMNS)]
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
    /// Measurements that the store has are not made again, so a run that was stopped goes on where it was.
    Record(RecordArgs),
    /// Read hardware counters of every variant and of the application proxies, with NVIDIA Nsight Compute (ncu)
    ///
    /// Writes DIR/proxies.csv and DIR/FUNCTION/profiles.csv, which fit and evaluate read with --profiles DIR. They tell
    /// which device features matter to a function (--device-features profile). The profiler's own logs are in DIR/logs.
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
    /// Exits with 1, and a sentence for each problem. A problem is a regret above a bound on inputs held out from
    /// training, a model that differs from the code in variants or features, or one that was not fitted from these
    /// recordings. Names the inputs on which choices lost most, with the chosen and the best variant.
    Check(CheckArgs),
    /// Describe this machine's devices and those in the store
    Devices(DevicesArgs),
    /// Show what is in a model file
    Inspect(InspectArgs),
    /// Show which variant a model selects for given feature values, and why
    Explain(ExplainArgs),
    /// Correct models that were learned elsewhere by measuring a few inputs here
    ///
    /// The training inputs that tell most are measured on the device, unless the store has them. The model uses them on
    /// this device only, and only if its choices get better. With --captured, inputs are measured that tell most of a
    /// program's own calls; the times in that file are not used.
    Calibrate(CalibrateArgs),
    /// Search for the fastest configurations of variants with tuning parameters, measuring few of them
    ///
    /// The best configurations are then measured on all inputs, so that fit can choose among them. Evaluations are kept
    /// in the store: a search that was stopped goes on where it was. Of a variant that runs generated code, the code
    /// that the program's generator can make is searched, presets first; texts that are kept are in the store too. With
    /// --strategy prove, the proof stands below the table: no code that could be generated takes less than so many
    /// milliseconds, and how much less than the best that is.
    ///
    /// With --replay, each device is searched as if nothing were known of it. A figure is the best time of all
    /// configurations over the best found after so many evaluations, mean over the seeds; failed evaluations count.
    Search(SearchArgs),
    /// Show code that was generated for a loop nest
    Nest(NestArgs),
    /// Import measurements from CSV files, or from files of Kernel Tuner, into the store
    ///
    /// measurements: device,input,variant,time_ns, with an empty time where the variant failed or is not admissible;
    /// inputs: input, then a numeric column for each feature; devices: device, then a numeric column for each device
    /// feature. Each file has a header line and may be .gz or .xz. At most 64 variants and 4096 features. A text that a
    /// spreadsheet would compute, such as =1+1, has a ' before it, as export writes it. If anything is wrong, nothing
    /// is imported.
    ///
    /// --kernel-tuner reads cache files and T4 results of Kernel Tuner instead, each of one device and one input.
    /// Invalid configurations are kept without a time, with the reason.
    #[command(override_usage = IMPORT_USAGE)]
    Import(ImportArgs),
    /// Export measurements of a function as CSV files, in the form that import reads
    #[command(override_usage = EXPORT_USAGE)]
    Export(ExportArgs),
    /// Copy between two stores what one has and the other lacks
    ///
    /// Afterwards both have the functions, devices, inputs, measurements and evaluations of either. Where both had a
    /// measurement, each keeps its own. If the stores contradict each other in the features of a function or an input,
    /// nothing is copied.
    Sync(SyncArgs),
    /// Remove recordings from a store, by function, variant, device or input
    ///
    /// Prints how many of each function. What searches have evaluated goes too. Recordings that the program carries
    /// stay.
    Forget(ForgetArgs),
    /// Show how much captured traffic lies far from the training inputs, and what to record next
    ///
    /// Programs capture their calls when they run with NITRO_CAPTURE=FILE.
    Coverage(CoverageArgs),
}
