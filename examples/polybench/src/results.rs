//! What searches found, beside what code of others takes.

use std::collections::BTreeMap;
use std::fmt::Write;

use nitro_codegen::Mapping;
use serde::{Deserialize, Serialize};

/// What came of a search.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    /// What the search took.
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
    let lines = include_str!("../measured/nests-h200.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).expect("a line is a search")).collect()
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

/// The table of the sizes `huge`, in Markdown.
#[must_use]
pub fn table() -> String {
    let mut text = String::from(
        "| nest | PPCG, ms | plain CUDA, ms | cuBLAS, ms | best preset, ms | ants, ms | over PPCG | over the best of the three |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    let found = found();
    let mut times: BTreeMap<(String, &str), f64> = BTreeMap::new();
    for one in found.iter().filter(|one| one.size == "huge") {
        let Some(best_ms) = one.best_ms else { continue };
        let time = times.entry((polybench_name(&one.nest), &one.strategy)).or_insert(f64::INFINITY);
        *time = time.min(best_ms);
    }
    let mut ratios: Vec<[f64; 2]> = Vec::new();
    for baseline in baselines().iter().filter(|baseline| baseline.size == "H200") {
        let time_of = |strategy| times.get(&(baseline.kernel.clone(), strategy)).copied();
        let (Some(preset), Some(ants)) = (time_of("presets"), time_of("ants")) else { continue };
        let best = preset.min(ants);
        let [over_ppcg, over_best] = [baseline.ppcg_ms / best, baseline.best_ms() / best];
        ratios.push([over_ppcg, over_best]);
        let shown = |time: Option<f64>| time.map_or_else(|| "–".to_owned(), |time| format!("{time:.3}"));
        writeln!(
            text,
            "| {} | {:.3} | {} | {} | {preset:.3} | {ants:.3} | {over_ppcg:.2} | {over_best:.2} |",
            baseline.kernel,
            baseline.ppcg_ms,
            shown(baseline.handwritten_ms),
            shown(baseline.cublas_ms),
        )
        .expect("a string takes everything");
    }
    let mean =
        |at: usize| (ratios.iter().map(|pair| pair[at].ln()).sum::<f64>() / ratios.len().max(1) as f64).exp();
    writeln!(text, "| geometric mean | | | | | | {:.2} | {:.2} |", mean(0), mean(1))
        .expect("a string takes everything");
    text
}

/// As PolyBench calls it.
fn polybench_name(nest: &str) -> String {
    match nest {
        "two_mm" => "2mm".to_owned(),
        "three_mm" => "3mm".to_owned(),
        other => other.replace('_', "-"),
    }
}
