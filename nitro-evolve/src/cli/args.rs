//! The arguments of `train evolve`.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use nitro_search::Until;
use nitro_search::evolve::{EvolvePlan, Rules};
use nitro_train::clap;
use nitro_train::clap::builder::RangedU64ValueParser;
use nitro_train::clap::{Args, FromArgMatches};

use crate::workload::Workload;

/// Make a compiled GPU kernel faster by evolving a small patch on its PTX
///
/// KERNEL.ptx may come from any compiler: `nvcc -ptx`, NVRTC, the cache of a framework. A workload, KERNEL.toml, says
/// how the kernel is run: its buffers, its launches, and inputs of three kinds. Print one to fill in with --template.
///
/// Search: edits of the PTX are drawn and crossed. Each candidate goes through stages: assembly, small inputs that
/// nobody wrote, a first run within bounds, timing with the inputs of the search. One that looks faster also has to be
/// right with the inputs of the validation and in hostile orders of threads.
///
/// Minimise: edits that do not matter are left out of the best candidates.
///
/// Accept: races are looked for thoroughly. Then the inputs of the test, which nothing has seen before, are run once.
/// They accept the patch or refuse it. Exact patches are proved, where that can be. In the end all edits are explained
/// one by one.
///
/// Right means: as the original's results, up to max_error of the workload.
///
/// Candidates run in a process of their own, so that one that crashes or hangs costs that process alone. All trials
/// are kept in DIR/evolution.jsonl; run the same command again, and a search that was stopped goes on.
///
/// DIR gets report.html and evolved.json, and for each accepted finding its patch and the patched PTX. They are
/// written as soon as the first patch is accepted, and again whenever more is known.
///
/// A launch plan (gemm.plan.json, from a search of kernels or from a model) may stand in the place of KERNEL.ptx. It is
/// compiled, --sizes makes its workload, and findings become plans again.
#[derive(Clone, Debug, Args)]
#[command(override_usage = USAGE, after_long_help = EXAMPLES)]
pub(super) struct EvolveArgs {
    /// PTX of the kernel, or a launch plan
    #[arg(value_name = "KERNEL.ptx", required_unless_present = "worker")]
    pub ptx: Option<PathBuf>,
    /// Workload of the kernel [default: KERNEL.toml]
    #[arg(long, value_name = "FILE")]
    pub workload: Option<PathBuf>,
    /// Sizes for the workload of a launch plan, such as n=512,m=100; inputs around them are added. Printed with
    /// --template
    #[arg(long, value_name = "SIZES", conflicts_with = "workload")]
    pub sizes: Option<String>,
    /// Compute capability to compile a launch plan for, such as 90 [default: the device's]
    #[arg(long, value_name = "N")]
    pub architecture: Option<u32>,
    /// Device to run on, such as cuda:0; give several to share the work. `emulator` needs no GPU: it counts what
    /// would be executed
    #[arg(long = "device", value_name = "DEVICE", default_value = "cuda:0")]
    pub devices: Vec<String>,
    /// Minutes for preparation and search. Minimising, checks, test, proofs and explanations take as long again at
    /// most, and have half a minute at least; what no time is left for is said. With 0, a search that was ended is
    /// brought to its end
    #[arg(long, value_name = "M", default_value_t = 10.0, allow_negative_numbers = true)]
    pub minutes: f64,
    /// Most candidates to evaluate
    #[arg(long, value_name = "N", value_parser = from_1())]
    pub evaluations: Option<usize>,
    /// Stop the search once its fastest exact candidate has this share of the speed that memory and launches allow at
    /// most. That is not known on the emulator
    #[arg(long, value_name = "P%-of-floor", conflicts_with_all = ["template", "check", "apply"])]
    pub until: Option<Until>,
    /// Most generations after the first, whose edits are tried alone
    #[arg(long, value_name = "N", value_parser = from_1())]
    pub generations: Option<usize>,
    /// Candidates of a generation
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(4..))]
    pub population: u16,
    /// Most error of a result [default: the workload's]
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub max_error: Option<f64>,
    /// Accept patches that hold only for inputs like the workload's, such as whole blocks. Otherwise candidates have
    /// to be right with small inputs that nobody wrote, too
    #[arg(long)]
    pub rely_on_inputs: bool,
    /// Draw all edits at random, without those that a profile of the original suggests
    #[arg(long)]
    pub unguided: bool,
    /// Rules by which candidates are chosen: `model` tries every proposal alone and adds up what pays, `paper` draws,
    /// crosses and mutates as GEVO does. A search that goes on keeps the rules that it began with
    #[arg(long, value_name = "RULES", default_value = "model", value_parser = rules)]
    pub rules: Rules,
    /// Seed of everything random
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub seed: u64,
    /// Patch that joins the first generation, found elsewhere for the same PTX; may be given several times. It is
    /// evaluated like any candidate. A search that goes on keeps the patches that it began with
    #[arg(long, value_name = "PATCH", conflicts_with_all = ["template", "check", "apply"])]
    pub begin_with: Vec<PathBuf>,
    /// Folder for everything that is written [default: KERNEL.evolved]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Store of recordings, which this command does not use
    #[arg(long, value_name = "S")]
    #[allow(dead_code, reason = "every command takes it")]
    store: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Print a workload to fill in, and exit
    #[arg(long, conflicts_with_all = ["workload", "check", "apply"])]
    pub template: bool,
    /// Kernel that the template is for, if the PTX has several
    #[arg(long, value_name = "NAME", requires = "template")]
    pub kernel: Option<String>,
    /// Run the original alone with all inputs, print its times, and exit
    #[arg(long, conflicts_with = "apply")]
    pub check: bool,
    /// Print the PTX with this patch, and exit
    #[arg(long, value_name = "PATCH")]
    pub apply: Option<PathBuf>,
    /// Run candidates for the process that started this one
    #[arg(long, hide = true)]
    pub worker: bool,
    /// Run in this process, once with each input of search and validation, for whoever watches it, such as
    /// compute-sanitizer
    #[arg(long, hide = true, requires = "check")]
    pub in_process: bool,
}

