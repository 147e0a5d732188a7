//! Buffers of structures with members of several types.

use std::sync::Arc;

use nitro_ptx::emulate::Options;

use super::{EmulatorRunner, small_inputs, subject};
use crate::Set;
use crate::check::Check;
use crate::deadline::Deadline;
use crate::effort::Effort;
use crate::emulated::case;
use crate::runner::{Code, RunOutcome, Runner};

/// Points with a weight, a center, its cost, a place and whether they were moved.
const POINTS: &str = include_str!("../../../tests/sandbox/points.ptx");
const POINTS_RUN: &str = include_str!("../../../tests/sandbox/points.toml");

/// The text with something else in the place of a part of it.
fn patched(from: &str, to: &str) -> String {
    assert_eq!(POINTS.matches(from).count(), 1, "{from}");
    POINTS.replace(from, to)
}

/// A store to the bytes behind the last member.
const TO_PADDING: [&str; 2] =
    ["st.global.u8 \t[%rd9+32], %rs1;", "st.global.u8 [%rd9+32], %rs1; st.global.u32 [%rd9+36], %r4;"];

fn float(bytes: &[u8], at: usize) -> f32 {
    f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

#[test]
fn members_are_where_c_has_them() {
    let subject = subject(POINTS, POINTS_RUN);
    let emulator = Arc::new(case::emulator(POINTS, &["assign"]).unwrap());
    let inputs = subject.workload().inputs(Set::Search, 0).unwrap();
    let found = case::run(&emulator, &emulator, &inputs, Options::default()).unwrap();
    let points: Vec<&[u8]> = inputs.buffers[0].bytes.chunks(40).collect();
    let (candidate, mut moved) = (points.len() / 2, 0);
    for (before, after) in points.iter().zip(found.buffers[0].chunks(40)) {
        let difference = |d: usize| float(before, 20 + 4 * d) - float(points[candidate], 20 + 4 * d);
        let distance = (0..3).fold(0.0, |sum, d| difference(d).mul_add(difference(d), sum));
        let cost = distance * float(before, 0);
        let is_moved = cost < float(before, 16);
        let center = i64::from_le_bytes(after[8..16].try_into().unwrap());
        assert_eq!((after[32], center == candidate as i64), (is_moved.into(), is_moved));
        assert_eq!(float(after, 16), if is_moved { cost } else { float(before, 16) });
        moved += usize::from(is_moved);
    }
    assert!((10..190).contains(&moved), "{moved}");
}

#[test]
fn candidates_are_held_against_each_member_and_what_pads_them_counts_for_nothing() {
    let mut runner = EmulatorRunner::new();
    runner.begin(subject(POINTS, POINTS_RUN).workload(), &Code::text(POINTS), &[Set::Search]).unwrap();
    let mut error = |[from, to]: [&str; 2]| {
        let candidate = Code::text(patched(from, to));
        match runner.run(&candidate, Set::Search, Effort::new(1, 1)).unwrap() {
            RunOutcome::Ran(results) => results[0].error,
            RunOutcome::Failed(_, why) => panic!("{why}"),
        }
    };
    assert_eq!(error(TO_PADDING), 0.0);
    assert_eq!(
        error(["st.global.u64 \t[%rd1+-8], %rd2;", ""]),
        f64::INFINITY,
        "of integers any difference counts"
    );
    let cost =
        error(["st.global.f32 \t[%rd1], %f1;", "mul.f32 %f1, %f1, 0f3F8147AE; st.global.f32 [%rd1], %f1;"]);
    assert!((0.0099..0.0101).contains(&cost), "{cost}");
}

#[test]
fn members_are_proved_one_by_one() {
    let check = small_inputs(&subject(POINTS, POINTS_RUN));
    let prove =
        |from: &str, to: &str| check.prove(&patched(from, to), POINTS, Deadline::NEVER).unwrap().to_string();
    let said = prove(TO_PADDING[0], TO_PADDING[1]);
    assert!(said.starts_with("proved for all floats with the branches and addresses"), "{said}");
    // A number that another one takes the place of, though inputs hide it.
    let said = prove("ld.global.f32 \t%f18, [%rd1];", "ld.global.f32 %f18, [%rd1]; min.f32 %f1, %f1, %f18;");
    assert!(said.contains(" of `points.cost` is not the same term"), "{said}");
}
