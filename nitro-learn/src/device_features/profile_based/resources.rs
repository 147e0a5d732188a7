//! Device features of the resource that an application proxy stresses: Table 3 of the paper, and ours beside it.

/// A resource of a device, and the device features that describe it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The application proxy that stresses it.
    pub proxy: &'static str,
    /// The paper's name of the proxy.
    pub named_in_paper: &'static str,
    /// The device features that the paper's Table 3 has for it, by our names.
    pub in_paper: &'static [&'static str],
    /// Those that stand for it here.
    pub device_features: &'static [&'static str],
    /// The reason for a difference; empty where there is none.
    pub reason: &'static str,
}

/// All of them, in the order of the paper's Table 3.
pub const RESOURCES: [Resource; 5] = [
    Resource {
        proxy: "single_flop",
        named_in_paper: "SP-GFLOP",
        in_paper: &["peak_gflops_sp", "cuda_cores", "clock_rate_mhz"],
        device_features: &["peak_gflops_sp", "cuda_cores", "clock_rate_mhz"],
        reason: "",
    },
    Resource {
        proxy: "double_flop",
        named_in_paper: "DP-GFLOP",
        in_paper: &["peak_gflops_dp", "cuda_cores", "clock_rate_mhz"],
        device_features: &["peak_gflops_dp", "clock_rate_mhz"],
        reason: "`cuda_cores` counts units for single precision; a half to a sixty-fourth as many, counted in \
                 `peak_gflops_dp`, do double precision",
    },
    Resource {
        proxy: "atomics",
        named_in_paper: "ATOMIC",
        in_paper: &["global_atomic_ms", "shared_atomic_ms"],
        device_features: &["global_atomic_ms", "shared_atomic_ms"],
        reason: "",
    },
    Resource {
        proxy: "global_bandwidth",
        named_in_paper: "MEM-BW",
        in_paper: &["peak_gbps", "mem_clock_rate_mhz", "mem_bus_width_bits", "l2_cache_kib"],
        device_features: &[
            "peak_gbps",
            "copy_gbps",
            "mem_clock_rate_mhz",
            "mem_bus_width_bits",
            "l2_cache_kib",
        ],
        reason: "`peak_gbps` is computed and `copy_gbps` measured: no slice reaches in copies what is computed for it \
                 (both columns of `models/recordings/cuda_bfs/devices.csv`)",
    },
    Resource {
        proxy: "shared_bandwidth",
        named_in_paper: "SH-MEM-BW",
        in_paper: &["shared_mem_per_block_kib"],
        device_features: &["shared_mem_per_block_kib", "shared_atomic_ms", "sm_count"],
        reason: "the size says nothing of the speed, and is 48 KiB on all six GPUs of Table 1; bandwidth grows with \
                 `sm_count`, and `shared_atomic_ms` is measured in it",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_that_departs_from_the_paper_says_why_and_no_other_does() {
        for resource in RESOURCES {
            let departs = resource.in_paper != resource.device_features;
            assert_eq!(departs, !resource.reason.is_empty(), "{}", resource.proxy);
        }
    }

    #[test]
    fn the_guide_has_the_table() {
        let Ok(page) = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../guide/src/paper.md"))
        else {
            return; // the guide is not in the published package
        };
        let code =
            |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        for Resource { proxy, named_in_paper, in_paper, device_features, reason } in RESOURCES {
            let (theirs, ours) = (code(in_paper), code(device_features));
            let row = format!("| {named_in_paper} | `{proxy}` | {theirs} | {ours} | {reason} |")
                .replace("|  |", "| |");
            assert!(page.contains(&row), "paper.md lacks: {row}");
        }
    }
}
