//! What only a GPU can show: `cargo test -p nitro-variants-evolve --test sandbox -- --ignored`.

use std::path::Path;
use std::process::Command;

use nitro_cuda::{CudaError, Options, Output, Source, compile};
use nitro_evolve::Effort;
use nitro_evolve::runner::{CaseResult, Code, RunOutcome, Runner};
use nitro_evolve::sandbox::{Assembler, Limits, Sandbox};
use nitro_evolve::{Set, Workload};
use nitro_ptx::Module;
use nitro_search::Failure;

use crate::scenarios::Scenario;

pub const ALL: [Scenario; 11] = [
    ("planted_faults_are_found_and_the_next_one_runs", planted_faults_are_found_and_the_next_one_runs),
    (
        "no_fault_costs_a_worker_where_threads_end_before_it",
        no_fault_costs_a_worker_where_threads_end_before_it,
    ),
    ("a_right_candidate_has_a_time_and_no_error", a_right_candidate_has_a_time_and_no_error),
    (
        "a_loop_that_ends_by_a_flag_is_right_and_has_a_time",
        a_loop_that_ends_by_a_flag_is_right_and_has_a_time,
    ),
    (
        "variables_are_set_before_each_run_of_each_program_and_read_after_it",
        variables_are_set_before_each_run_of_each_program_and_read_after_it,
    ),
    ("pointers_point_to_where_buffers_are_in_each_run", pointers_point_to_where_buffers_are_in_each_run),
    ("the_host_copies_and_clears_between_launches", the_host_copies_and_clears_between_launches),
    ("structures_are_compared_member_by_member", structures_are_compared_member_by_member),
    (
        "a_floor_counts_what_has_to_be_read_and_written_and_the_launches",
        a_floor_counts_what_has_to_be_read_and_written_and_the_launches,
    ),
    (
        "a_floor_counts_elements_that_are_input_and_result_as_far_as_they_are_changed",
        a_floor_counts_elements_that_are_input_and_result_as_far_as_they_are_changed,
    ),
    ("an_original_that_is_of_no_use_is_an_error", an_original_that_is_of_no_use_is_an_error),
];

const EFFORT: Effort = Effort::new(5, 2);

/// The kernels with one of the faults, as PTX: no device is needed.
pub fn ptx(fault: &str) -> Result<Code, CudaError> {
    let source = Source::new("faults.cu", include_str!("faults.cu"));
    let options = Options::new(80).define("FAULT", fault).with_output(Output::Ptx);
    Ok(Code::text(compile(&source, &options)?.ptx().unwrap()))
}

fn code(fault: &str) -> Code {
    ptx(fault).unwrap_or_else(|error| panic!("{error}"))
}

fn workload(text: &str) -> Workload {
    Workload::parse(Path::new("faults.toml"), text).unwrap()
}

fn sandbox() -> Sandbox {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["worker", "cuda"]);
    Sandbox::start(command, Limits::default()).unwrap()
}

fn begun() -> Sandbox {
    let mut sandbox = sandbox();
    let times = sandbox.begin(&workload(include_str!("faults.toml")), &code("RIGHT"), &[Set::Search]);
    times.unwrap().concat().iter().for_each(assert_right);
    sandbox
}

fn assert_right(result: &CaseResult) {
    assert!(result.error == 0.0 && (500.0..1e9).contains(&result.time_ns), "{result:?}");
}

fn run(sandbox: &mut Sandbox, code: &Code) -> RunOutcome {
    sandbox.run(code, Set::Search, EFFORT).unwrap()
}

/// What a run without times failed by.
type Expected = &'static [(Failure, &'static str)];

const WRONG: &str = "beside the buffer `y`";
const CRASH: &str = "CUDA_ERROR_ILLEGAL_ADDRESS";

