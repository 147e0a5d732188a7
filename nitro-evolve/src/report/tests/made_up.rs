//! Evolutions that never were.

use std::time::Duration;

use nitro_search::evolve::Fitness;

use crate::check::{CheckOutcome, CheckReport};
use crate::difference::DiffLine;
use crate::exactness::Exactness;
use crate::finding::{Contract, DroppedEdit, Epistasis, ExplainedEdit, Finding, TestCase, Verdict};
use crate::history::{Attempt, Counts, History, Lineage, Moment};
use crate::machine_code::{InstructionCounts, MachineCode, MachineCodeChange};
use crate::{EvolveResult, TimeBreakdown};

const GENERATIONS: usize = 40;
/// What the original takes.
const ORIGINAL_NS: f64 = 120_000.0;

/// One that ended before anything was tried.
pub fn nothing_tried() -> EvolveResult {
    EvolveResult {
        base: "0123456789abcdef".to_owned(),
        kernels: vec!["hotspot".to_owned()],
        instructions: 312,
        on: vec!["cuda:0 (NVIDIA H200)".to_owned()],
        seed: 7,
        begun_with: 0,
        proposed: Default::default(),
        max_error: 0.01,
        original: Vec::new(),
        floors: Vec::new(),
        generations: 0,
        seconds: 0.0,
        time: TimeBreakdown::default(),
        front: Vec::new(),
        findings: Vec::new(),
        is_under_way: false,
        lineages: Vec::new(),
        together: Vec::new(),
        history: History { counts: Counts::default(), moments: Vec::new(), tried: Vec::new() },
    }
}

/// One with two patches: an exact one that removes a barrier, and one that is off by a little.
pub fn evolved() -> EvolveResult {
    EvolveResult {
        original: vec![
            ("n=1024 seed=1".to_owned(), ORIGINAL_NS),
            ("n=777 seed=2".to_owned(), ORIGINAL_NS / 2.0),
        ],
        generations: GENERATIONS,
        seconds: 541.0,
        time: time(),
        front: vec![
            (times_as_fast(1.3, 0.0), 3),
            (times_as_fast(1.36, 4e-5), 9),
            (times_as_fast(1.45, 0.006), 12),
            (times_as_fast(1.6, 0.4), 15),
        ],
        findings: vec![exact(), approximate()],
        is_under_way: false,
        lineages: vec![lineages(), lineages()[..2].to_vec()],
        together: vec![together(), Vec::new()],
        history: History { counts: counts(), moments: moments(), tried: tried() },
        ..nothing_tried()
    }
}

/// Each stage has less to do than the one before.
fn time() -> TimeBreakdown {
    let mut time = TimeBreakdown { runners: 1, threads: 15, ..TimeBreakdown::default() };
    for (number, stage) in (1..).zip(&mut time.stages) {
        (stage.came, stage.refused, stage.time) = (5200 / number, 100, Duration::from_secs(60));
    }
    time
}

fn times_as_fast(ratio: f64, error: f64) -> Fitness {
    Fitness { time_ns: ORIGINAL_NS / ratio, error }
}

fn counts() -> Counts {
    let failed = [("compile", 9), ("crash", 40), ("invalid", 130), ("timeout", 20), ("wrong", 120)];
    Counts {
        trials: 5200,
        ran: 4001,
        same: 880,
        failed: failed.into_iter().map(|(how, count)| (how.to_owned(), count)).collect(),
    }
}

fn moments() -> Vec<Moment> {
    let moment = |generation: usize| {
        let exact = if generation < 20 { 1.0 + 0.01 * generation as f64 } else { 1.3 };
        let allowed = if generation < 30 { exact } else { 1.45 };
        Moment {
            generation,
            seconds: 13.5 * (generation + 1) as f64,
            trials: 130 * (generation + 1),
            best_exact_ns: ORIGINAL_NS / exact,
            best_ns: ORIGINAL_NS / allowed,
        }
    };
    (0..GENERATIONS).map(moment).collect()
}

/// The original, and what is around it: most is slower, some is wrong, little is better.
fn tried() -> Vec<Attempt> {
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1u32 << 31)
    };
    let mut tried = vec![Attempt { fitness: times_as_fast(1.0, 0.0), edits: 0 }];
    for at in 0..4000 {
        let luck = 0.3 * f64::from(at) / 4000.0 * random() * random();
        let ratio = 1.0 + luck - 0.6 * random() * random() * random() * random();
        let error = if random() < 0.6 { 0.0 } else { 10f64.powf(-5.0 * random()) };
        let gained = if error > 0.0 { 1.0 + 0.1 * random() } else { 1.0 };
        tried.push(Attempt {
            fitness: times_as_fast(ratio * gained, error),
            edits: 1 + (9.0 * random()) as usize,
        });
    }
    tried
}

fn lineages() -> Vec<Lineage> {
    let lineage = |edit: &str, first_trial: u64, from: usize| {
        let share = |at: usize| if at < from { 0.0 } else { 1.0 - 0.9 * (-0.15 * (at - from) as f64).exp() };
        Lineage { edit: edit.to_owned(), first_trial, shares: (0..GENERATIONS).map(share).collect() }
    };
    vec![
        lineage("operand b41 slot 2 = 3", 2600, 20),
        lineage("delete b12", 300, 2),
        lineage("move b30 before b22", 1200, 9),
    ]
}

