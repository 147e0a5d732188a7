//! What may be said.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use nitro_search::evolve::EvolvePlan;
use nitro_train::clap;
use nitro_train::clap::builder::RangedU64ValueParser;
use nitro_train::clap::{Args, FromArgMatches};

use crate::Workload;

/// Evolve a compiled kernel: find a small patch on its PTX that is faster, explain it, and test it
///
/// KERNEL.ptx may come from any compiler (`nvcc -ptx`, NVRTC, a framework's cache). How it is run and what of its
/// results counts stands in a workload, KERNEL.toml beside it unless --workload says otherwise: buffers, launches,
/// and inputs of three kinds that have nothing in common. Evolution takes times of those of the search alone; those
/// of the validation decide among its best, and rule out what is wrong with them; those of the test accept a patch
/// or refuse it, once. Results are right when they are the original's, up to the workload's max_error.
///
/// A launch plan (gemm.plan.json: what a search of kernels finds, and models ship) goes in the place of a PTX: it
/// is compiled, --sizes makes its workload, and what is found becomes a plan again.
///
/// Every candidate runs in a process of its own, under a deadline, between guarded buffers: one that crashes or
/// hangs costs that process. What was tried is kept in DIR/evolution.jsonl, and a run that was stopped goes on
/// where it was.
///
/// What another machine or an earlier run has found for the same PTX joins the first generation with --begin-with, and
/// is evaluated like any candidate: its times elsewhere count for nothing.
///
/// DIR gets a patch and the patched PTX for each finding that passed everything, evolved.json and report.html.
#[derive(Clone, Debug, Args)]
#[command(override_usage = USAGE, after_long_help = EXAMPLES)]
pub(super) struct EvolveArgs {
    /// The PTX, or a launch plan
    #[arg(value_name = "KERNEL.ptx", required_unless_present = "worker")]
    pub ptx: Option<PathBuf>,
    /// How it is run; KERNEL.toml unless given
    #[arg(long, value_name = "FILE")]
    pub workload: Option<PathBuf>,
    /// Of a launch plan, the sizes that its workload is made of, as in n=512,m=100; inputs around them are added.
    /// With --template it is printed
    #[arg(long, value_name = "SIZES", conflicts_with = "workload")]
    pub sizes: Option<String>,
    /// Of a launch plan, the compute capability that it is compiled for, as in 90; the device's unless given
    #[arg(long, value_name = "N")]
    pub architecture: Option<u32>,
    /// Where it is run: cuda:0 and so on, several share the work; `emulator` counts what would be executed, without
    /// a GPU
    #[arg(long = "device", value_name = "DEVICE", default_value = "cuda:0")]
    pub devices: Vec<String>,
    /// How long to search, with what prepares for it, such as first runs; what was found takes a little more
    #[arg(long, value_name = "M", default_value_t = 10.0, allow_negative_numbers = true)]
    pub minutes: f64,
    /// Look at no more candidates
    #[arg(long, value_name = "N", value_parser = from_1())]
    pub evaluations: Option<usize>,
    /// Breed no more generations than that, after a first one by chance; `--check` runs the original alone
    #[arg(long, value_name = "N", value_parser = from_1())]
    pub generations: Option<usize>,
    /// Candidates a generation
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(4..))]
    pub population: u16,
    /// The most error that a result may have; the workload's unless given
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub max_error: Option<f64>,
    /// Let patches rely on what all inputs of the workload have in common, such as whole blocks; else nothing is
    /// bred that races, leaves its buffers or is wrong with inputs that nobody wrote (small ones, and sizes around
    /// which guards of the kernel come to something else)
    #[arg(long)]
    pub rely_on_inputs: bool,
    /// Draw all edits by chance, and none that a profile of the original suggests
    #[arg(long)]
    pub unguided: bool,
    /// Seed of everything random
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub seed: u64,
    /// Begin with this patch, as an evolution of the same PTX has written it; may be given several times. A run that
    /// goes on begins with what it began with
    #[arg(long, value_name = "PATCH", conflicts_with_all = ["template", "check", "apply"])]
    pub begin_with: Vec<PathBuf>,
    /// Folder of what is kept; KERNEL.evolved unless given
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Taken by every command; this one asks no store
    #[arg(long, value_name = "S")]
    #[allow(dead_code, reason = "nothing is asked")]
    store: Option<String>,
    /// Print what was found as JSON
    #[arg(long)]
    pub json: bool,
    /// Print a workload for this PTX to fill in, and end
    #[arg(long, conflicts_with_all = ["workload", "check", "apply"])]
    pub template: bool,
    /// Of a PTX with several kernels, the one that the template is for
    #[arg(long, value_name = "NAME", requires = "template")]
    pub kernel: Option<String>,
    /// Run the original alone, with all inputs, and end
    #[arg(long, conflicts_with = "apply")]
    pub check: bool,
    /// Print the PTX with this patch, and end
    #[arg(long, value_name = "PATCH")]
    pub apply: Option<PathBuf>,
    /// Run candidates for the process that started this one
    #[arg(long, hide = true)]
    pub worker: bool,
    /// Run in this process, once with each input of search and validation: for whoever watches it, such as
    /// compute-sanitizer
    #[arg(long, hide = true, requires = "check")]
    pub in_process: bool,
}

