//! Buffers that hold addresses of others.

use std::sync::Arc;

use nitro_ptx::emulate::Options;

use super::{EmulatorRunner, small_inputs, subject};
use crate::Set;
use crate::check::Check;
use crate::deadline::Deadline;
use crate::effort::Effort;
use crate::emulated::case;
use crate::runner::{Code, RunOutcome, Runner};

/// Each block takes its cell out of a frame, to which a constant points.
const CELLS: &str = include_str!("../../../tests/sandbox/cells.ptx");
const CELLS_RUN: &str = include_str!("../../../tests/sandbox/cells.toml");

/// The text with something else in the place of a part of it.
fn patched(from: &str, to: &str) -> String {
    assert!(CELLS.contains(from), "{from}");
    CELLS.replace(from, to)
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
}

#[test]
fn kernels_follow_pointers_in_buffers_and_constants() {
    let workload = subject(CELLS, CELLS_RUN).workload().clone();
    let emulator = Arc::new(case::emulator(CELLS, &["take"]).unwrap());
    for set in [Set::Search, Set::Validation] {
        let inputs = workload.inputs(set, 0).unwrap();
        let found = case::run(&emulator, &emulator, &inputs, Options::default()).unwrap();
        let size = |name: &str| workload.number(set, 0, name).unwrap() as usize;
        let (side, columns) = (size("side"), size("columns"));
        let scale = floats(&inputs.buffers[1].bytes)[3];
        let pixels = floats(&inputs.buffers[2].bytes);
        let mut expected = Vec::new();
        for &begin in inputs.buffers[3].bytes.as_chunks().0 {
            let begin = u32::from_le_bytes(begin) as usize;
            let cell = (0..side * side).map(|i| scale * pixels[begin + i / side * columns + i % side]);
            expected.extend(cell);
        }
        assert_eq!(floats(&found.buffers[4]), expected);
    }
}

#[test]
fn pointers_are_no_data_and_may_not_be_changed() {
    let mut runner = EmulatorRunner::new();
    runner.begin(subject(CELLS, CELLS_RUN).workload(), &Code::text(CELLS), &[Set::Search]).unwrap();
    let changed = patched("$L__BB0_2:", "st.global.u64 [%rd8], %rd1;\n$L__BB0_2:");
    match runner.run(&Code::text(changed), Set::Search, Effort::new(1, 1)).unwrap() {
        RunOutcome::Ran(results) => assert_eq!(results[0].error, f64::INFINITY, "it is an input"),
        RunOutcome::Failed(_, why) => panic!("{why}"),
    }
    let check = small_inputs(&subject(CELLS, CELLS_RUN));
    let prove =
        |from: &str, to: &str| check.prove(&patched(from, to), CELLS, Deadline::NEVER).unwrap().to_string();
    let remainder = "mul.lo.s32 \t%r15, %r12, %r7;\n\tsub.s32 \t%r16, %r18, %r15;";
    let said = prove(remainder, "rem.s32 %r16, %r18, %r7;");
    assert!(said.starts_with("proved for all floats, with the integers that were drawn, at "), "{said}");
    let said = prove("mul.f32 \t%f3, %f1, %f2;", "mul.f32 %f3, %f2, %f2;");
    assert!(!said.starts_with("proved"), "{said}");
}