/// What each fault is found as; where that depends on where buffers are, both.
const FAULTS: [(&str, Expected); 9] = [
    ("JUST_BEHIND", &[(Failure::Wrong, WRONG)]),
    ("JUST_BEFORE", &[(Failure::Wrong, WRONG), (Failure::Crash, CRASH)]),
    ("FAR_BEHIND", &[(Failure::Crash, CRASH)]),
    ("INTO_INPUT", &[(Failure::Wrong, "it changed the input `x`")]),
    ("ENDLESS", &[(Failure::Timeout, "it did not end within")]),
    ("TRAP", &[(Failure::Crash, "CUDA_ERROR_LAUNCH_FAILED")]),
    ("MISALIGNED", &[(Failure::Crash, "CUDA_ERROR_MISALIGNED_ADDRESS")]),
    ("TOO_FEW_THREADS", &[(Failure::Launch, "kernel `scale` cannot be launched")]),
    ("RIGHT_BUT_NOT_PTX", &[(Failure::Compile, "the driver does not load the PTX")]),
];

fn planted_faults_are_found_and_the_next_one_runs() {
    let mut sandbox = begun();
    for (fault, expected) in FAULTS {
        let code = match fault {
            "RIGHT_BUT_NOT_PTX" => Code::text(code("RIGHT").ptx.replace("ret", "return")),
            fault => code(fault),
        };
        let RunOutcome::Failed(failure, why) = run(&mut sandbox, &code) else { panic!("{fault}") };
        let is_expected = |(expected, text): &(Failure, &str)| failure == *expected && why.contains(text);
        assert!(expected.iter().any(is_expected), "{fault}: {failure:?}, {why}");
        ran(&mut sandbox, "SLOWER").iter().for_each(assert_right);
    }
    for (fault, error) in [
        ("WROTE_NOTHING", f64::INFINITY),
        ("HALF_WRITTEN", f64::INFINITY),
        ("NO_NUMBER", f64::INFINITY),
        ("INEXACT", 0.001),
    ] {
        let results = ran(&mut sandbox, fault);
        let found = results[0].error;
        assert!(found == error || (found - error).abs() < 1e-5, "{fault}: {results:?}");
    }
    println!("{:?}", sandbox.statistics());
}

/// The same, but threads end where loops do not, or where they would access what is no buffer's.
fn ending(fault: &str) -> Code {
    let module = Module::parse(&code(fault).ptx).unwrap();
    Code::text(module.with_deadline(50_000_000).with_bounds().to_string())
}

fn no_fault_costs_a_worker_where_threads_end_before_it() {
    const GLOBAL: &str = "it accesses global memory outside of its buffers";
    let mut sandbox = begun();
    let faults = [
        ("JUST_BEHIND", Failure::Crash, GLOBAL),
        ("JUST_BEFORE", Failure::Crash, GLOBAL),
        ("FAR_BEHIND", Failure::Crash, GLOBAL),
        ("INTO_INPUT", Failure::Wrong, "it changed the input `x`"),
        ("ENDLESS", Failure::Timeout, "its loops do not end in time"),
        ("TRAP", Failure::Crash, "it comes to a `trap`"),
        ("MISALIGNED", Failure::Crash, "it accesses an address that is no multiple of the access's size"),
    ];
    for (fault, expected, text) in faults {
        let RunOutcome::Failed(failure, why) = run(&mut sandbox, &ending(fault)) else { panic!("{fault}") };
        assert!(failure == expected && why.contains(text), "{fault}: {failure:?}, {why}");
    }
    for right in ["RIGHT", "SLOWER"] {
        match run(&mut sandbox, &ending(right)) {
            RunOutcome::Ran(results) => {
                results.iter().for_each(|result| assert!(result.error == 0.0, "{right}: {result:?}"))
            }
            RunOutcome::Failed(failure, why) => panic!("{right}: {failure:?}, {why}"),
        }
    }
    assert_eq!(sandbox.statistics().workers, 1);
}

fn ran(sandbox: &mut Sandbox, fault: &str) -> Vec<CaseResult> {
    match run(sandbox, &code(fault)) {
        RunOutcome::Ran(results) => results,
        RunOutcome::Failed(failure, why) => panic!("{fault}: {failure:?}, {why}"),
    }
}

