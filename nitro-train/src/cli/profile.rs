//! `train profile`: hardware counters of variants and of the application proxies, by Nsight Compute.
//!
//! This process runs Nsight Compute on itself, once for the proxies and once a function; the [worker](super::profile_worker) makes
//! the calls. What one run gives is written before the next begins.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::args::ProfileArgs;
use super::data;
use super::named;
use super::table::Table;
use crate::profile::counters::{metrics, stressed_share};
use crate::profile::ncu::{Ncu, read_log};
use crate::profile::{
    Metrics, ProfileError, ProxyProfile, Section, Shown, VariantProfile, attribute, files, read_sections,
};
use crate::trainer::Trainer;

/// What the run of the proxies is called.
const PROXIES: &str = "proxies";
/// Time beyond its share after which a run is interrupted: a call may be under way, and the log has to be written.
const GRACE: Duration = Duration::from_secs(20);
/// Time after the interruption in which the profiler may write what it has seen.
const LAST_WORDS: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(50);
/// How far, in percentage points, a proxy's measured share of instructions may be from its intensity.
const TOLERANCE: f64 = 5.0;

pub(super) fn run(trainer: &Trainer, args: &ProfileArgs) -> Result<()> {
    let functions = data::registered_on(trainer, &args.functions, &args.device)?;
    let ncu = Ncu::find()?;
    let device = named::open(trainer, &args.device)?;
    if device.watched().is_none() {
        bail!(
            "{}: no hardware counters are read of this kind of device; name one as --device cuda:0",
            args.device
        );
    }
    let mut profiler = Profiler::new(ncu, args)?;
    let device = device.entry().id();
    let mut share =
        Shares { ends: Instant::now() + Duration::from_secs(args.seconds.into()), runs: functions.len() + 1 };
    let mut missing = Vec::new();
    let names = functions.iter().map(|registered| Some(registered.function.name()));
    for function in std::iter::once(None).chain(names) {
        match (profiler.profile(function, share.next()), function) {
            (Ok(sections), None) => write_proxies(&args.out, device, sections)?,
            (Ok(sections), Some(name)) => write_variants(&args.out, device, name, sections)?,
            (Err(error @ ProfileError::NotPermitted), _) => return Err(error.into()),
            (Err(error), _) => {
                let name = function.unwrap_or(PROXIES);
                eprintln!("{name}: {:#}", anyhow::Error::new(error));
                missing.push(name);
            }
        }
    }
    if !missing.is_empty() {
        bail!("there is no profile of {}; what the others gave is written", missing.join(", "));
    }
    Ok(())
}

/// The time that is left, in equal shares for the runs that are left.
struct Shares {
    ends: Instant,
    runs: usize,
}

impl Shares {
    fn next(&mut self) -> Duration {
        let share = self.ends.saturating_duration_since(Instant::now()) / self.runs.max(1) as u32;
        self.runs = self.runs.saturating_sub(1);
        share
    }
}

/// Runs of Nsight Compute on this program.
struct Profiler<'a> {
    ncu: Ncu,
    program: PathBuf,
    args: &'a ProfileArgs,
    /// Logs and sections of the runs, kept so that a profile can be looked into.
    logs: PathBuf,
    /// Metrics to ask for: those that the installation knows, as far as is known.
    metrics: Vec<&'static str>,
}

impl<'a> Profiler<'a> {
    fn new(ncu: Ncu, args: &'a ProfileArgs) -> Result<Self> {
        let program = std::env::current_exe().context("where this program is")?;
        let logs = args.out.join("logs");
        create(&logs)?;
        Ok(Self { ncu, program, args, logs, metrics: metrics() })
    }

    /// Profiles a function, or the proxies; what was asked for and is not known is left out.
    fn profile(
        &mut self,
        function: Option<&str>,
        share: Duration,
    ) -> Result<Vec<(Section, Metrics)>, ProfileError> {
        let name = function.unwrap_or(PROXIES);
        loop {
            match self.attempt(name, function, share) {
                Err(ProfileError::UnknownMetrics { names }) => {
                    eprintln!("left out, as this ncu does not know them: {}", names.join(", "));
                    self.metrics.retain(|metric| !names.iter().any(|name| name == metric));
                }
                ended => return ended,
            }
        }
    }

    fn attempt(
        &self,
        name: &str,
        function: Option<&str>,
        share: Duration,
    ) -> Result<Vec<(Section, Metrics)>, ProfileError> {
        let began = Instant::now();
        let (log, sections) =
            (self.logs.join(format!("{name}.log")), self.logs.join(format!("{name}.sections")));
        let _ = (fs::remove_file(&log), fs::remove_file(&sections)); // of an earlier profile
        let arguments = self.worker_arguments(function, &sections, share);
        let mut command = self.ncu.command(&self.metrics, &log, &self.program, arguments);
        let spawned = command
            .spawn()
            .map_err(|source| ProfileError::Io { what: "ncu cannot be started".into(), source })?;
        let status = wait(spawned, share + GRACE)
            .map_err(|source| ProfileError::Io { what: "ncu cannot be waited for".into(), source })?;
        if status.is_none() {
            eprintln!("{name}: out of time; what ncu saw until then is kept");
        }
        let launches = read_log(&read(&log)?, &self.metrics)?;
        let announced = read_sections(&read(&sections)?).map_err(|error| ProfileError::Io {
            what: format!("{}: not the sections of a profile", sections.display()),
            source: error.into(),
        })?;
        let profiled = attribute(&launches, &announced);
        profiled.notes.iter().for_each(|note| eprintln!("{name}: {note}"));
        let (seen, seconds) = (profiled.sections.len(), began.elapsed().as_secs());
        eprintln!("{name}: {seen} profiles, of {} launches, in {seconds} s", launches.len());
        Ok(profiled.sections)
    }