/// Of nothing there is nothing to evolve.
fn from_1() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..)
}

const USAGE: &str = "train evolve [OPTIONS] <KERNEL.ptx>";

const EXAMPLES: &str = "\
Examples:
  train evolve hotspot.ptx --template > hotspot.toml
      a workload to fill in
  train evolve library.ptx --template --kernel scan > library.toml
      for one of several kernels
  train evolve hotspot.ptx --check
      whether it runs, and what it takes
  train evolve hotspot.ptx --minutes 10 --seed 1
      evolve it on the first GPU
  train evolve hotspot.ptx --begin-with other/hotspot-1.patch --out here
      begin with what another machine has found
  train evolve hotspot.ptx --apply hotspot.evolved/hotspot-1.patch > faster.ptx
      apply a patch again
  train evolve gemm.plan.json --sizes ni=512,nj=512,nk=512
      evolve the kernels of a launch plan; gemm.evolved/gemm-1.plan.json is one again

A workload:
  max_error = 0.01               # 0, and left out: bit for bit the original's
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
A step may be repeated (times = \"steps\", index = \"t\", its steps under
[[step.step]]); steps under [[judge]] run untimed and unpatched after the others.";

impl EvolveArgs {
    /// The command, as the trainer shows it.
    pub(super) fn command() -> clap::Command {
        Self::augment_args(clap::Command::new("evolve"))
    }

    pub(super) fn of(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        Self::from_arg_matches(matches)
    }

    /// Numbers that are none.
    pub(super) fn check(&self) -> Result<(), String> {
        let numbers = [("--max-error", self.max_error), ("--minutes", Some(self.minutes))];
        let is_wrong = |number: f64| number.is_nan() || number < 0.0;
        match numbers.into_iter().find(|(_, number)| number.is_some_and(is_wrong)) {
            Some((name, _)) => Err(format!("{name} is a number from 0")),
            None => Ok(()),
        }
    }

    pub(super) fn plan(&self, max_error: f64) -> EvolvePlan {
        EvolvePlan {
            population: self.population.into(),
            generations: self.generations.unwrap_or(usize::MAX),
            max_error,
            seed: self.seed,
            ..EvolvePlan::default()
        }
    }

    /// Returns a workload for which nothing is prepared beyond the minutes since a moment.
    pub(super) fn in_time(&self, workload: Workload, began: Instant) -> Workload {
        let end = began.checked_add(self.most_time());
        end.map_or(workload.clone(), |end| workload.until(end))
    }

    pub(super) fn most_time(&self) -> Duration {
        Duration::try_from_secs_f64(self.minutes * 60.0).unwrap_or(Duration::MAX)
    }
}