fn together() -> Vec<usize> {
    (0..GENERATIONS).map(|at| usize::from(at >= 2) + usize::from(at >= 9) + usize::from(at >= 20)).collect()
}

fn edit(text: &str, instructions: &[&str], alone: Option<f64>, loss: Option<f64>) -> ExplainedEdit {
    ExplainedEdit {
        edit: text.to_owned(),
        instructions: instructions.iter().map(|&text| text.to_owned()).collect(),
        is_barrier: instructions.iter().any(|text| text.starts_with("bar.")),
        alone,
        loss,
        is_independent: alone.zip(loss).is_some_and(|(alone, loss)| (alone - loss).abs() < 0.01),
    }
}

fn case(name: &str, original_ns: f64, ratio: f64, error: f64) -> TestCase {
    TestCase { case: name.to_owned(), original_ns, patched_ns: original_ns / ratio, error, floor: None }
}

fn standing(arithmetic: usize, barriers: usize) -> InstructionCounts {
    InstructionCounts { loads: 12, stores: 4, barriers, arithmetic, control: 5, ..Default::default() }
}

fn exact() -> Finding {
    let edits = vec![
        edit("delete b12", &["bar.sync \t0;"], Some(0.12), Some(0.121)),
        edit(
            "move b30 before b22\n  fix b30 slot 1 = %f7",
            &["ld.shared.f32 \t%f9, [%r4+4];", "mul.f32 \t%f8, %f7, %f6;"],
            None,
            Some(0.09),
        ),
        edit("operand b41 slot 2 = 3", &["setp.lt.s32 \t%p3, %r11, %r12;"], Some(-0.02), Some(0.07)),
    ];
    Finding {
        patch: "patch of 0123456789abcdef\ndelete b12\nmove b30 before b22\n  fix b30 slot 1 = %f7\noperand b41 slot 2 = 3\n".to_owned(),
        edits_before: 41,
        verdict: Verdict::Accepted(Contract::Exact),
        exactness: Some(Exactness::Proved { over: "all data with n=1".to_owned(), provided: None }),
        search: times_as_fast(1.3, 0.0),
        edits,
        pairs: vec![
            Epistasis { first: 1, second: 2, more: 0.075 },
            Epistasis { first: 0, second: 2, more: -0.03 },
        ],
        test: vec![case("n=4096 seed=7", 2e6, 1.28, 0.0), case("n=64 seed=8", 9000.0, 1.28, 0.0)],
        dropped: vec![DroppedEdit {
            edit: "delete b77".to_owned(),
            why: "emulator: with n=17, two threads race".to_owned(),
        }],
        undone: Vec::new(),
        checks: vec![
            CheckReport { check: "racecheck".to_owned(), outcome: CheckOutcome::Clean },
            CheckReport { check: "memcheck".to_owned(), outcome: CheckOutcome::NotRun("there is no compute-sanitizer".to_owned()) },
        ],
        diff: vec![
            DiffLine::Skipped(120),
            DiffLine::Both("\tst.shared.f32 \t[%r4], %f5;".to_owned()),
            DiffLine::Removed("\tbar.sync \t0;".to_owned()),
            DiffLine::Added("\tld.shared.f32 \t%f9, [%r4+4];".to_owned()),
            DiffLine::Both("\tmul.f32 \t%f8, %f7, %f6;".to_owned()),
            DiffLine::Skipped(33),
        ],
        machine_code: MachineCode::Compared(MachineCodeChange {
            architecture: "sm_90".to_owned(),
            before: standing(30, 3),
            after: standing(27, 2),
            without: vec![Some(standing(27, 3)), None, Some(standing(27, 2))],
            diff: vec![
                DiffLine::Skipped(40),
                DiffLine::Removed("    BAR.SYNC.DEFER_BLOCKING 0x0".to_owned()),
                DiffLine::Both("    FFMA R9, R8, R7, R6".to_owned()),
            ],
        }),
        ptx: String::new(),
        origin: Vec::new(),
    }
}

fn approximate() -> Finding {
    let over = "n from 64 to 4096".to_owned();
    let mut finding = exact();
    finding.verdict = Verdict::Accepted(Contract::Approx { max_error: 0.008, over });
    finding.exactness = None;
    finding.search = times_as_fast(1.45, 0.006);
    finding.edits.remove(0);
    finding.edits.push(edit(
        "replace b70 by b66",
        &["ex2.approx.f32 \t%f20, %f19;", "mov.f32 \t%f20, 0f3F800000;"],
        Some(0.1),
        Some(0.1),
    ));
    finding.edits.push(edit("cache b9 = nc", &["ld.global.f32 \t%f1, [%rd4];"], Some(0.03), Some(0.04)));
    finding.pairs = Vec::new();
    finding.machine_code = MachineCode::Unknown("there is no nvdisasm <anywhere>".to_owned());
    finding.test = vec![case("n=4096 seed=7", 2e6, 1.42, 0.008), case("n=64 seed=8", 9000.0, 1.42, 0.0)];
    finding
}