fn a_right_candidate_has_a_time_and_no_error() {
    let mut sandbox = begun();
    let assembler = sandbox.architecture().and_then(Assembler::find);
    for set in [Set::Search, Set::Validation, Set::Test] {
        let (mut code, slower) = (code("RIGHT"), code("SLOWER"));
        code.images = assembler.iter().map(|assembler| assembler.assemble(&code.ptx).unwrap()).collect();
        let [right, slower] = [code, slower].map(|code| match sandbox.run(&code, set, EFFORT).unwrap() {
            RunOutcome::Ran(results) => results,
            RunOutcome::Failed(failure, why) => panic!("{failure:?}, {why}"),
        });
        right.iter().chain(&slower).for_each(assert_right);
        assert!(slower[0].time_ns > right[0].time_ns, "{right:?} {slower:?}");
    }
    assert_eq!(sandbox.statistics().workers, 1);
}

fn an_original_that_is_of_no_use_is_an_error() {
    let text = include_str!("faults.toml");
    let known = [
        ("ACCUMULATES", text.to_owned(), "`y` is not the same in two runs of it (error inf)"),
        ("JUST_BEHIND", text.to_owned(), "beside the buffer `y`"),
        (
            "RIGHT",
            text.replace("{ f32 = 0.5 }", "{ f64 = 0.5 }"),
            "argument 4 of `scale` has 4 bytes, and the workload gives 8",
        ),
        ("RIGHT", text.replace("kernel = \"sum\"", "kernel = \"add\""), "has no kernel `add`"),
    ];
    for (fault, text, expected) in known {
        let error = sandbox().begin(&workload(&text), &code(fault), &[Set::Search]).unwrap_err();
        assert!(error.0.contains(expected), "{fault}: {error}");
    }
}

fn a_loop_that_ends_by_a_flag_is_right_and_has_a_time() {
    let original = Code::text(include_str!("halve.ptx"));
    let patched = |from: &str, to: &str| Code::text(original.ptx.replace(from, to));
    let mut sandbox = sandbox();
    let workload = workload(include_str!("halve.toml"));
    sandbox.begin(&workload, &original, &[Set::Search]).unwrap().concat().iter().for_each(assert_right);
    for (from, to) in [("setp.le.u32 %p2, %r3, 1;", "setp.lt.u32 %p2, %r3, 2;"), ("%r5, 1;", "%r5, 7;")] {
        let RunOutcome::Ran(results) = run(&mut sandbox, &patched(from, to)) else { panic!("{to}") };
        results.iter().for_each(assert_right);
    }
    // It says never that it goes on, and all the time.
    for (from, to) in [("%r5, 1;", "%r5, 0;"), ("shr.u32 %r4, %r3, 1;", "mov.u32 %r4, %r3;")] {
        match run(&mut sandbox, &patched(from, to)) {
            RunOutcome::Ran(results) => assert!(results.iter().any(|result| result.error > 0.0), "{to}"),
            RunOutcome::Failed(failure, why) => assert_eq!(failure, Failure::Wrong, "{to}: {why}"),
        }
    }
}

/// Two rounds whose kernels have constants alone in common.
pub fn relax_apart() -> Workload {
    let (begin, others) = include_str!("relax.toml").split_once("[[buffer]]\nname = \"over\"").unwrap();
    let steps = &others[others.find("[[step]]").unwrap()..];
    workload(&[begin, &steps.replace("times = 30\nwhile = \"over\"\n", "times = 2\n")].concat())
}

fn variables_are_set_before_each_run_of_each_program_and_read_after_it() {
    let original = include_str!("relax.ptx");
    let bounded = |ptx: &str| {
        Code::text(Module::parse(ptx).unwrap().with_deadline(50_000_000).with_bounds().to_string())
    };
    let mut sandbox = sandbox();
    let assembler = sandbox.architecture().and_then(Assembler::find);
    let whole = workload(include_str!("relax.toml"));
    begin_right(&mut sandbox, &whole, original);
    let mut error = |from: &str, to: &str| {
        assert!(original.contains(from), "{from}");
        let ptx = original.replace(from, to);
        [Code::text(ptx.as_str()), bounded(&ptx)].map(|code| match run(&mut sandbox, &code) {
            RunOutcome::Ran(results) => results[0].error,
            RunOutcome::Failed(failure, why) => panic!("{to}: {failure:?}, {why}"),
        })
    };
    assert_eq!(error("[%rd5], 1;", "[%rd5], 1;"), [0.0; 2], "a pointer to a variable is within bounds");
    assert_eq!(error("[%rd5], 1;", "[%rd5], 2;"), [f64::INFINITY; 2], "the host reads what is counted");
    assert!(error("[ff_variable+4]", "[ff_variable+8]")[0] > 0.0, "the host has set them");
    assert!(error("[over]", "[above]")[0] > 0.0, "the host goes on by what a variable holds");
    // Constants are in each part of a program.
    let mut code = Code::text(original);
    sandbox.begin(&relax_apart(), &code, &[Set::Search]).unwrap();
    let module = Module::parse(original).unwrap();
    let parts = ["count", "relax"].map(|kernel| module.text_of(&[kernel]).unwrap());
    code.images =
        assembler.iter().flat_map(|own| parts.iter().map(|text| own.assemble(text).unwrap())).collect();
    let RunOutcome::Ran(results) = run(&mut sandbox, &code) else { panic!("both parts are there") };
    results.iter().for_each(assert_right);
}

