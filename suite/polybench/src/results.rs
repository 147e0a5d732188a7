//! What searches found, beside what code of others takes.

use std::fmt::Write;

use nitro_nest::Mapping;
use nitro_stats::statistics::{geometric_mean, median_low};
use serde::{Deserialize, Serialize};

use crate::work::Work;
use crate::{kernels, sizes};

/// What came of a search.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Found {
    /// The nest.
    pub nest: String,
    /// Its sizes: `large` or `huge`.
    pub size: String,
    /// Who proposed: `presets`, `ants`, `random` or a part of the ants.
    pub strategy: String,
    /// The seed of the search.
    pub seed: u64,
    /// The time of the fastest. None: nothing ran.
    pub best_ms: Option<f64>,
    /// The best after each evaluation.
    pub course_ms: Vec<Option<f64>>,
    /// Evaluations that gave no time.
    pub failures: usize,
    /// What the search took; of several side by side, its share.
    pub seconds: f64,
    /// The fastest.
    pub mapping: Option<Mapping>,
    /// Whether it is of the nest with fused loops.
    #[serde(default)]
    pub has_fused_loops: bool,
}

/// What code of others takes for a nest.
#[derive(Clone, Debug, Deserialize)]
pub struct Baseline {
    /// The nest, as PolyBench calls it.
    pub kernel: String,
    /// `LARGE` or `H200`.
    pub size: String,
    /// PPCG, sizes known at compile time.
    pub ppcg_ms: f64,
    /// PPCG, sizes as parameters.
    pub ppcg_runtime_sizes_ms: f64,
    /// Plain CUDA.
    pub handwritten_ms: Option<f64>,
    /// Calls of cuBLAS.
    pub cublas_ms: Option<f64>,
}

impl Baseline {
    /// The fastest of them.
    #[must_use]
    pub fn best_ms(&self) -> f64 {
        let others = [Some(self.ppcg_runtime_sizes_ms), self.handwritten_ms, self.cublas_ms];
        others.into_iter().flatten().fold(self.ppcg_ms, f64::min)
    }
}

/// The searches that ship.
///
/// # Panics
/// When a line is none.
#[must_use]
pub fn found() -> Vec<Found> {
    searches(include_str!("../measured/nests-h200.jsonl"))
}

/// The searches without parts of the ants that ship, at the sizes `large`.
///
/// # Panics
/// When a line is none.
#[must_use]
pub fn found_by_parts() -> Vec<Found> {
    searches(include_str!("../measured/ablations-h200.jsonl"))
}

fn searches(lines: &str) -> Vec<Found> {
    lines.lines().map(|line| serde_json::from_str(line).expect("a line is a search")).collect()
}

/// The baselines that ship.
///
/// # Panics
/// When a row is none.
#[must_use]
pub fn baselines() -> Vec<Baseline> {
    let text = include_str!("../measured/baselines-h200.csv");
    csv::Reader::from_reader(text.as_bytes())
        .deserialize()
        .collect::<Result<_, _>>()
        .expect("a row is a baseline")
}

/// What an H200 does in a second at most: multiply-adds of its 16,896 cores at 1.98 GHz, two operations each.
const PEAK_OPERATIONS: f64 = 66.9e12;
/// What copies read and write there in a second, as `train devices` measures (`models/recordings`).
const COPIED_BYTES: f64 = 3.96e12;

/// What was found for a nest.
struct Times {
    preset_ms: f64,
    /// The best of presets and search, of each seed.
    ants_ms: Vec<f64>,
    random_ms: Vec<f64>,
}

impl Times {
    fn of(nest: &str, size: &str, all: &[Found]) -> Option<Self> {
        let of = |strategy: &str| -> Vec<f64> {
            let is_own =
                |found: &&Found| found.nest == nest && found.size == size && found.strategy == strategy;
            let own = all.iter().filter(is_own);
            own.map(|found| found.best_ms.unwrap_or(f64::INFINITY)).collect()
        };
        let preset_ms = of("presets").into_iter().reduce(f64::min)?;
        let with_presets =
            |times_ms: Vec<f64>| times_ms.into_iter().map(|time_ms| time_ms.min(preset_ms)).collect();
        let times =
            Self { preset_ms, ants_ms: with_presets(of("ants")), random_ms: with_presets(of("random")) };
        (!times.ants_ms.is_empty()).then_some(times)
    }
}

/// Nests that are some hundred times as fast as what PPCG makes of them: means stand with and without them.
const OUTLIERS: [&str; 2] = ["doitgen", "trmm"];

/// The table of these sizes, `huge` or `large`, in Markdown.
///
/// # Panics
/// When the sizes are neither.
#[must_use]
pub fn table(size: &str) -> String {
    let all = found();
    let mut rows = Rows::default();
    let of_polybench = if size == "huge" { "H200" } else { "LARGE" };
    let baselines = baselines();
    for kernel in kernels() {
        let nest = (kernel.nest)();
        let is_own = |baseline: &&Baseline| {
            baseline.size == of_polybench && baseline.kernel == polybench_name(nest.name())
        };
        let Some(baseline) = baselines.iter().find(is_own) else { continue };
        let Some(times) = Times::of(nest.name(), size, &all) else { continue };
        let sizes = sizes(nest.name(), size).expect("it was searched at these sizes");
        rows.add(baseline, &times, Work::of(&nest, &sizes));
    }
    rows.finish()
}

