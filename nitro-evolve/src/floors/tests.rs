//! Floors of a subject on the emulator, whose device says what it is told to.

use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

use nitro_ptx::Module;
use nitro_search::evolve::EvolvePlan;

use super::*;
use crate::emulated::EmulatorRunner;
use crate::runner::{CaseResult, Code, RunOutcome};
use crate::{Efforts, EvolveRequest, Progress, Workload, evolve};

/// Adds one to each element, and stores it twice.
const PTX: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .entry more(.param .u64 x, .param .u64 y, .param .align 8 .b8 n[12])
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.u32 %r2, [%rd4];
    st.global.u32 [%rd5], %r2;
    add.s32 %r3, %r2, 1;
    st.global.u32 [%rd5], %r3;
    ret;
}
";

const RUN: &str = "\
[[buffer]]
name = \"x\"
type = \"u32\"
length = \"n\"
role = \"in\"
values = \"integer(0, 1000)\"
[[buffer]]
name = \"y\"
type = \"u32\"
length = \"n\"
role = \"out\"
[[step]]
kernel = \"more\"
grid = [1]
block = [\"n\"]
arguments = [\"x\", \"y\", [{ u32 = 1 }, { u32 = 2 }, { u32 = 3 }]]
[[search]]
n = 64
[[search]]
n = 96
[[validation]]
n = 32
[[test]]
n = 128
";

/// A runner that has so many nanoseconds as the floor of each case of the search, and of each of the test.
struct Told(EmulatorRunner, f64, f64);

impl Runner for Told {
    fn name(&self) -> String {
        "told".to_owned()
    }

    fn begin(
        &mut self,
        workload: &Workload,
        original: &Code,
        sets: &[Set],
    ) -> Result<Vec<Vec<CaseResult>>, RunnerError> {
        self.0.begin(workload, original, sets)
    }

    fn run(&mut self, candidate: &Code, set: Set, effort: Effort) -> Result<RunOutcome, RunnerError> {
        self.0.run(candidate, set, effort)
    }

    fn floors(&mut self, idle: &Code, set: Set) -> Result<Vec<Floor>, RunnerError> {
        let effort = Effort::new(1, 1);
        let RunOutcome::Ran(cases) = self.0.run(idle, set, effort)? else { panic!("nothing can go wrong") };
        assert!(cases.iter().all(|case| case.error.is_infinite()), "nothing is written");
        let ns = if set == Set::Test { self.2 } else { self.1 };
        let floor = || Floor { ns, limit: "memory".to_owned(), reason: "7 bytes".to_owned() };
        Ok(cases.iter().map(|_| floor()).collect())
    }
}

#[derive(Default)]
struct Silent;

impl Observer for Silent {
    fn message(&self, _: &str) {}

    fn progress(&self, _: &Progress) {}
}

fn subject() -> Subject {
    Subject::new(PTX, Workload::parse(Path::new("k.toml"), RUN).unwrap()).unwrap()
}

/// Evolves with these floors of search and test, and says how often something was kept.
fn run([search_ns, test_ns]: [f64; 2], until: Option<&str>) -> (Result<EvolveResult, EvolveError>, u32) {
    let (folder, kept, subject) = (tempfile::tempdir().unwrap(), Cell::new(0), subject());
    let request = EvolveRequest {
        plan: EvolvePlan { population: 16, generations: usize::MAX, seed: 3, ..EvolvePlan::default() },
        most_time: Duration::MAX,
        most_time_after: Duration::MAX,
        most_trials: 300,
        until: until.map(|until| until.parse().unwrap()),
        efforts: Efforts::COUNTED,
        threads: 2,
        checks: Vec::new(),
        small_inputs: None,
        relies_on_inputs: false,
        disassembler: Err("it is not asked for".to_owned()),
        log: &folder.path().join("log"),
        begin_with: Vec::new(),
        elapsed: &|| Duration::ZERO,
        keep: &|_| {
            kept.set(kept.get() + 1);
            Ok(())
        },
    };
    let runners: Vec<Box<dyn Runner>> = vec![Box::new(Told(EmulatorRunner::new(), search_ns, test_ns))];
    let evolved = evolve(&subject, runners, &|text| Ok(Code::text(text)), request, &Silent);
    (evolved, kept.get())
}

#[test]
fn kernels_that_do_nothing_take_the_arguments_of_the_original() {
    let (subject, text) = (subject(), idle(&subject()));
    let idle = Module::parse(&text).unwrap();
    assert_eq!(idle.parameter_bytes("more"), subject.base().module().parameter_bytes("more"));
    assert_eq!((idle.instructions(), text.lines().next()), (1, Some(".version 9.0")));
}

#[test]
fn an_evolution_says_how_near_the_original_and_its_patches_are_to_the_floor() {
    let known = run([20.0, 30.0], None).0.unwrap();
    assert_eq!(known.floors.len(), 2);
    let told = nearness(&known).unwrap();
    let (original_ns, best_ns) =
        (known.original.iter().map(|own| own.1).sum::<f64>() / 2.0, known.front[0].0.time_ns);
    assert!(best_ns < original_ns);
    let percent = |time_ns: f64| (100.0 * 20.0 / time_ns).floor();
    assert_eq!(
        told,
        format!(
            "the original has {} % of what memory allows, the fastest exact candidate {} % of what memory allows",
            percent(original_ns),
            percent(best_ns)
        )
    );
    let test = &known.findings[0].test;
    assert_eq!(test[0].floor.as_ref().map(|floor| floor.ns), Some(30.0));
    let of_test = (100.0 * 30.0 / test[0].patched_ns).floor();
    assert_eq!(nearness_of_test(test).unwrap(), format!("{of_test} % of what memory allows"));
    let text = crate::cli::describe(1, &known.findings[0]);
    assert!(text.contains(&format!("{of_test} % of what memory allows, accepted")), "{text}");
    assert!(crate::report::page("more", &known).contains(&told));
}

#[test]
fn a_device_that_knows_no_floor_shows_none() {
    let known = run([0.0, 0.0], None).0.unwrap();
    assert_eq!((nearness(&known), nearness_of_test(&known.findings[0].test)), (None, None));
    assert!(!serde_json::to_string(&known).unwrap().contains("floor"));
}

#[test]
fn an_original_under_its_floor_ends_the_evolution_with_the_reasons_of_both() {
    let (error, kept) = run([1e9, 0.0], None);
    let error = error.unwrap_err().to_string();
    for part in ["the original on told with n=64 seed=", "median of 1 runs", "by memory: 7 bytes"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert_eq!(kept, 0);
}

#[test]
fn an_exact_patch_under_its_floor_is_an_error_once_all_is_kept() {
    let usual = run([20.0, 30.0], None).0.unwrap();
    let case = &usual.findings[0].test[0];
    assert!(case.patched_ns < case.original_ns);
    let (error, kept) = run([20.0, f64::midpoint(case.patched_ns, case.original_ns)], None);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("patch 1, exact as far as is known, on told with n=128"), "{error}");
    assert!(kept > 0);
}

#[test]
fn a_search_ends_at_the_share_of_its_floor_that_is_asked_for() {
    let whole = run([20.0, 0.0], None).0.unwrap();
    let least_ns = whole.front[0].0.time_ns;
    // As fast as what was best in all of it.
    let until = format!("{}%-of-floor", 100.0 * 20.0 / (1.001 * least_ns));
    let stopped = run([20.0, 0.0], Some(&until)).0.unwrap();
    assert!(stopped.front[0].0.time_ns <= 1.001 * least_ns);
    assert!(stopped.history.counts.trials < whole.history.counts.trials);
    let error = run([0.0, 0.0], Some("95%-of-floor")).0.unwrap_err().to_string();
    assert!(error.contains("leave out --until 95%-of-floor"), "{error}");
}