fn pointers_point_to_where_buffers_are_in_each_run() {
    let original = include_str!("cells.ptx");
    let mut sandbox = sandbox();
    let cells = workload(include_str!("cells.toml"));
    begin_right(&mut sandbox, &cells, original);
    let bounded = Module::parse(original).unwrap().with_deadline(50_000_000).with_bounds();
    let mut error = |ptx: String| match run(&mut sandbox, &Code::text(ptx)) {
        RunOutcome::Ran(results) => results[0].error,
        RunOutcome::Failed(failure, why) => panic!("{failure:?}, {why}"),
    };
    assert_eq!(error(bounded.to_string()), 0.0);
    let (mul, other) = ("mul.f32 \t%f3, %f1, %f2;", "mul.f32 %f3, %f2, %f2;");
    assert!(original.contains(mul) && error(original.replace(mul, other)) > 0.0);
    let (label, changing) = ("$L__BB0_2:", "st.global.u64 [%rd8], %rd1;\n$L__BB0_2:");
    match run(&mut sandbox, &Code::text(original.replacen(label, changing, 1))) {
        RunOutcome::Failed(Failure::Wrong, why) => {
            assert!(why.contains("it changed the input `cells`"), "{why}")
        }
        other => panic!("{other:?}"),
    }
    let right = run(&mut sandbox, &Code::text(original));
    assert!(matches!(&right, RunOutcome::Ran(results) if results[0].error == 0.0), "{right:?}");
}

/// Begins with a program that is right for all inputs of the search.
fn begin_right(sandbox: &mut Sandbox, workload: &Workload, original: &str) {
    let times = sandbox.begin(workload, &Code::text(original), &[Set::Search]).unwrap();
    times.concat().iter().for_each(assert_right);
}

/// Returns the error of a program with another text in the place of one.
fn error_of_change(sandbox: &mut Sandbox, original: &str, (from, to): (&str, &str)) -> f64 {
    assert!(original.contains(from), "{from}");
    match run(sandbox, &Code::text(original.replace(from, to))) {
        RunOutcome::Ran(results) => results[0].error,
        RunOutcome::Failed(failure, why) => panic!("{to}: {failure:?}, {why}"),
    }
}

fn the_host_copies_and_clears_between_launches() {
    let original = include_str!("relax.ptx");
    let mut sandbox = sandbox();
    let changes = workload(include_str!("changes.toml"));
    begin_right(&mut sandbox, &changes, original);
    let mut error = |from, to| error_of_change(&mut sandbox, original, (from, to));
    assert_eq!(error("[%rd5], 1;", "[%rd5], 1;"), 0.0);
    assert_eq!(error("[%rd5], 1;", "[%rd5], 2;"), f64::INFINITY);
    assert!(error("[ff_variable+4]", "[ff_variable]") > 0.0);
}

