//! Loops of the host that end by a flag.

use std::sync::Arc;

use nitro_ptx::emulate::Options;

use super::{small_inputs, subject};
use crate::Set;
use crate::check::Check;
use crate::deadline::Deadline;
use crate::emulated::case::{self, RunResult};

/// Halves what is more than 1; the first thread says whether it has.
const HALVE: &str = include_str!("../../../tests/sandbox/halve.ptx");

/// Up to 40 rounds; 8 is 1 after three, and the fourth says so.
const HALVE_RUN: &str = include_str!("../../../tests/sandbox/halve.toml");

fn run(ptx: &str, workload: &str) -> RunResult {
    let subject = subject(HALVE, workload);
    let emulator = Arc::new(case::emulator(ptx, &["halve"]).unwrap());
    let inputs = subject.workload().inputs(Set::Search, 0).unwrap();
    case::run(&emulator, &emulator, &inputs, Options::default()).unwrap()
}

#[test]
fn a_loop_ends_after_the_round_that_leaves_its_flag_at_0() {
    let found = run(HALVE, HALVE_RUN);
    let four = run(HALVE, &HALVE_RUN.replace("times = 40\nwhile = \"over\"", "times = 4"));
    assert_eq!((found.instructions, &found.buffers), (four.instructions, &four.buffers));
    assert!(found.buffers[0].as_chunks().0.iter().all(|&value| i32::from_le_bytes(value) <= 1));
    let two = run(HALVE, &HALVE_RUN.replace("times = 40", "times = 2"));
    assert!(two.instructions < four.instructions, "there are no more rounds than `times` says");
}

#[test]
fn a_candidate_that_always_sets_the_flag_ends_too() {
    let setp = "setp.le.u32 %p2, %r3, 1;";
    let endless =
        run(&HALVE.replace(setp, "setp.eq.u32 %p2, %r3, 0;").replace("shr.u32", "max.u32"), HALVE_RUN);
    let forty = run(HALVE, &HALVE_RUN.replace("while = \"over\"\n", ""));
    assert!(
        endless.instructions > forty.instructions,
        "{} rounds of 40 are all of them",
        endless.instructions
    );
}

#[test]
fn a_flag_that_depends_on_integers_alone_does_not_stand_in_the_way_of_a_proof() {
    let prove = |from: &str, to: &str| {
        assert_eq!(HALVE.matches(from).count(), 1, "{from}");
        let check = small_inputs(&subject(HALVE, HALVE_RUN));
        check.prove(&HALVE.replace(from, to), HALVE, Deadline::NEVER).unwrap().to_string()
    };
    let said = prove("setp.le.u32 %p2, %r3, 1;", "setp.lt.u32 %p2, %r3, 2;");
    assert!(said.starts_with("proved for all floats, with the integers that were drawn, at "), "{said}");
    let said = prove("shr.u32 %r4, %r3, 1;", "shr.u32 %r4, %r3, 2;");
    assert!(said.starts_with("by chance of the inputs that were tried"), "{said}");
}

#[test]
fn whether_a_loop_ends_may_not_depend_on_floats_in_a_proof() {
    // The flag is what was in memory, and no constant.
    let stored = "st.global.u32 [%rd2], %r5;";
    let original = HALVE.replace(stored, "st.global.u32 [%rd2], %r3;");
    let patched = original.replace("mov.u32 %r5, 1;", "add.u32 %r5, %r3, 1; sub.u32 %r3, %r5, 1;");
    let run = HALVE_RUN.replacen("type = \"i32\"", "type = \"f32\"", 1);
    let check = small_inputs(&subject(&original, &run));
    let said = check.prove(&patched, &original, Deadline::NEVER).unwrap().to_string();
    assert!(said.contains("whether the loop of `over` ends depends on data"), "{said}");
}