    fn worker_arguments(&self, function: Option<&str>, sections: &Path, share: Duration) -> Vec<OsString> {
        let args = self.args;
        let mut arguments: Vec<OsString> =
            vec!["profile-worker".into(), "--device".into(), (&args.device).into()];
        let mut add = |name: &str, value: OsString| arguments.extend([name.into(), value]);
        add("--sections", sections.into());
        add("--seconds", share.as_secs().to_string().into());
        add("--sample", args.sample.to_string().into());
        add("--launches", args.launches.to_string().into());
        if let Some(folder) = &args.inputs {
            add("--inputs", folder.into());
        }
        if let Some(function) = function {
            add("--function", function.into());
        }
        arguments
    }
}

/// Waits for the process. After this time it is interrupted, so that the profiler writes what it has seen, and if it does not end
/// then, by force: then none.
fn wait(mut process: Child, most: Duration) -> std::io::Result<Option<ExitStatus>> {
    if let Some(status) = wait_until(&mut process, Instant::now() + most)? {
        return Ok(Some(status));
    }
    let interrupted = Command::new("kill").args(["-INT", &process.id().to_string()]).status();
    if interrupted.is_ok_and(|status| status.success()) {
        wait_until(&mut process, Instant::now() + LAST_WORDS)?;
    }
    process.kill()?;
    process.wait()?;
    Ok(None)
}

fn wait_until(process: &mut Child, ends: Instant) -> std::io::Result<Option<ExitStatus>> {
    loop {
        let status = process.try_wait()?;
        if status.is_some() || Instant::now() >= ends {
            return Ok(status);
        }
        std::thread::sleep(POLL);
    }
}

/// The text of a file; nothing when it was never written.
fn read(path: &Path) -> Result<String, ProfileError> {
    match fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(source) => Err(ProfileError::Io { what: format!("{} cannot be read", path.display()), source }),
    }
}

fn create(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("{}: the folder cannot be made", folder.display()))
}

fn write(path: &Path, text: String) -> Result<()> {
    fs::write(path, text).with_context(|| format!("{}: cannot be written", path.display()))?;
    println!("{}", path.display());
    Ok(())
}

fn write_variants(out: &Path, device: &str, function: &str, sections: Vec<(Section, Metrics)>) -> Result<()> {
    let profile = |(section, metrics): (Section, Metrics)| match section.what {
        Shown::Variant { variant, input, launches } => {
            let (device, shown) = (device.to_owned(), section.shown);
            Some(VariantProfile { device, variant, input, launches, shown, metrics })
        }
        Shown::Proxy { .. } => None,
    };
    let profiles: Vec<VariantProfile> = sections.into_iter().filter_map(profile).collect();
    let folder = out.join(function);
    create(&folder)?;
    write(&folder.join("profiles.csv"), files::write_variants(&profiles))
}

fn write_proxies(out: &Path, device: &str, sections: Vec<(Section, Metrics)>) -> Result<()> {
    let profile = |(section, metrics): (Section, Metrics)| match section.what {
        Shown::Proxy { proxy, intensity } => {
            Some(ProxyProfile { device: device.to_owned(), proxy, intensity, metrics })
        }
        Shown::Variant { .. } => None,
    };
    let profiles: Vec<ProxyProfile> = sections.into_iter().filter_map(profile).collect();
    write(&out.join("proxies.csv"), files::write_proxies(&profiles))?;
    print!("{}", mixes(&profiles));
    Ok(())
}

/// The measured share of the instructions that each proxy is to stress, and by how much it misses its intensity.
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

    #[test]
    fn time_that_a_run_leaves_goes_to_the_others() {
        let mut shares = Shares { ends: Instant::now() + Duration::from_secs(90), runs: 3 };
        let close = |share: Duration, seconds: f64| (share.as_secs_f64() - seconds).abs() < 5.0;
        assert!(close(shares.next(), 30.0));
        assert!(close(shares.next(), 45.0), "the first has taken no time");
        assert!(close(shares.next(), 90.0));
        shares.ends = Instant::now();
        assert_eq!(shares.next(), Duration::ZERO);
    }

    #[test]
    fn a_proxy_that_misses_its_mix_is_named() {
        use crate::profile::counters::{Counter, ISSUED};
        let profile = |threads: f64| ProxyProfile {
            device: "d".into(),
            proxy: "single_flop".into(),
            intensity: 2,
            metrics: [
                (ISSUED.to_owned(), 10.0),
                (Counter::named("inst_fp_32").unwrap().metric.to_owned(), threads),
            ]
            .into(),
        };
        let shown = mixes(&[profile(128.0), profile(192.0)]).to_string();
        let lines: Vec<&str> = shown.lines().skip(1).collect();
        assert!(lines[0].ends_with("40.0        40.0"), "{shown}");
        assert!(lines[1].ends_with("60.0  more than 5 points off"), "{shown}");
    }
}
