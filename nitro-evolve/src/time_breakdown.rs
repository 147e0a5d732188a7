//! The time of an evolution, by what it was spent on.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::stages::{About, Cost, STAGES, Stage, Visit};

/// The time of a session, by stages and by what is around them. It tells whether more cores or devices would help.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeBreakdown {
    /// The stages, in their order.
    pub(crate) stages: Vec<StageTime>,
    /// The time until the candidates of a generation are drawn, on all cores, while nothing else goes on.
    pub(crate) breeding: Duration,
    /// The number of threads that do the work of cores.
    pub(crate) threads: usize,
    /// The time until lost workers were replaced.
    pub(crate) restarts: Duration,
    /// The number of lost workers.
    pub(crate) workers: u64,
    /// The time in which a device had no candidate that was ready to run.
    pub(crate) idle: Duration,
    /// The number of devices that run candidates.
    pub(crate) runners: usize,
}

/// The time that one stage took.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StageTime {
    pub about: About,
    /// The time on all cores or devices together.
    pub time: Duration,
    /// The number of candidates that came to the stage.
    pub came: usize,
    /// The number of those that did not pass.
    pub refused: usize,
}

impl Default for TimeBreakdown {
    fn default() -> Self {
        Self::new(STAGES)
    }
}

impl TimeBreakdown {
    /// Creates a breakdown by these stages, in which nothing has taken time yet.
    pub(crate) fn new(stages: &[&dyn Stage]) -> Self {
        let mut times = Vec::with_capacity(stages.len());
        for stage in stages {
            times.push(StageTime { about: stage.about(), time: Duration::ZERO, came: 0, refused: 0 });
        }
        let (breeding, restarts, idle) = Default::default();
        Self { stages: times, breeding, threads: 0, restarts, workers: 0, idle, runners: 0 }
    }

    /// Adds the stays of a candidate at stages.
    pub(crate) fn add_visits(&mut self, visits: &[Visit]) {
        for visit in visits {
            let stage = &mut self.stages[visit.stage];
            stage.time += visit.time;
            stage.came += 1;
            stage.refused += usize::from(visit.is_refused);
            self.restarts += visit.restarts;
            self.workers += visit.workers;
        }
    }

    /// Adds what another part of the work took.
    pub(crate) fn add(&mut self, other: &Self) {
        for (own, other) in self.stages.iter_mut().zip(&other.stages) {
            own.time += other.time;
            own.came += other.came;
            own.refused += other.refused;
        }
        self.breeding += other.breeding;
        self.restarts += other.restarts;
        self.workers += other.workers;
        self.idle += other.idle;
    }

    /// Tells whether a candidate came to any stage.
    pub(crate) fn has_candidates(&self) -> bool {
        self.stages.iter().any(|stage| stage.came > 0)
    }

    /// Writes the times of the stages on cores or on devices: `timing 3.0 s, validation 0.1 s`.
    fn listed(&self, is_of_devices: bool) -> String {
        let mut parts = Vec::new();
        for stage in &self.stages {
            if matches!(stage.about.cost, Cost::Device(_)) == is_of_devices {
                parts.push(format!("{} {:.1} s", stage.about.name, stage.time.as_secs_f64()));
            }
        }
        parts.join(", ")
    }
}

impl fmt::Display for TimeBreakdown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [breeding, restarts, idle] =
            [self.breeding, self.restarts, self.idle].map(|time| time.as_secs_f64());
        let devices = if self.runners == 1 { "the device" } else { &format!("{} devices", self.runners) };
        write!(
            formatter,
            "on {devices}: {}, {} new workers {restarts:.1} s, idle {idle:.1} s; on {} threads together: {}; \
             breeding {breeding:.1} s",
            self.listed(true),
            self.workers,
            self.threads,
            self.listed(false)
        )
    }
}

/// A breakdown as `evolved.json` has it: the time of each account, and of each stage.
#[derive(Serialize)]
struct Written<'a> {
    breeding: Duration,
    #[serde(flatten)]
    accounts: BTreeMap<&'static str, Duration>,
    threads: usize,
    restarts: Duration,
    workers: u64,
    idle: Duration,
    benches: usize,
    stages: Vec<WrittenStage<'a>>,
}

/// A stage as `evolved.json` has it.
#[derive(Serialize)]
struct WrittenStage<'a> {
    stage: &'a str,
    time: Duration,
    candidates: usize,
    refused: usize,
}

impl Serialize for TimeBreakdown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (mut accounts, mut stages) = (BTreeMap::new(), Vec::new());
        for stage in &self.stages {
            let StageTime { about: About { name, cost, .. }, time, came, refused } = *stage;
            let (Cost::Core(account) | Cost::Device(account)) = cost;
            *accounts.entry(account).or_default() += time;
            stages.push(WrittenStage { stage: name, time, candidates: came, refused });
        }
        let Self { breeding, threads, restarts, workers, idle, runners, .. } = *self;
        Written { breeding, accounts, threads, restarts, workers, idle, benches: runners, stages }
            .serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_breakdown_names_each_stage_and_keeps_the_accounts_of_the_file() {
        let mut time = TimeBreakdown { runners: 1, idle: Duration::from_secs(6), ..TimeBreakdown::default() };
        let (workers, restarts) = (1, Duration::from_secs(2));
        for (stage, is_refused) in [(0, false), (0, true), (2, false)] {
            time.add_visits(&[Visit { stage, time: Duration::from_secs(1), workers, restarts, is_refused }]);
        }
        let text = time.to_string();
        assert!(text.starts_with("on the device: first run 0.0 s, timing 0.0 s, "), "{text}");
        assert!(
            text.contains("3 new workers 6.0 s, idle 6.0 s") && text.contains("small inputs 2.0 s"),
            "{text}"
        );
        let json = serde_json::to_value(&time).unwrap();
        assert_eq!((&json["assembling"]["secs"], &json["checking"]["secs"]), (&1.into(), &2.into()));
        assert_eq!(
            (&json["stages"][0]["stage"], &json["stages"][0]["refused"]),
            (&"small inputs".into(), &1.into())
        );
        for key in
            ["breeding", "first_runs", "timed_runs", "restarts", "idle", "threads", "workers", "benches"]
        {
            assert!(!json[key].is_null(), "{key}");
        }
    }

    #[test]
    fn no_two_stages_have_one_name() {
        let mut names: Vec<&str> = STAGES.iter().map(|stage| stage.about().name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STAGES.len());
    }
}
