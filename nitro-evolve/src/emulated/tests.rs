mod begin_with;
mod bounded;
mod changes;
mod early;
mod flags;
mod pointers;
mod proof;
mod repair;
mod structures;
mod unwritten;
mod variables;

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nitro_ptx::{Edit, Module, Patch};
use nitro_search::Failure;
use nitro_search::evolve::{EvolvePlan, Purpose, Report, Rules, Trial};

use super::{EmulatorCheck, EmulatorRunner};
use crate::check::{CheckOutcome, Depth, Objection};
use crate::deadline::Deadline;
use crate::difference::DiffLine;
use crate::effort::Effort;
use crate::exactness::Exactness;
use crate::finding::{Contract, Finding, Verdict};
use crate::machine_code::{Disassembler, InstructionCounts, MachineCode};
use crate::runner::{CaseResult, Code, RunOutcome, Runner, RunnerError};
use crate::{
    Check, Efforts, EvolveRequest, EvolveResult, Observer, Progress, Set, Subject, Workload, evolve,
};

/// Twice the position of each element, with a barrier that nobody waits for and a store that is overwritten.
const TWICE: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .entry twice(.param .u64 to, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<7>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [to];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    bar.sync 0;
    setp.ge.s32 %p1, %r5, %r1;
    @%p1 ret;
    mul.wide.s32 %rd2, %r5, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r5;
    shl.b32 %r6, %r5, 1;
    st.global.u32 [%rd3], %r6;
    ret;
}
";