/// The least time for what follows the search.
const LEAST_AFTER: Duration = Duration::from_secs(30);

/// Reads a number from 1.
fn from_1() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..)
}

/// Reads rules.
fn rules(text: &str) -> Result<Rules, String> {
    match text {
        "model" => Ok(Rules::Model),
        "paper" => Ok(Rules::Paper),
        _ => Err("rules are `model` or `paper`".to_owned()),
    }
}

const USAGE: &str = "train evolve [OPTIONS] <KERNEL.ptx>";

const EXAMPLES: &str = "\
Examples:
  train evolve hotspot.ptx --template > hotspot.toml
      print a workload, and fill it in
  train evolve hotspot.ptx --check
      see that it runs, and how long it takes
  train evolve hotspot.ptx --minutes 10 --seed 1
      evolve it on the first GPU
  train evolve hotspot.ptx --apply hotspot.evolved/hotspot-1.patch > faster.ptx
      apply a patch again
  train evolve hotspot.ptx --begin-with other/hotspot-1.patch --out here
      begin with the finding of another machine
  train evolve library.ptx --template --kernel scan > library.toml
      print a workload for one of several kernels
  train evolve gemm.plan.json --sizes ni=512,nj=512,nk=512
      evolve a launch plan; gemm.evolved/gemm-1.plan.json is one again

A workload:
  max_error = 0.01               # left out: 0, bit for bit the original's
  [[buffer]]
  name = \"x\"
  type = \"f32\"                   # u8 i8 u16 i16 u32 i32 u64 i64 f32 f64
  length = \"rows * cols\"
  role = \"in\"                    # in, out, inout, scratch
  values = \"uniform(0, 1)\"       # of element i; or file = \"x.bin\"
  [[step]]
  kernel = \"scale\"
  grid = [\"ceil_div(cols, 16)\", \"ceil_div(rows, 16)\"]
  block = [16, 16]
  arguments = [\"x\", \"y\", { i32 = \"rows\" }, { i32 = \"cols\" }]
  [[search]]                     # then [[validation]] and [[test]]
  rows = 512
  cols = 512
To repeat steps, write times = \"steps\" and index = \"t\" in a [[step]], and the
steps under [[step.step]]. Steps under [[judge]] run last, untimed and unpatched.";

impl EvolveArgs {
    /// Returns the command, as the trainer shows it.
    pub(super) fn command() -> clap::Command {
        Self::augment_args(clap::Command::new("evolve"))
    }

    /// Takes the arguments of a command line.
    pub(super) fn of(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        Self::from_arg_matches(matches)
    }

    /// Refuses negative numbers, and what is not a number.
    pub(super) fn check(&self) -> Result<(), String> {
        let numbers = [("--max-error", self.max_error), ("--minutes", Some(self.minutes))];
        for (name, number) in numbers {
            if number.is_some_and(|number| number.is_nan() || number < 0.0) {
                return Err(format!("{name} is a number from 0"));
            }
        }
        Ok(())
    }

    /// Returns the plan of breeding.
    pub(super) fn plan(&self, max_error: f64) -> EvolvePlan {
        EvolvePlan {
            population: self.population.into(),
            generations: self.generations.unwrap_or(usize::MAX),
            max_error,
            seed: self.seed,
            rules: self.rules,
            ..EvolvePlan::default()
        }
    }

    /// Returns a workload for which nothing is prepared beyond the minutes since a moment.
    pub(super) fn in_time(&self, workload: Workload, began: Instant) -> Workload {
        let end = began.checked_add(self.most_time());
        end.map_or(workload.clone(), |end| workload.until(end))
    }

    /// Returns the time for what follows the search.
    pub(super) fn most_time_after(&self) -> Duration {
        self.most_time().max(LEAST_AFTER)
    }

    /// Returns the time for the search.
    pub(super) fn most_time(&self) -> Duration {
        Duration::try_from_secs_f64(self.minutes * 60.0).unwrap_or(Duration::MAX)
    }
}