#[derive(Default)]
struct Rows {
    text: String,
    ratios: Vec<Ratios>,
}

/// What others take for a nest, as multiples of what ants found.
struct Ratios {
    kernel: String,
    ppcg: f64,
    best: f64,
    random: Option<f64>,
}

impl Rows {
    fn add(&mut self, baseline: &Baseline, times: &Times, work: Work) {
        let ants_ms = median_low(&mut times.ants_ms.clone()).expect("ants were measured");
        let least_ms = 1e3 * (work.operations / PEAK_OPERATIONS).max(work.bytes / COPIED_BYTES);
        let random_ms = median_low(&mut times.random_ms.clone());
        let others = [Some(baseline.ppcg_ms), baseline.handwritten_ms, baseline.cublas_ms];
        let own = [Some(times.preset_ms), random_ms, Some(ants_ms)];
        let cells = others
            .into_iter()
            .chain(own)
            .map(|time_ms| time_ms.map_or("–".to_owned(), |ms| format!("{ms:.3}")));
        let cells: Vec<String> = cells.collect();
        let (ppcg, best) = (baseline.ppcg_ms / ants_ms, baseline.best_ms() / ants_ms);
        let share = 100.0 * least_ms / ants_ms;
        writeln!(
            self.text,
            "| {} | {} | {ppcg:.2} | {best:.2} | {share:.0} |",
            baseline.kernel,
            cells.join(" | ")
        )
        .expect("a string takes everything");
        let random = random_ms.map(|random_ms| random_ms / ants_ms);
        self.ratios.push(Ratios { kernel: baseline.kernel.clone(), ppcg, best, random });
    }

    fn finish(self) -> String {
        let all = mean_row("geometric mean", self.ratios.iter());
        let others = self.ratios.iter().filter(|one| !OUTLIERS.contains(&&*one.kernel));
        let others = mean_row(&format!("geometric mean without {}", OUTLIERS.join(" and ")), others);
        format!(
            "| nest | PPCG, ms | plain CUDA, ms | cuBLAS, ms | best preset, ms | random, ms | ants, ms | over PPCG \
             | over the best of the three | % of the least time |\n\
             | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n\
             {}{all}{others}",
            self.text
        )
    }
}

/// The row of means over some nests.
fn mean_row<'a>(name: &str, nests: impl Iterator<Item = &'a Ratios> + Clone) -> String {
    let mean = |of: fn(&Ratios) -> Option<f64>| geometric_mean(nests.clone().filter_map(of));
    let random = mean(|one| one.random).map_or(String::new(), |mean| format!("{mean:.2} times as long"));
    let [ppcg, best] = [mean(|one| Some(one.ppcg)), mean(|one| Some(one.best))];
    let [ppcg, best] = [ppcg, best].map(|mean| mean.map_or(String::new(), |mean| format!("{mean:.2}")));
    format!("| {name} | | | | | {random} | | {ppcg} | {best} | |\n")
}

/// The parts of the ants that can be turned off, as searches call them.
const ABLATIONS: [&str; 4] =
    ["without-part-updates", "without-metrics", "without-tree", "without-recombination"];

/// What ants find with a part of them turned off, and chance, as multiples of what they find: at the sizes `LARGE`,
/// for all nests where that was measured, in Markdown. Presets are not counted, and there was no local search yet.
///
/// # Panics
/// When a line is no search.
#[must_use]
pub fn ablations() -> String {
    let all = found_by_parts();
    let median_ms = |nest: &str, strategy: &str| {
        let is_own = |one: &&Found| one.nest == nest && one.strategy == strategy;
        let mut times: Vec<f64> = all.iter().filter(is_own).filter_map(|one| one.best_ms).collect();
        median_low(&mut times)
    };
    let others = ABLATIONS.iter().chain(&["random"]);
    let mut text = format!(
        "| nest | ants, ms | {} |\n| --- | --: |{}\n",
        others.clone().map(|other| other.replace('-', " ")).collect::<Vec<_>>().join(" | "),
        " --: |".repeat(others.clone().count())
    );
    let mut ratios = vec![Vec::new(); others.clone().count()];
    for kernel in kernels() {
        let nest = (kernel.nest)().name().to_owned();
        let times_ms: Option<Vec<f64>> = others.clone().map(|other| median_ms(&nest, other)).collect();
        let Some((times_ms, ants_ms)) = times_ms.zip(median_ms(&nest, "ants")) else { continue };
        let own: Vec<f64> = times_ms.iter().map(|time_ms| time_ms / ants_ms).collect();
        ratios.iter_mut().zip(&own).for_each(|(all, ratio)| all.push(*ratio));
        writeln!(text, "| {} | {ants_ms:.4} | {} |", polybench_name(&nest), cells(&own))
            .expect("a string takes everything");
    }
    let means: Vec<f64> = ratios.into_iter().map(|ratios| geometric_mean(ratios).unwrap_or(1.0)).collect();
    text + &format!("| geometric mean | | {} |\n", cells(&means))
}

fn cells(ratios: &[f64]) -> String {
    ratios.iter().map(|ratio| format!("{ratio:.2}")).collect::<Vec<_>>().join(" | ")
}

/// As PolyBench calls it.
pub(crate) fn polybench_name(nest: &str) -> String {
    match nest {
        "two_mm" => "2mm".to_owned(),
        "three_mm" => "3mm".to_owned(),
        other => other.replace('_', "-"),
    }
}
