//! The command `train profile`, which reads hardware counters of variants and application proxies by Nsight Compute.

use std::io::Write;

use anyhow::Result;
use nitro_learn::plain_table::Table;
use nitro_store::recordings::ProxyProfile;

use super::args::ProfileArgs;
use crate::profile::counters::stressed_share;
use crate::terminal;
use crate::trainer::{Trainer, WrittenProfile};

/// The most percentage points between a proxy's measured share of instructions and its intensity.
const TOLERANCE: f64 = 5.0;

/// Profiles, and prints what the counters say.
pub(super) fn run(trainer: &Trainer, args: &ProfileArgs, out: &mut dyn Write) -> Result<()> {
    for written in trainer.profile(&args.request)? {
        match written? {
            WrittenProfile::Proxies { file, profiles } => {
                writeln!(out, "{}\n{:2$}", file.display(), mixes(&profiles), terminal::columns())?;
            }
            WrittenProfile::Variants { file, relevance } => {
                writeln!(out, "{}", file.display())?;
                for (variant, proxies) in relevance.iter().flat_map(|relevance| &relevance.variants) {
                    let proxies: Vec<&str> = proxies.iter().map(String::as_str).collect();
                    let proxies = if proxies.is_empty() { "no proxy".into() } else { proxies.join(", ") };
                    writeln!(out, "  {variant}: {proxies}")?;
                }
            }
        }
    }
    Ok(())
}

/// Returns the table of proxies: the measured share of the instructions that each is to stress, and a verdict.
fn mixes(profiles: &[ProxyProfile]) -> Table {
    let mut table = Table::new(["proxy", "intensity", "wanted %", "measured %", ""]);
    for one in profiles {
        let wanted = 20.0 * f64::from(one.intensity);
        let measured = stressed_share(&one.proxy, &one.metrics).map(|share| 100.0 * share);
        let verdict = match measured {
            None => "not measured",
            Some(measured) if (measured - wanted).abs() > TOLERANCE => "more than 5 points off",
            Some(_) => "",
        };
        let measured = measured.map_or_else(String::new, |measured| format!("{measured:.1}"));
        let (intensity, wanted) = (one.intensity.to_string(), format!("{wanted:.1}"));
        table.row([one.proxy.clone(), intensity, wanted, measured, verdict.to_owned()]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::counters::{Counter, ISSUED};

    #[test]
    fn a_proxy_that_misses_its_mix_is_named() {
        let fp_32 = Counter::named("inst_fp_32").unwrap().metric;
        let profile = |threads: f64| ProxyProfile {
            device: "d".into(),
            proxy: "single_flop".into(),
            intensity: 2,
            metrics: [(ISSUED.to_owned(), 10.0), (fp_32.to_owned(), threads)].into(),
        };
        let shown = mixes(&[profile(128.0), profile(192.0)]).to_string();
        let lines: Vec<&str> = shown.lines().skip(1).collect();
        assert!(lines[0].ends_with("40.0        40.0"), "{shown}");
        assert!(lines[1].ends_with("60.0  more than 5 points off"), "{shown}");
    }
}
