//! Hardware counters by nvprof's names, which the paper uses, from the metrics of today's Nsight Compute.
//!
//! Each counter is normalised by the warp instructions issued (`smsp__inst_issued.sum`). Metrics that count threads
//! are taken as warps of 32 threads. Passes include those that conflicts cause.
//!
//! | counter (nvprof) | metric (Nsight Compute, compute capability 7.0 and later) | counts |
//! | --- | --- | --- |
//! | `inst_fp_32` | `smsp__sass_thread_inst_executed_op_fp32_pred_on.sum` / 32 | single-precision instructions |
//! | `inst_fp_64` | `smsp__sass_thread_inst_executed_op_fp64_pred_on.sum` / 32 | double-precision instructions |
//! | `inst_integer` | `smsp__sass_thread_inst_executed_op_integer_pred_on.sum` / 32 | integer instructions |
//! | `inst_bit_convert` | `smsp__sass_thread_inst_executed_op_conversion_pred_on.sum` / 32 | conversions |
//! | `inst_control` | `smsp__sass_thread_inst_executed_op_control_pred_on.sum` / 32 | branches, calls, barriers |
//! | `inst_compute_ld_st` | `smsp__sass_thread_inst_executed_op_memory_pred_on.sum` / 32 | loads and stores |
//! | `inst_executed_global_loads` | `smsp__sass_inst_executed_op_global_ld.sum` | loads from global memory |
//! | `inst_executed_global_stores` | `smsp__sass_inst_executed_op_global_st.sum` | stores to global memory |
//! | `inst_executed_global_atomics` | `smsp__sass_inst_executed_op_global_atom.sum` | global atomics with a result |
//! | `inst_executed_global_reductions` | `smsp__sass_inst_executed_op_global_red.sum` | global atomics without one |
//! | `inst_executed_shared_loads` | `smsp__sass_inst_executed_op_shared_ld.sum` | loads from shared memory |
//! | `inst_executed_shared_stores` | `smsp__sass_inst_executed_op_shared_st.sum` | stores to shared memory |
//! | `inst_executed_shared_atomics` | `smsp__sass_inst_executed_op_shared_atom.sum` | atomics on shared memory |
//! | `gld_transactions` | `l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum` | 32-byte sectors of global loads |
//! | `gst_transactions` | `l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum` | 32-byte sectors of global stores |
//! | `shared_load_transactions` | `l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum` | passes of shared loads |
//! | `shared_store_transactions` | `l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum` | passes of shared stores |
//! | `dram_read_transactions` | `dram__sectors_read.sum` | 32-byte sectors read from the device's memory |
//! | `dram_write_transactions` | `dram__sectors_write.sum` | 32-byte sectors written to it |

use super::Metrics;

/// Warp instructions issued, the measure of all counters.
pub const ISSUED: &str = "smsp__inst_issued.sum";

/// A counter and the metric that it is.
///
/// ```
/// use nitro_store::recordings::counters::{Counter, ISSUED};
///
/// let counter = Counter::named("inst_fp_32").expect("it is in the table");
/// // A quarter of 100 warp instructions, each counted for 32 threads.
/// let metrics = [(ISSUED.to_owned(), 100.0), (counter.metric.to_owned(), 25.0 * 32.0)].into();
/// assert_eq!(counter.per_instruction(&metrics), Some(0.25));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// nvprof's name.
    pub name: &'static str,
    /// Nsight Compute's.
    pub metric: &'static str,
    /// True if the metric counts threads and not warps.
    per_thread: bool,
}

const fn warps(name: &'static str, metric: &'static str) -> Counter {
    Counter { name, metric, per_thread: false }
}

const fn threads(name: &'static str, metric: &'static str) -> Counter {
    Counter { name, metric, per_thread: true }
}

const THREADS_A_WARP: f64 = 32.0;

