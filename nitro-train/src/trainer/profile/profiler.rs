//! The runs of Nsight Compute on this program: once for the proxies and once for each function.
//!
//! Each has a [task](super::task).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::request::ProfileRequest;
use super::task::{OneCall, Task, VARIABLE};
use crate::profile::ncu::{Ncu, read_log};
use crate::profile::{KernelMetrics, ProfileError, Section, attribute, read_sections};
use crate::trainer::error::TrainError;
use crate::trainer::observer::Observer;

/// The time beyond its share after which a run is interrupted. A call may be under way, and the log has to be written.
const GRACE: Duration = Duration::from_secs(20);
/// The time after the interruption in which the profiler may write what it has seen.
const LAST_WORDS: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(50);

/// The time that is left, in equal shares for the runs that are left.
pub(super) struct Shares {
    ends: Instant,
    runs: usize,
}

impl Shares {
    /// Divides this time among so many runs.
    pub(super) fn new(time: Duration, runs: usize) -> Self {
        Self { ends: Instant::now() + time, runs }
    }

    /// Returns the time of the next run.
    pub(super) fn next(&mut self) -> Duration {
        let share = self.ends.saturating_duration_since(Instant::now()) / self.runs.max(1) as u32;
        self.runs = self.runs.saturating_sub(1);
        share
    }
}

/// Runs of Nsight Compute on this program.
pub(super) struct Profiler<'a> {
    ncu: Ncu,
    program: PathBuf,
    request: &'a ProfileRequest,
    observer: &'a dyn Observer,
    /// Logs and sections of the runs, kept so that a profile can be looked into.
    logs: PathBuf,
    /// Metrics to ask for: those that the installation knows, as far as is known.
    metrics: Vec<&'static str>,
    /// The one call that is shown; none for all variants.
    pub(super) only: Option<OneCall>,
}

impl<'a> Profiler<'a> {
    pub(super) fn new(
        ncu: Ncu,
        request: &'a ProfileRequest,
        observer: &'a dyn Observer,
        metrics: Vec<&'static str>,
    ) -> Result<Self, TrainError> {
        let program = std::env::current_exe().map_err(TrainError::io("where this program is"))?;
        let logs = request.out.join("logs");
        Ok(Self { ncu, program, request, observer, logs, metrics, only: None })
    }

    fn tell(&self, line: String) {
        self.observer.message(&line);
    }

    /// Profiles a function, or the proxies, on a device. What was asked for and is not known is left out.
    pub(super) fn profile(
        &mut self,
        device: &str,
        function: Option<&str>,
        share: Duration,
    ) -> Result<Vec<(Section, Vec<KernelMetrics>)>, ProfileError> {
        loop {
            match self.attempt(device, function, share) {
                Err(ProfileError::UnknownMetrics { names }) => {
                    self.tell(format!("left out, as this ncu does not know them: {}", names.join(", ")));
                    self.metrics.retain(|metric| !names.iter().any(|name| name == metric));
                }
                ended => return ended,
            }
        }
    }

    fn attempt(
        &self,
        device: &str,
        function: Option<&str>,
        share: Duration,
    ) -> Result<Vec<(Section, Vec<KernelMetrics>)>, ProfileError> {
        let began = Instant::now();
        let label = format!("{} on {device}", function.unwrap_or("proxies"));
        let stem = label.replace([':', '/', ' '], "-");
        let (log, sections) =
            (self.logs.join(format!("{stem}.log")), self.logs.join(format!("{stem}.sections")));
        let io = |what: &str| {
            let what = what.to_owned();
            |source| ProfileError::Io { what, source }
        };
        fs::create_dir_all(&self.logs).map_err(io("the folder for logs cannot be made"))?;
        let _ = (fs::remove_file(&log), fs::remove_file(&sections)); // of an earlier profile
        // The task is in the environment: whatever command line has led here leads there too.
        let arguments = std::env::args_os().skip(1);
        let mut command = self.ncu.command(&self.metrics, &log, &self.program, arguments);
        command.env(VARIABLE, self.task(device, function, &sections, share)?);
        if self.only.is_some() {
            command.stdout(Stdio::null()); // what a search prints is its result
        }
        let ended = command.spawn().and_then(|process| wait(process, share + GRACE));
        if ended.map_err(io("ncu cannot be run"))?.is_none() {
            self.tell(format!("{label}: interrupted, as it took longer than its share of the time"));
        }
        let launches = read_log(&read(&log)?, &self.metrics)?;
        let announced = read_sections(&read(&sections)?)?;
        let profiled = attribute(&launches, &announced);
        profiled.notes.iter().for_each(|note| self.tell(format!("{label}: {note}")));
        let (seen, seconds) = (profiled.sections.len(), began.elapsed().as_secs());
        self.tell(format!("{label}: {seen} profiles, of {} launches, in {seconds} s", launches.len()));
        Ok(profiled.sections)
    }

    fn task(
        &self,
        device: &str,
        function: Option<&str>,
        sections: &Path,
        share: Duration,
    ) -> Result<String, ProfileError> {
        let task = Task {
            function: function.map(str::to_owned),
            device: device.to_owned(),
            inputs: self.request.inputs.clone(),
            sections: sections.to_owned(),
            seconds: share.as_secs(),
            sample: self.request.sample,
            launches: self.request.launches,
            only: self.only.clone(),
        };
        Ok(serde_json::to_string(&task)?)
    }
}

/// Waits for the process. After this time it is interrupted, so that the profiler writes what it has seen, and if
/// it does not end then, by force: then none.
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

/// Returns the text of a file; nothing when it was never written.
fn read(path: &Path) -> Result<String, ProfileError> {
    match fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(source) => Err(ProfileError::Io { what: format!("{} cannot be read", path.display()), source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_a_run_leaves_goes_to_the_others() {
        let mut shares = Shares::new(Duration::from_secs(9000), 3);
        let close = |share: Duration, seconds: f64| (share.as_secs_f64() - seconds).abs() < 500.0;
        assert!(close(shares.next(), 3000.0));
        assert!(close(shares.next(), 4500.0), "the first has taken no time");
        assert!(close(shares.next(), 9000.0));
        shares.ends = Instant::now();
        assert_eq!(shares.next(), Duration::ZERO);
    }
}