const TWICE_RUN: &str = "\
[[buffer]]
name = \"to\"
type = \"i32\"
length = \"n\"
role = \"out\"
[[step]]
kernel = \"twice\"
grid = [\"ceil_div(n, 64)\"]
block = [64]
arguments = [\"to\", { i32 = \"n\" }]
[[search]]
n = 200
[[validation]]
n = 333
[[test]]
n = 1001
[[test]]
n = 1
";

/// The elements of each block from the last to the first: the barrier matters as soon as a block has more than one
/// warp.
const REVERSE: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .entry reverse(.param .u64 of)
{
    .reg .b32 %r<10>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 part[1024];
    ld.param.u64 %rd1, [of];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    mul.wide.s32 %rd2, %r4, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r5, [%rd3];
    shl.b32 %r6, %r3, 2;
    mov.u32 %r7, part;
    add.s32 %r6, %r7, %r6;
    st.shared.u32 [%r6], %r5;
    bar.sync 0;
    shl.b32 %r8, %r2, 2;
    add.s32 %r8, %r8, -4;
    sub.s32 %r9, %r8, %r6;
    add.s32 %r9, %r9, %r7;
    add.s32 %r9, %r9, %r7;
    ld.shared.u32 %r5, [%r9];
    st.global.u32 [%rd3], %r5;
    ret;
}
";

const REVERSE_RUN: &str = "\
[[buffer]]
name = \"of\"
type = \"i32\"
length = \"blocks * block\"
role = \"inout\"
values = \"i\"
[[step]]
kernel = \"reverse\"
grid = [\"blocks\"]
block = [\"block\"]
arguments = [\"of\"]
[[search]]
blocks = 3
block = 32
[[validation]]
blocks = 5
block = 32
[[test]]
blocks = 2
block = 128
";

struct Silent;

impl Observer for Silent {
    fn message(&self, _: &str) {}

    fn progress(&self, _: &Progress) {}
}

fn subject(ptx: &str, workload: &str) -> Subject {
    Subject::new(ptx, Workload::parse(Path::new("k.toml"), workload).unwrap()).unwrap()
}

fn assemble(text: String) -> Result<Code, String> {
    Ok(Code::text(text))
}

fn request<'a>(
    subject: &Subject,
    log: &'a Path,
    most_trials: usize,
    checks: Vec<Box<dyn Check>>,
) -> EvolveRequest<'a> {
    EvolveRequest {
        plan: EvolvePlan {
            population: 64,
            generations: usize::MAX,
            max_error: 0.0,
            seed: 1,
            ..EvolvePlan::default()
        },
        most_time: Duration::MAX,
        most_time_after: Duration::MAX,
        most_trials,
        until: None,
        efforts: Efforts::COUNTED,
        threads: 2,
        checks,
        small_inputs: None,
        relies_on_inputs: false,
        disassembler: Disassembler::of(&subject.original().ptx),
        log,
        begin_with: Vec::new(),
        elapsed: &|| Duration::ZERO,
        keep: &|_| Ok(()),
    }
}

fn run(subject: &Subject, log: &Path, most_trials: usize, checks: Vec<Box<dyn Check>>) -> EvolveResult {
    let runners: Vec<Box<dyn Runner>> =
        vec![Box::new(EmulatorRunner::new()), Box::new(EmulatorRunner::new())];
    evolve(subject, runners, &assemble, request(subject, log, most_trials, checks), &Silent).unwrap()
}

fn race_check(subject: &Subject) -> Vec<Box<dyn Check>> {
    vec![Box::new(EmulatorCheck::new(subject.workload(), &subject.original().ptx, 0.0).unwrap())]
}

/// A trial as its line in the log has it.
#[derive(serde::Deserialize)]
struct Told {
    trial: Trial<String>,
    report: Report,
}

fn told(line: &str) -> Told {
    serde_json::from_str(line).unwrap()
}

/// The edits of a line of the log.
fn edits(subject: &Subject, lines: &[String]) -> Vec<Edit> {
    let patch = format!("patch of {}\n{}\n", subject.base().module().digest(), lines.join("\n"));
    patch.parse::<Patch>().unwrap().edits
}

/// Of `TWICE`, whole blocks alone are seen: the guard is needed by none of them.
fn whole_blocks() -> Subject {
    subject(TWICE, &TWICE_RUN.replace("n = 200", "n = 192").replace("n = 333", "n = 320"))
}

/// What looks at small inputs of it.
fn small_inputs(subject: &Subject) -> EmulatorCheck {
    EmulatorCheck::on_unwritten_inputs(subject.workload(), &subject.original().ptx, 0.0).unwrap()
}

fn operations(finding: &Finding) -> Vec<String> {
    let patch: Patch = finding.patch.parse().unwrap();
    patch.edits.iter().map(|edit| edit.operation.to_string()).collect()
}

#[test]
fn planted_waste_is_found_and_the_patch_is_exactly_that() {
    let folder = tempfile::tempdir().unwrap();
    let subject = subject(TWICE, TWICE_RUN);
    let evolved = run(&subject, &folder.path().join("log"), 1500, race_check(&subject));
    let finding = &evolved.findings[0];
    assert_eq!(finding.verdict, Verdict::Accepted(Contract::Exact));
    assert!(matches!(finding.exactness, Some(Exactness::Proved { .. })), "{:?}", finding.exactness);
    assert_eq!(operations(finding), ["delete b6", "delete b11"]);
    let barrier = &finding.edits[0];
    assert_eq!((barrier.is_barrier, &*barrier.instructions), (true, &["bar.sync 0;".to_owned()][..]));
    assert!(
        finding.edits.iter().all(|edit| edit.is_independent && edit.loss > Some(0.0)),
        "{:?}",
        finding.edits
    );
    assert_eq!(finding.test.len(), 2);
    assert!(finding.speedup() > Some(1.1), "{:?}", finding.test);
    assert!(!finding.ptx.contains("bar.sync"));
    let differ: Vec<&DiffLine> = finding
        .diff
        .iter()
        .filter(|line| !matches!(line, DiffLine::Both(_) | DiffLine::Skipped(_)))
        .collect();
    let removed = |line: &str| DiffLine::Removed(line.to_owned());
    assert_eq!(differ, [&removed("\tbar.sync \t0;"), &removed("\tst.global.u32 \t[%rd3], %r5;")]);
    machine_code_tells_of_barrier_and_store(&subject, finding);
    assert_eq!(evolved.together[0].iter().max(), Some(&evolved.lineages[0].len()), "all came together");
    let page = crate::report::page("twice", &evolved);
    assert!(page.contains("<del>- \tbar.sync \t0;</del>"), "{page}");
}

/// Both edits are seen in the machine code, each by what leaving it out leaves there, where a disassembler is.
fn machine_code_tells_of_barrier_and_store(subject: &Subject, finding: &Finding) {
    let found = Disassembler::of(&subject.original().ptx);
    let Some(_) = nitro_test_support::tools::NVDISASM.found(found) else { return };
    let MachineCode::Compared(change) = &finding.machine_code else { panic!("{:?}", finding.machine_code) };
    let barriers = |counts: &InstructionCounts| (counts.barriers, counts.stores);
    // The assembler sees by itself that the first store is overwritten, since nothing is between the two.
    let without: Vec<_> = change.without.iter().flatten().map(barriers).collect();
    assert_eq!((barriers(&change.before), barriers(&change.after)), ((1, 1), (0, 1)));
    assert_eq!(without, [(1, 1), (0, 1)]);
}

#[test]
fn a_barrier_that_larger_blocks_need_is_not_taken_away() {
    let folder = tempfile::tempdir().unwrap();
    let subject = subject(REVERSE, REVERSE_RUN);
    // In one warp nothing is wrong without it.
    let without = format!("patch of {}\ndelete b12\n", subject.base().module().digest());
    let patch: Patch = without.parse().unwrap();
    let mut runner = EmulatorRunner::new();
    runner.begin(subject.workload(), subject.original(), &[Set::Search, Set::Test]).unwrap();
    let code = assemble(subject.candidate(&patch.edits).unwrap()).unwrap();
    let once = Effort::new(1, 1);
    let passes = |outcome: RunOutcome| matches!(outcome, RunOutcome::Ran(cases) if cases[0].error == 0.0);
    assert!(passes(runner.run(&code, Set::Search, once).unwrap()));
    assert!(!passes(runner.run(&code, Set::Test, once).unwrap()));

    let with_check = run(&subject, &folder.path().join("with"), 1000, race_check(&subject));
    let without_check = run(&subject, &folder.path().join("without"), 1000, Vec::new());
    let touches = |finding: &&Finding| finding.edits.iter().any(|edit| edit.is_barrier);
    let refused = |finding: &Finding, why: &str| matches!(&finding.verdict, Verdict::Refused(reason) if reason.contains(why));
    assert!(with_check.findings.iter().filter(touches).all(|finding| refused(finding, "race")));
    // Where the rest is right, only the barrier stays.
    let mut dropped = with_check.findings.iter().flat_map(|finding| &finding.dropped);
    assert!(dropped.any(|dropped| dropped.edit == "delete b12" && dropped.why.contains("race")));
    let mut found = without_check.findings.iter().filter(touches);
    assert!(found.all(|finding| refused(finding, "nothing here could look for races")));
    assert!(
        without_check.findings.iter().any(|finding| touches(&finding)),
        "it was found to be faster without"
    );
}

#[test]
fn of_a_patch_that_relies_on_the_sizes_that_it_has_seen_what_does_not_is_offered_too() {
    let folder = tempfile::tempdir().unwrap();
    let subject = whole_blocks();
    let log = folder.path().join("log");
    let probe = small_inputs(&subject);
    for case in ["n=1 seed=0", "n=2 seed=0", "n=17 seed=0", "n=37 seed=0"] {
        assert!(probe.cases().contains(&case), "{:?}", probe.cases());
    }
    let with = |small_inputs: Option<Box<dyn Check>>| {
        let request = EvolveRequest {
            small_inputs,
            relies_on_inputs: true,
            ..request(&subject, &log, 1500, race_check(&subject))
        };
        let runners: Vec<Box<dyn Runner>> = vec![Box::new(EmulatorRunner::new())];
        let evolved = evolve(&subject, runners, &assemble, request, &Silent).unwrap();
        let accepted = |finding: &&Finding| matches!(finding.verdict, Verdict::Accepted(_));
        (evolved.findings.len(), evolved.findings.iter().find(accepted).map(operations))
    };
    // What is fastest leaves its buffer; each of these is proved, also with the inputs of the workload alone.
    let waste = Some(Vec::from(["delete b6", "delete b11"].map(str::to_owned)));
    assert_eq!(with(None).1, waste);
    assert_eq!(with(Some(Box::new(probe))).1, waste);
}

#[test]
fn what_fails_with_small_inputs_that_nobody_wrote_is_not_bred() {
    let folder = tempfile::tempdir().unwrap();
    let subject = whole_blocks();
    let log = folder.path().join("log");
    let check = small_inputs(&subject);
    let request = EvolveRequest {
        small_inputs: Some(Box::new(small_inputs(&subject))),
        ..request(&subject, &log, 1500, race_check(&subject))
    };
    let runners: Vec<Box<dyn Runner>> = vec![Box::new(EmulatorRunner::new())];
    let evolved = evolve(&subject, runners, &assemble, request, &Silent).unwrap();
    let waste = ["delete b6", "delete b11"].map(str::to_owned);
    assert_eq!(operations(&evolved.findings[0]), waste);
    let (mut ran, mut failed) = (0, 0);
    for line in std::fs::read_to_string(&log).unwrap().lines().skip(1) {
        let Told { trial, report } = told(line);
        let text = subject.patched(&edits(&subject, &trial.edits)).unwrap();
        let is_right = check.check(&text, Depth::Hostile, Deadline::NEVER) == CheckOutcome::Clean;
        match report {
            // A candidate that is no faster has passed the quick check, which is enough here.
            Report::Ran { .. } => {
                ran += 1;
                assert!(
                    is_right && check.check(&text, Depth::Quick, Deadline::NEVER) == CheckOutcome::Clean,
                    "{:?}",
                    trial.edits
                );
            }
            Report::Failed(_) if !is_right => failed += 1,
            _ => {}
        }
    }
    assert!(ran > 50 && failed > 50, "{ran} ran, {failed} failed");
}

/// Gives an outcome of each depth, and counts how often it is asked.
struct Canned {
    name: &'static str,
    outcome: fn(Depth) -> CheckOutcome,
    takes_seconds: bool,
    asked: Arc<AtomicUsize>,
}

impl Canned {
    fn new(name: &'static str, outcome: fn(Depth) -> CheckOutcome) -> Self {
        Self { name, outcome, takes_seconds: false, asked: Arc::default() }
    }

    /// Returns the same check, and what counts.
    fn counted(self) -> (Box<dyn Check>, Arc<AtomicUsize>) {
        let asked = Arc::clone(&self.asked);
        (Box::new(self), asked)
    }
}

impl Check for Canned {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn finds_races(&self) -> bool {
        true
    }

    fn takes_seconds(&self) -> bool {
        self.takes_seconds
    }

    fn check(&self, _: &str, depth: Depth, _: Deadline) -> CheckOutcome {
        self.asked.fetch_add(1, Ordering::Relaxed);
        (self.outcome)(depth)
    }
}

/// Two blocks of 64 write the same elements where `most` is less than 64.
const CLAMPED: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .entry clamped(.param .u64 to, .param .u32 most) {
    .reg .b32 %r<5>; .reg .b64 %rd<5>; .shared .align 4 .b8 s[256];
    ld.param.u64 %rd1, [to]; ld.param.u32 %r1, [most];
    mov.u32 %r2, %tid.x; mul.wide.u32 %rd3, %r2, 4; mov.u64 %rd4, s; add.s64 %rd4, %rd4, %rd3;
    st.shared.u32 [%rd4], %r2; bar.sync 0; ld.shared.u32 %r4, [s];
    min.u32 %r3, %r2, %r1; add.u32 %r4, %r4, %r2;
    mul.wide.u32 %rd2, %r3, 4; add.s64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r4; ret;
}
";

#[test]
fn a_race_for_the_same_value_is_one_unless_the_original_has_such() {
    let one = TWICE.replace("st.global.u32 [%rd3], %r5;", "mov.u32 %r6, 7;").replace(
        "shl.b32 %r6, %r5, 1;\n    st.global.u32 [%rd3], %r6;",
        "setp.eq.u32 %p1, %r5, 0;\n    @%p1 st.global.u32 [%rd1], %r6;",
    );
    let all = one.replace("@%p1 st.", "st.");
    let outcome = |original: &str, patched: &str| {
        let check = small_inputs(&subject(original, TWICE_RUN));
        check.check(patched, Depth::Hostile, Deadline::NEVER)
    };
    assert!(matches!(outcome(&one, &all), CheckOutcome::Found(found) if found.what.contains("race")));
    assert_eq!(outcome(&all, &all), CheckOutcome::Clean);
}

#[test]
fn small_inputs_with_which_the_original_races_are_left_out_and_races_are_still_looked_for() {
    let run = "[[buffer]]\nname = \"y\"\ntype = \"u32\"\nlength = \"64\"\nrole = \"inout\"\n\
        [[step]]\nkernel = \"clamped\"\ngrid = [1]\nblock = [\"threads\"]\narguments = [\"y\", { u32 = \"most\" }]\n\
        [[search]]\nthreads = 64\nmost = 63\n[[validation]]\nthreads = 32\nmost = 40\nseed = 1\n[[test]]\nthreads = 48\nmost = 50\nseed = 2\n";
    let subject = subject(CLAMPED, run);
    let probe = small_inputs(&subject);
    assert!(
        probe.finds_races() && probe.cases().iter().any(|case| case.contains("threads=37")),
        "{:?}",
        probe.cases()
    );
    assert!(!probe.cases().contains(&"most=1 threads=37 seed=0"), "{:?}", probe.cases());
    assert_eq!(probe.check(CLAMPED, Depth::Hostile, Deadline::NEVER), CheckOutcome::Clean);
    let CheckOutcome::Found(what) =
        probe.check(&CLAMPED.replace("bar.sync 0;", ""), Depth::Hostile, Deadline::NEVER)
    else {
        panic!("clean")
    };
    assert!(what.what.contains("race"), "{what}");
}

#[test]
fn the_race_check_says_what_races() {
    let subject = subject(REVERSE, REVERSE_RUN);
    let check = &race_check(&subject)[0];
    assert!(check.finds_races());
    assert_eq!(check.check(REVERSE, Depth::Hostile, Deadline::NEVER), CheckOutcome::Clean);
    let CheckOutcome::Found(what) =
        check.check(&REVERSE.replace("bar.sync 0;", ""), Depth::Hostile, Deadline::NEVER)
    else {
        panic!("clean")
    };
    assert!(what.what.contains("st.shared.u32") && what.what.contains("ld.shared.u32"), "{what}");
}

#[test]
fn a_program_that_does_not_end_is_found_after_a_few_times_what_an_input_takes() {
    let subject = subject(TWICE, TWICE_RUN);
    let endless = TWICE.replace("bar.sync 0;", "AGAIN: bra AGAIN;");
    for check in [small_inputs(&subject), EmulatorCheck::new(subject.workload(), TWICE, 0.0).unwrap()] {
        let found = check.check(&endless, Depth::Quick, Deadline::NEVER);
        let CheckOutcome::Found(what) = found else { panic!("{found:?}") };
        let (before, after) = what.what.split_once(" instructions, and the launch has not ended").unwrap();
        let most: u64 = before.rsplit(' ').next().unwrap().parse().unwrap();
        assert!(most < 100_000 && after.is_empty(), "{what}");
    }
}

#[test]
fn what_nobody_has_written_may_be_read_as_long_as_no_result_hangs_on_it() {
    let subject = subject(REVERSE, REVERSE_RUN);
    let check = &race_check(&subject)[0];
    let is_unused = REVERSE.replace("st.shared.u32", "ld.shared.u32 %r8, [%r6];\n    st.shared.u32");
    assert_eq!(check.check(&is_unused, Depth::Hostile, Deadline::NEVER), CheckOutcome::Clean);
    let is_used = REVERSE.replace("ld.shared.u32 %r5, [%r9]", "ld.shared.u32 %r5, [%r7+1020]");
    let CheckOutcome::Found(what) = check.check(&is_used, Depth::Hostile, Deadline::NEVER) else {
        panic!("clean")
    };
    assert!(what.what.contains("hang on memory that nobody has written"), "{what}");
}

#[test]
fn races_are_looked_for_on_inputs_that_are_small_enough_however_slowly_threads_go_on() {
    let subject = subject(REVERSE, REVERSE_RUN);
    let within = |most| EmulatorCheck::within((most, 1), subject.workload(), &subject.original().ptx, 0.0);
    // A warp executes 20 instructions.
    let check = within(150).unwrap();
    assert_eq!(check.cases(), ["block=32 blocks=3 seed=0"]);
    assert!(check.finds_races(), "one by one the threads execute many more");
    assert_eq!(within(1000).unwrap().cases().len(), 3);
    let none = within(10).err().unwrap().to_string();
    assert_eq!(none, "there is no input that is small enough for that; add a small one to the test");
}

#[test]
fn an_evolution_that_was_stopped_goes_on_as_if_it_had_not_been() {
    let folder = tempfile::tempdir().unwrap();
    let subject = subject(TWICE, TWICE_RUN);
    let whole_log = folder.path().join("whole");
    let whole = run(&subject, &whole_log, 600, Vec::new());
    let text = std::fs::read_to_string(&whole_log).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    // In the middle of what is tried alone, and of what is bred. A line that a crash has cut off is no line.
    for length in [30, 100, 400] {
        let parts = folder.path().join(length.to_string());
        let cut = format!("{}\n{}", lines[..length].join("\n"), &lines[length][..20]);
        std::fs::write(&parts, cut).unwrap();
        let again = run(&subject, &parts, 600, Vec::new());
        assert_eq!(again.history.counts, whole.history.counts, "after {length} lines");
        assert_eq!(again.findings, whole.findings);
        assert_eq!(std::fs::read_to_string(parts).unwrap(), text);
    }
}

#[test]
fn a_log_of_an_earlier_release_goes_on_by_the_rules_that_it_began_with() {
    let folder = tempfile::tempdir().unwrap();
    let subject = subject(TWICE, TWICE_RUN);
    let evolved = |log: &Path, most_trials, rules| {
        let mut request = request(&subject, log, most_trials, Vec::new());
        request.plan.rules = rules;
        evolve(&subject, vec![Box::new(EmulatorRunner::new())], &assemble, request, &Silent).unwrap()
    };
    let [whole, parts] = ["whole", "parts"].map(|name| folder.path().join(name));
    evolved(&whole, 400, Rules::Paper);
    evolved(&parts, 150, Rules::Paper);
    let text = std::fs::read_to_string(&parts).unwrap();
    assert!(text.contains(",\"rules\":\"paper\",\"margin\":0.01}"));
    // That release named neither rules nor margin.
    std::fs::write(&parts, text.replace(",\"rules\":\"paper\",\"margin\":0.01}", "}")).unwrap();
    evolved(&parts, 400, Rules::Model);
    let [whole, parts] = [whole, parts].map(|log| std::fs::read_to_string(log).unwrap());
    assert!(whole.lines().skip(1).eq(parts.lines().skip(1)));
}

/// Says of candidates what a function does, once it has remembered their texts.
struct Answering<F> {
    heard: Arc<Mutex<Vec<String>>>,
    of: F,
}

impl<F: FnMut(&Code, Effort) -> RunOutcome + Send> Runner for Answering<F> {
    fn name(&self) -> String {
        "answering".to_owned()
    }

    fn begin(&mut self, _: &Workload, _: &Code, sets: &[Set]) -> Result<Vec<Vec<CaseResult>>, RunnerError> {
        Ok(vec![Vec::new(); sets.len()])
    }

    fn run(&mut self, candidate: &Code, _: Set, effort: Effort) -> Result<RunOutcome, RunnerError> {
        self.heard.lock().unwrap().push(candidate.ptx.to_string());
        Ok((self.of)(candidate, effort))
    }
}

/// Whether a text is that of a first run: its loops end.
fn is_first_run(text: &str) -> bool {
    text.contains("nitro_deadline_ns")
}

#[test]
fn what_fails_in_its_first_run_whose_loops_end_is_not_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let (subject, log) = (subject(TWICE, TWICE_RUN), folder.path().join("log"));
    let with = |efforts| {
        let heard = Arc::<Mutex<Vec<String>>>::default();
        let request = EvolveRequest { efforts, ..request(&subject, &log, 64, Vec::new()) };
        let of = |_: &Code, _| RunOutcome::Failed(Failure::Wrong, "it is".to_owned());
        let runner = Answering { heard: Arc::clone(&heard), of };
        evolve(&subject, vec![Box::new(runner)], &assemble, request, &Silent).unwrap();
        std::fs::remove_file(&log).unwrap();
        let heard = heard.lock().unwrap();
        (heard.len(), heard.iter().filter(|text| is_first_run(text)).count())
    };
    let (runs, of_loops_that_end) = with(Efforts::COUNTED);
    assert!(runs > 1 && of_loops_that_end == 0);
    let first = Some(Effort::new(1, 1));
    // Four runs more are the original's, with the inputs of search and validation: what it takes as it is, and
    // where its loops end. In the end it runs as it is.
    assert_eq!(with(Efforts { first, ..Efforts::COUNTED }), (runs + 4, runs + 1));
}

#[test]
fn first_runs_look_at_accesses_also_where_that_rounds_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let subject = subject(TWICE, TWICE_RUN);
    for (off_by, is_right) in [(5e-6, true), (2e-5, false)] {
        let (heard, log) = (Arc::<Mutex<Vec<String>>>::default(), folder.path().join("log"));
        let efforts = Efforts { first: Some(Effort::new(0, 1)), ..Efforts::COUNTED };
        let plan = EvolvePlan { max_error: 0.0, ..request(&subject, &log, 64, Vec::new()).plan };
        let request = EvolveRequest { efforts, plan, ..request(&subject, &log, 64, Vec::new()) };
        let mut first_runs = 0;
        let of = move |candidate: &Code, effort: Effort| {
            let is_first_run = is_first_run(&candidate.ptx);
            first_runs += usize::from(is_first_run);
            let error = match (is_first_run, first_runs) {
                (false, _) => 0.0,
                (true, ..=2) => 1e-6, // the original's, with the inputs of search and validation
                (true, _) => off_by,
            };
            effort.objection(error).map_or_else(
                || RunOutcome::Ran(vec![CaseResult { time_ns: 1e3, error }]),
                |why| RunOutcome::Failed(Failure::Wrong, why),
            )
        };
        let runner = Answering { heard: Arc::clone(&heard), of };
        evolve(&subject, vec![Box::new(runner)], &assemble, request, &Silent).unwrap();
        let lines = std::fs::read_to_string(&log).unwrap();
        std::fs::remove_file(&log).unwrap();
        let ran =
            lines.lines().skip(1).filter(|line| matches!(told(line).report, Report::Ran { .. })).count();
        let heard = heard.lock().unwrap();
        let first_runs: Vec<&String> = heard.iter().filter(|text| is_first_run(text)).collect();
        assert!(
            first_runs.len() > 10 && first_runs.iter().all(|text| text.contains(Module::BOUNDS_VARIABLE))
        );
        assert_eq!(ran > 10, is_right, "{ran} ran, off by {off_by}");
    }
}

#[test]
fn what_is_faster_and_wrong_with_other_inputs_has_no_descendants() {
    let folder = tempfile::tempdir().unwrap();
    // Where threads beyond the end go on, blocks that are full are as right, and faster.
    let run_full = TWICE_RUN.replace("n = 200", "n = 192");
    let (subject, log) = (subject(TWICE, &run_full), folder.path().join("log"));
    let mut runner = EmulatorRunner::new();
    let sets = [Set::Search, Set::Validation];
    let original = runner.begin(subject.workload(), subject.original(), &sets).unwrap()[0][0].time_ns;
    let mut passes = |lines: &[String], set| {
        let code = assemble(subject.candidate(&edits(&subject, lines)).unwrap()).unwrap();
        let outcome = runner.run(&code, set, Effort::new(1, 1)).unwrap();
        matches!(outcome, RunOutcome::Ran(cases) if cases.iter().all(|case| case.error == 0.0))
    };
    run(&subject, &log, 600, Vec::new());
    let (mut right, mut wrong, mut slow) = (0, 0, HashSet::new());
    for line in std::fs::read_to_string(&log).unwrap().lines().skip(1) {
        let Told { trial, report } = told(line);
        if let Report::Ran { fitness, code: Some(code) } = report {
            slow.extend((fitness.time_ns > 0.99 * original).then_some(code));
        }
        if trial.purpose != Purpose::Search || !passes(&trial.edits, Set::Search) {
            continue;
        }
        match (passes(&trial.edits, Set::Validation), report) {
            (true, _) => right += 1,
            (false, Report::Failed(_)) => wrong += 1,
            (false, Report::Ran { code: Some(code), .. } | Report::Same(code)) if slow.contains(&code) => {}
            (false, report) => panic!("{:?}: {report:?}", trial.edits),
        }
    }
    assert!(right > 100 && (1..right / 4).contains(&wrong), "{right} right, {wrong} wrong");
}

#[test]
fn a_log_of_something_else_is_refused_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    run(&subject(TWICE, TWICE_RUN), &log, 64, Vec::new());
    let before = std::fs::read(&log).unwrap();
    let other = subject(REVERSE, REVERSE_RUN);
    let request = EvolveRequest {
        plan: EvolvePlan { population: 64, ..EvolvePlan::default() },
        most_time: Duration::MAX,
        most_time_after: Duration::MAX,
        most_trials: 64,
        until: None,
        efforts: Efforts::COUNTED,
        threads: 1,
        checks: Vec::new(),
        small_inputs: None,
        relies_on_inputs: false,
        disassembler: Err("it is not asked for".to_owned()),
        log: &log,
        begin_with: Vec::new(),
        elapsed: &|| Duration::ZERO,
        keep: &|_| Ok(()),
    };
    let error =
        evolve(&other, vec![Box::new(EmulatorRunner::new())], &assemble, request, &Silent).unwrap_err();
    assert!(error.to_string().contains("log:1: this is the log of another evolution"), "{error}");
    assert_eq!(std::fs::read(&log).unwrap(), before);
}