fn structures_are_compared_member_by_member() {
    let original = include_str!("points.ptx");
    let mut sandbox = sandbox();
    let points = workload(include_str!("points.toml"));
    begin_right(&mut sandbox, &points, original);
    let mut error = |from, to| error_of_change(&mut sandbox, original, (from, to));
    let padding = "st.global.u8 [%rd9+32], %rs1; st.global.u32 [%rd9+36], %r4;";
    assert_eq!(error("st.global.u8 \t[%rd9+32], %rs1;", padding), 0.0, "it pads a structure");
    assert_eq!(
        error("st.global.u64 \t[%rd1+-8], %rd2;", ""),
        f64::INFINITY,
        "of integers any difference counts"
    );
    let larger = "mul.f32 %f1, %f1, 0f3F8147AE; st.global.f32 [%rd1], %f1;";
    let cost = error("st.global.f32 \t[%rd1], %f1;", larger);
    assert!((0.0099..0.0101).contains(&cost), "{cost}");
    let kernel = original.find("{").unwrap();
    let idle = Code::text(format!("{}{{ ret; }}\n", &original[..kernel]));
    let floors = sandbox.floors(&idle, Set::Search).unwrap();
    assert!(floors[0].ns > 0.0, "{floors:?}");
}

fn a_floor_counts_what_has_to_be_read_and_written_and_the_launches() {
    let text = include_str!("faults.toml");
    let (buffers, others) = text.split_once("[[buffer]]\nname = \"total\"").unwrap();
    let steps = &others[others.find("[[step]]").unwrap()..others.find("[[judge]]").unwrap()];
    let unused =
        buffers[buffers.find("[[buffer]]").unwrap()..].split_once("[[buffer]]\nname = \"y\"").unwrap().0;
    let unused = unused.replace("\"x\"", "\"unused\"");
    let cases = "[[search]]\nn = 30000000\n[[search]]\nn = 1000\n[[validation]]\nn = 7\n[[test]]\nn = 8\n";
    let mut sandbox = sandbox();
    // Of so many threads with one element each, launching takes longer than memory does.
    let steps = steps.replace("grid = [\"blocks\"]", "grid = [\"min(blocks, 1056)\"]");
    let workload = workload(&[buffers, &unused, &steps, cases].concat());
    let times = sandbox.begin(&workload, &code("SEVERAL_EACH"), &[Set::Search]).unwrap();
    let sizes = [8, 8, 8, 4, 4];
    let each = |(at, bytes): (usize, &usize)| format!(".param .align 8 .b8 p{at}[{bytes}]");
    let parameters: Vec<String> = sizes.iter().enumerate().map(each).collect();
    let idle = format!(
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry scale({}) {{ ret; }}\n",
        parameters.join(", ")
    );
    let floors = sandbox.floors(&Code::text(idle), Set::Search).unwrap();
    println!("{floors:?} of {times:?}");
    assert_ne!(floors[0].limit, "launching", "which memory limits it is a matter of the device");
    assert_eq!(floors[1].limit, "launching");
    for (floor, case) in floors.iter().zip(&times[0]) {
        assert!(floor.ns > 500.0 && floor.ns <= case.time_ns, "{floor}: {case:?}");
    }
    let reason = &floors[0].reason;
    assert!(reason.contains("; of `y` 30000000 elements are changed"), "{reason}");
    assert!(reason.contains("; of `x` at least 80 % are read, since 64 of 64 elements change"), "{reason}");
    assert!(!reason.contains("unused") && !reason.contains("partial"), "{reason}");
}

/// What is read and written in place has to be both; what is only there has to be neither.
fn a_floor_counts_elements_that_are_input_and_result_as_far_as_they_are_changed() {
    let original = include_str!("in_place.ptx");
    let mut sandbox = sandbox();
    let workload = workload(include_str!("in_place.toml"));
    let times = sandbox.begin(&workload, &Code::text(original), &[Set::Search]).unwrap();
    let (head, body) = original.split_once("{").unwrap();
    let idle = Code::text(format!("{head}{{ ret; }}"));
    assert!(!body.is_empty());
    let floor = &sandbox.floors(&idle, Set::Search).unwrap()[0];
    println!("{floor} of {times:?}");
    assert!(floor.ns > 500.0 && floor.ns <= times[0][0].time_ns, "{floor}");
    for part in ["; of `x` 20000000 elements are changed", "of `x` at least"] {
        assert!(floor.reason.contains(part), "{part}: {floor}");
    }
    let share = floor.reason.split("of `x` at least ").nth(1).unwrap().split(' ').next().unwrap();
    assert!(share.parse::<f64>().unwrap() < 50.0, "one half is left alone: {floor}");
}
