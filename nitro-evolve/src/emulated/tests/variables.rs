//! Variables of the module that a host sets and reads.

use std::sync::Arc;

use nitro_ptx::emulate::Options;

use super::{EmulatorRunner, small_inputs, subject};
use crate::check::Check;
use crate::deadline::Deadline;
use crate::effort::Effort;
use crate::emulated::case::{self, RunResult};
use crate::runner::{Code, RunOutcome, Runner};
use crate::workload::Inputs;
use crate::{Set, Workload};

/// Values go towards those that the host has set, round by round, and are counted where they are larger.
const RELAX: &str = include_str!("../../../tests/sandbox/relax.ptx");
const RELAX_RUN: &str = include_str!("../../../tests/sandbox/relax.toml");

/// Two rounds, whatever `over` says.
fn two_rounds() -> String {
    RELAX_RUN.replace("times = 30\nwhile = \"over\"\n", "times = 2\n")
}

fn inputs(workload: &Workload) -> Inputs {
    workload.inputs(Set::Search, 0).unwrap()
}

fn run(ptx: &str, workload: &str) -> (Inputs, RunResult) {
    let subject = subject(RELAX, workload);
    let emulator = Arc::new(case::emulator(ptx, &["relax", "count"]).unwrap());
    let inputs = inputs(subject.workload());
    let result = case::run(&emulator, &emulator, &inputs, Options::default());
    (inputs, result.unwrap_or_else(|fault| panic!("{fault}")))
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
}

/// Returns what is left of the values after so many rounds at most, and how many densities are larger.
fn expected(inputs: &Inputs, most: usize) -> (Vec<f32>, i32) {
    let (mut values, far) = (floats(&inputs.buffers[0].bytes), floats(&inputs.buffers[1].bytes));
    let cells = values.len() / far.len();
    for _ in 0..most {
        let mut is_over = false;
        for (at, value) in values.iter_mut().enumerate() {
            let far = far[at / cells];
            *value = (far - *value).mul_add(0.5, *value);
            is_over |= at % cells == 0 && (*value - far).abs() > 0.01;
        }
        if !is_over {
            break;
        }
    }
    let above = values[..cells].iter().filter(|value| **value > far[0]).count();
    (values, above as i32)
}

#[test]
fn kernels_find_what_the_host_has_set_and_the_host_what_they_have_left() {
    let (inputs, found) = run(RELAX, RELAX_RUN);
    let (values, above) = expected(&inputs, 30);
    assert_eq!(floats(&found.buffers[0]), values);
    assert!(above > 0);
    assert_eq!(found.buffers[3], above.to_le_bytes());
    let (_, two) = run(RELAX, &two_rounds());
    assert!(two.instructions < found.instructions, "the host goes on by what a variable holds");
}

#[test]
fn candidates_are_held_against_what_the_original_leaves_in_variables() {
    let mut runner = EmulatorRunner::new();
    let workload = subject(RELAX, RELAX_RUN).workload().clone();
    runner.begin(&workload, &Code::text(RELAX), &[Set::Search]).unwrap();
    let mut error = |from: &str, to: &str| {
        assert!(RELAX.contains(from), "{from}");
        let candidate = Code::text(RELAX.replace(from, to));
        match runner.run(&candidate, Set::Search, Effort::new(1, 1)).unwrap() {
            RunOutcome::Ran(results) => Ok(results[0].error),
            RunOutcome::Failed(_, why) => Err(why),
        }
    };
    assert_eq!(error("mov.u64 \t%rd5, above;", "mov.u64 %rd5, above; mov.u64 %rd5, %rd5;"), Ok(0.0));
    assert_eq!(
        error("[%rd5], 1;", "[%rd5], 2;"),
        Ok(f64::INFINITY),
        "of integers any difference is one too much"
    );
    assert!(error("[ff_variable+4]", "[ff_variable+8]").unwrap() > 0.0);
    let beyond = error("[ff_variable+16]", "[ff_variable+20]").unwrap_err();
    assert!(beyond.contains("touches 4 bytes"), "{beyond}");
    let written = error("st.global.f32 \t[%rd2], %f2;", "mov.u64 %rd3, ff_variable; st.f32 [%rd3], %f2;");
    assert!(written.unwrap_err().contains("touches 4 bytes"), "a constant is not written");
}

#[test]
fn what_the_host_has_set_is_data_of_which_a_proof_knows_nothing() {
    let prove = |from: &str, to: &str| {
        assert!(RELAX.contains(from), "{from}");
        let check = small_inputs(&subject(RELAX, &two_rounds()));
        check.prove(&RELAX.replace(from, to), RELAX, Deadline::NEVER).unwrap().to_string()
    };
    let turned =
        prove("fma.rn.f32 \t%f2, %f12, 0f3F000000, %f11;", "fma.rn.f32 %f2, 0f3F000000, %f12, %f11;");
    assert_eq!(turned, "proved for all data at all sizes");
    // Another way to the same element.
    let moved = "mov.u64 %rd6, ff_variable; ld.const.f32 %f3, [%rd6+4]; add.s64 %rd6, %rd2, %rd5;";
    let said = prove("ld.const.f32 \t%f3, [ff_variable+4];", moved);
    assert!(said.starts_with("proved for all "), "{said}");
    let said = prove("ld.const.f32 \t%f3, [ff_variable+4];", "ld.const.f32 %f3, [ff_variable+8];");
    assert!(!said.starts_with("proved"), "{said}");
}

#[test]
fn a_count_that_the_host_reads_is_a_result_of_the_proof() {
    let check = small_inputs(&subject(RELAX, &two_rounds()));
    let twice = RELAX.replace("[%rd5], 1;", "[%rd5], 2;");
    let said = check.prove(&twice, RELAX, Deadline::NEVER).unwrap().to_string();
    assert!(!said.starts_with("proved"), "{said}");
}