/// All counters, in the order of the table [above](self).
pub const COUNTERS: [Counter; 19] = [
    threads("inst_fp_32", "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum"),
    threads("inst_fp_64", "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum"),
    threads("inst_integer", "smsp__sass_thread_inst_executed_op_integer_pred_on.sum"),
    threads("inst_bit_convert", "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum"),
    threads("inst_control", "smsp__sass_thread_inst_executed_op_control_pred_on.sum"),
    threads("inst_compute_ld_st", "smsp__sass_thread_inst_executed_op_memory_pred_on.sum"),
    warps("inst_executed_global_loads", "smsp__sass_inst_executed_op_global_ld.sum"),
    warps("inst_executed_global_stores", "smsp__sass_inst_executed_op_global_st.sum"),
    warps("inst_executed_global_atomics", "smsp__sass_inst_executed_op_global_atom.sum"),
    warps("inst_executed_global_reductions", "smsp__sass_inst_executed_op_global_red.sum"),
    warps("inst_executed_shared_loads", "smsp__sass_inst_executed_op_shared_ld.sum"),
    warps("inst_executed_shared_stores", "smsp__sass_inst_executed_op_shared_st.sum"),
    warps("inst_executed_shared_atomics", "smsp__sass_inst_executed_op_shared_atom.sum"),
    warps("gld_transactions", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
    warps("gst_transactions", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
    warps("shared_load_transactions", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
    warps("shared_store_transactions", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"),
    warps("dram_read_transactions", "dram__sectors_read.sum"),
    warps("dram_write_transactions", "dram__sectors_write.sum"),
];

impl Counter {
    /// The counter of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        COUNTERS.into_iter().find(|counter| counter.name == name)
    }

    /// Its value for each instruction issued; none where the metrics do not have it.
    #[must_use]
    pub fn per_instruction(&self, metrics: &Metrics) -> Option<f64> {
        let issued = metrics.get(ISSUED).copied().filter(|&issued| issued > 0.0)?;
        let unit = if self.per_thread { THREADS_A_WARP } else { 1.0 };
        Some(metrics.get(self.metric)? / unit / issued)
    }
}

/// All metrics that a profile asks for.
///
/// ```
/// use nitro_store::recordings::counters::{ISSUED, metrics};
///
/// assert_eq!(metrics()[0], ISSUED);
/// assert!(metrics().contains(&"dram__sectors_read.sum"));
/// ```
#[must_use]
pub fn metrics() -> Vec<&'static str> {
    std::iter::once(ISSUED).chain(COUNTERS.iter().map(|counter| counter.metric)).collect()
}

/// The metrics of how well a kernel uses a device, in percent of its peak. They are those of table 2 of "Coding Ants"
/// (Papenhausen and Mueller), whose nvprof has other names: instructions a cycle, warps that are there, global loads
/// and stores, and the share that caches answer.
const RATES: [(&str, &str); 6] = [
    ("instructions", "sm__inst_executed.avg.pct_of_peak_sustained_active"),
    ("achieved_occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"),
    ("global_loads", "l1tex__t_bytes_pipe_lsu_mem_global_op_ld.avg.pct_of_peak_sustained_elapsed"),
    ("global_stores", "l1tex__t_bytes_pipe_lsu_mem_global_op_st.avg.pct_of_peak_sustained_elapsed"),
    ("l1_hits", "l1tex__t_sector_hit_rate.pct"),
    ("l2_hits", "lts__t_sector_hit_rate.pct"),
];

/// The metrics of which [`rates`] are made.
///
/// ```
/// assert!(nitro_store::recordings::counters::rate_metrics().contains(&"lts__t_sector_hit_rate.pct"));
/// ```
#[must_use]
pub fn rate_metrics() -> Vec<&'static str> {
    RATES.iter().map(|(_, metric)| *metric).collect()
}

/// Returns how well a kernel uses a device, each from 0 to 1, of metrics summed over so many launches. A rate that was
/// not measured is absent.
///
/// ```
/// use nitro_store::recordings::counters::rates;
///
/// let metrics = [("lts__t_sector_hit_rate.pct".to_owned(), 60.0 + 90.0)].into();
/// assert_eq!(rates(&metrics, 2), [("l2_hits".to_owned(), 0.75)]);
/// ```
#[must_use]
pub fn rates(metrics: &Metrics, launches: usize) -> Vec<(String, f64)> {
    let mut rates = Vec::new();
    for (name, metric) in RATES {
        let mean = metrics.get(metric).map(|sum| sum / launches.max(1) as f64 / 100.0);
        if let Some(mean) = mean.filter(|mean| mean.is_finite()) {
            rates.push((name.to_owned(), mean.clamp(0.0, 1.0)));
        }
    }
    rates
}

/// The counters of the instructions that each application proxy stresses.
const STRESSED: [(&str, &[&str]); 5] = [
    ("single_flop", &["inst_fp_32"]),
    ("double_flop", &["inst_fp_64"]),
    (
        "atomics",
        &["inst_executed_global_atomics", "inst_executed_global_reductions", "inst_executed_shared_atomics"],
    ),
    ("global_bandwidth", &["inst_executed_global_loads", "inst_executed_global_stores"]),
    ("shared_bandwidth", &["inst_executed_shared_loads", "inst_executed_shared_stores"]),
];

/// The share of a profile's instructions that are of the kind that this proxy stresses, 0 to 1; none when there is
/// no such proxy or the metrics do not tell.
///
/// ```
/// use nitro_store::recordings::counters::{Counter, ISSUED, stressed_share};
///
/// let read = Counter::named("inst_executed_global_loads").expect("it is in the table").metric;
/// let written = Counter::named("inst_executed_global_stores").expect("it is in the table").metric;
/// let metrics = [(ISSUED, 100.0), (read, 30.0), (written, 20.0)].map(|(name, value)| (name.to_owned(), value)).into();
/// assert_eq!(stressed_share("global_bandwidth", &metrics), Some(0.5));
/// assert_eq!(stressed_share("single_flop", &metrics), None);
/// ```
#[must_use]
pub fn stressed_share(proxy: &str, metrics: &Metrics) -> Option<f64> {
    let (_, counters) = STRESSED.iter().find(|(name, _)| *name == proxy)?;
    counters.iter().map(|name| Counter::named(name)?.per_instruction(metrics)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metrics(values: &[(&str, f64)]) -> Metrics {
        values.iter().map(|&(name, value)| (name.to_owned(), value)).collect()
    }

    #[test]
    fn counters_are_shares_of_the_warp_instructions_issued() {
        let fp_32 = Counter::named("inst_fp_32").unwrap();
        let seen = metrics(&[(ISSUED, 100.0), (fp_32.metric, 640.0)]);
        assert_eq!(fp_32.per_instruction(&seen), Some(0.2), "640 threads are 20 warps");
        let loads = Counter::named("inst_executed_global_loads").unwrap();
        assert_eq!(loads.per_instruction(&seen), None, "not measured is not 0");
        assert_eq!(fp_32.per_instruction(&metrics(&[(ISSUED, 0.0), (fp_32.metric, 0.0)])), None);
    }

    #[test]
    fn a_share_sums_all_kinds_of_instructions_that_stress_the_resource() {
        let of = |name: &str| Counter::named(name).unwrap().metric;
        let seen = metrics(&[
            (ISSUED, 10.0),
            (of("inst_executed_global_loads"), 3.0),
            (of("inst_executed_global_stores"), 1.0),
        ]);
        assert_eq!(stressed_share("global_bandwidth", &seen), Some(0.4));
        assert_eq!(stressed_share("atomics", &seen), None);
        assert_eq!(stressed_share("no proxy", &seen), None);
    }

    #[test]
    fn every_counter_is_in_the_table_of_the_documentation() {
        let (table, _) = include_str!("counters.rs").split_once("use super::Metrics").unwrap();
        for counter in COUNTERS {
            let row = table.lines().find(|line| line.contains(&format!("| `{}` |", counter.name)));
            assert!(row.is_some_and(|row| row.contains(counter.metric)), "{}", counter.name);
        }
    }
}
