//! Floors of the nests, beside everything that was measured of them on an H200.

use std::fmt::Write;
use std::path::Path;

use nitro_decide::Rates;
use nitro_nest::Nest;
use nitro_search::Floor;
use nitro_stats::statistics::geometric_mean;

use crate::results::{baselines, found, found_by_parts, polybench_name};
use crate::{decided, kernels, sizes};

/// A nest at a size: its floor, and the times that were measured.
#[derive(Clone, Debug)]
pub struct Held {
    /// The nest, as PolyBench calls it.
    pub nest: String,
    /// Its sizes: `large` or `huge`.
    pub size: &'static str,
    /// Its floor.
    pub floor: Floor,
    /// Its different times in nanoseconds: of what was best at some time in a search, and of code of others.
    pub times_ns: Vec<f64>,
}

/// Returns the floor of a nest at its sizes of this name, `large` or `huge`; none where it has no such sizes.
#[must_use]
pub fn floor(nest: &Nest, size: &str, rates: &Rates) -> Option<Floor> {
    let work = nest.least_work(&sizes(nest.name(), size)?).ok()?;
    Some(rates.floor(&work))
}

/// Returns the rates that were measured of the H200 on which the shipped times were.
///
/// # Panics
/// When the shipped file is none.
#[must_use]
pub fn shipped_rates() -> Rates {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("measured/rates-h200.json");
    decided::rates(&file).expect("the shipped rates are rates")
}

/// Returns all nests that were measured, with their floors.
#[must_use]
pub fn held() -> Vec<Held> {
    let rates = shipped_rates();
    let mut all = Vec::new();
    for kernel in kernels() {
        let nest = (kernel.nest)();
        for size in ["large", "huge"] {
            let times_ns = times_ns(nest.name(), size);
            let floor = floor(&nest, size, &rates).filter(|_| !times_ns.is_empty());
            let name = polybench_name(nest.name());
            all.extend(floor.map(|floor| Held { nest: name, size, floor, times_ns }));
        }
    }
    all
}

fn times_ns(nest: &str, size: &str) -> Vec<f64> {
    let searches = found().into_iter().chain(found_by_parts());
    let own = searches.filter(|one| one.nest == nest && one.size == size);
    let mut times_ms: Vec<f64> =
        own.flat_map(|one| one.course_ms.into_iter().chain([one.best_ms])).flatten().collect();
    let of_polybench = if size == "huge" { "H200" } else { "LARGE" };
    for one in baselines() {
        if one.size == of_polybench && one.kernel == polybench_name(nest) {
            let always = [Some(one.ppcg_ms), Some(one.ppcg_runtime_sizes_ms)];
            times_ms.extend(always.into_iter().chain([one.handwritten_ms, one.cublas_ms]).flatten());
        }
    }
    // The best after each evaluation stays the same for long.
    times_ms.sort_by(f64::total_cmp);
    times_ms.dedup();
    times_ms.into_iter().map(|ms| 1e6 * ms).collect()
}

impl Held {
    /// Returns the fastest of its times.
    #[must_use]
    pub fn best_ns(&self) -> f64 {
        self.times_ns.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Returns its times that are under the floor: none, or a rate is wrong.
    #[must_use]
    pub fn under(&self) -> Vec<f64> {
        self.times_ns.iter().copied().filter(|time_ns| *time_ns < self.floor.ns).collect()
    }
}

/// Writes how near the fastest of each nest is to its floor, in Markdown.
#[must_use]
pub fn table(held: &[Held]) -> String {
    let mut text =
        "| nest | sizes | times | under the floor | floor, us | best, us | % of the floor's speed | by |\n\
                    | --- | --- | --: | --: | --: | --: | --: | --- |\n"
            .to_owned();
    for own in held {
        let (count, under) = (own.times_ns.len(), own.under().len());
        let (floor_us, best_us, share) =
            (own.floor.ns / 1e3, own.best_ns() / 1e3, 100.0 * own.floor.share(own.best_ns()));
        writeln!(
            text,
            "| {} | {} | {count} | {under} | {floor_us:.1} | {best_us:.1} | {share:.0} | {} |",
            own.nest, own.size, own.floor.limit
        )
        .expect("a string takes everything");
    }
    for size in ["large", "huge"] {
        let shares = held.iter().filter(|own| own.size == size).map(|own| own.floor.share(own.best_ns()));
        let mean = 100.0 * geometric_mean(shares).unwrap_or(0.0);
        writeln!(text, "| geometric mean | {size} | | | | | {mean:.0} | |")
            .expect("a string takes everything");
    }
    text
}
