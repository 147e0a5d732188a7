//! `train profile`: hardware counters of variants and of the application proxies, by Nsight Compute.
//!
//! What each run of the [profiler](super::profiler) gives is written before the next begins.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use anyhow::{Result, bail};

use super::args::ProfileArgs;
use super::data;
use super::named;
use super::profiler::{Profiler, Shares};
use crate::learn::device_features::profile_based::select;
use crate::plain_table::Table;
use crate::profile::counters::stressed_share;
use crate::profile::ncu::Ncu;
use crate::profile::{Folder, ProfileError, Section, Shown};
use crate::recordings::{Metrics, ProxyProfile, VariantProfile};
use crate::trainer::Trainer;

/// How far, in percentage points, a proxy's measured share of instructions may be from its intensity.
const TOLERANCE: f64 = 5.0;

pub(super) fn run(trainer: &Trainer, args: &ProfileArgs, out: &mut dyn Write) -> Result<()> {
    let mut runs = Vec::new();
    for device in &args.devices {
        let functions = data::registered_on(trainer, &args.functions, device)?;
        let names = functions.iter().map(|registered| Some(registered.function.name()));
        runs.extend(std::iter::once(None).chain(names).map(|function| (device, function)));
    }
    let (mut profiler, folder) = (Profiler::new(Ncu::find()?, args)?, Folder::new(&args.out));
    let ids: BTreeMap<&String, String> =
        args.devices.iter().map(|device| Ok((device, watched(trainer, device)?))).collect::<Result<_>>()?;
    let mut shares = Shares::new(Duration::from_secs(args.seconds.into()), runs.len());
    let mut missing = Vec::new();
    for (device, function) in runs {
        let label = function.unwrap_or("the proxies");
        let sections = match profiler.profile(device, function, shares.next()) {
            Err(error @ ProfileError::NotPermitted) => return Err(error.into()),
            Err(error) => {
                say!("{label} on {device}: {:#}", anyhow::Error::new(error));
                missing.push(format!("{label} on {device}"));
                continue;
            }
            Ok(sections) => sections,
        };
        match function {
            None => keep_proxies(out, &folder, &ids[device], sections)?,
            Some(function) => keep_variants(out, &folder, &ids[device], function, sections)?,
        }
    }
    if !missing.is_empty() {
        bail!("there is no profile of {}; what the others gave is written", missing.join(", "));
    }
    Ok(())
}

/// The identity of the device of this name, which a profiler can watch.
fn watched(trainer: &Trainer, name: &str) -> Result<String> {
    let device = named::open(trainer, name)?;
    if device.watched().is_none() {
        bail!("{name}: no hardware counters are read of this kind of device; name one as --device cuda:0");
    }
    Ok(device.entry().id().to_owned())
}

fn keep_variants(
    out: &mut dyn Write,
    folder: &Folder,
    device: &str,
    function: &str,
    sections: Vec<(Section, Metrics)>,
) -> Result<()> {
    let profile = |(section, metrics): (Section, Metrics)| match section.what {
        Shown::Variant { variant, input, launches } => {
            let (device, shown) = (device.to_owned(), section.shown);
            Some(VariantProfile { device, variant, input, launches, shown, metrics })
        }
        Shown::Proxy { .. } => None,
    };
    let path = folder.put_variants(function, device, sections.into_iter().filter_map(profile).collect())?;
    writeln!(out, "{}", path.display())?;
    if let Some(relevance) = select(&folder.read(function)?) {
        for (variant, proxies) in &relevance.variants {
            let proxies: Vec<&str> = proxies.iter().map(String::as_str).collect();
            let proxies = if proxies.is_empty() { "no proxy".into() } else { proxies.join(", ") };
            writeln!(out, "  {variant}: {proxies}")?;
        }
    }
    Ok(())
}

fn keep_proxies(
    out: &mut dyn Write,
    folder: &Folder,
    device: &str,
    sections: Vec<(Section, Metrics)>,
) -> Result<()> {
    let profile = |(section, metrics): (Section, Metrics)| match section.what {
        Shown::Proxy { proxy, intensity } => {
            Some(ProxyProfile { device: device.to_owned(), proxy, intensity, metrics })
        }
        Shown::Variant { .. } => None,
    };
    let profiles: Vec<ProxyProfile> = sections.into_iter().filter_map(profile).collect();
    let mixes = mixes(&profiles);
    writeln!(out, "{}\n{mixes}", folder.put_proxies(device, profiles)?.display())?;
    Ok(())
}

/// The measured share of the instructions that each proxy is to stress, and whether it is about its intensity.
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
        let number = |value: f64| format!("{value:.1}");
        let cells = [one.intensity.to_string(), number(wanted), measured.map_or_else(String::new, number)];
        table.row([one.proxy.clone()].into_iter().chain(cells).chain([verdict.to_owned()]));
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
