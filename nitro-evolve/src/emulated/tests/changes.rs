//! What the host copies and clears between launches.

use std::sync::Arc;

use nitro_ptx::emulate::Options;

use super::{small_inputs, subject};
use crate::Set;
use crate::check::Check;
use crate::deadline::Deadline;
use crate::emulated::case;

const RELAX: &str = include_str!("../../../tests/sandbox/relax.ptx");
/// Two rounds, before each of which the host sets the constant.
const CHANGES: &str = include_str!("../../../tests/sandbox/changes.toml");

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
}

#[test]
fn launches_find_what_the_host_has_copied_before() {
    let subject = subject(RELAX, CHANGES);
    let emulator = Arc::new(case::emulator(RELAX, &["relax", "count"]).unwrap());
    let inputs = subject.workload().inputs(Set::Search, 0).unwrap();
    let found = case::run(&emulator, &emulator, &inputs, Options::default()).unwrap();
    let all = floats(&inputs.buffers[1].bytes);
    let mut values = vec![floats(&inputs.buffers[0].bytes)];
    for round in 0..2 {
        let towards = |(at, value): (usize, &f32)| (all[5 * round + at / 200] - value).mul_add(0.5, *value);
        values.push(values[round].iter().enumerate().map(towards).collect());
    }
    assert_eq!(floats(&found.buffers[0]), values[2]);
    assert_eq!(floats(&found.buffers[4]), values[1], "it was kept after the first round");
    let above = values[1][..200].iter().filter(|value| **value > all[5]).count() as i32;
    assert_eq!(found.buffers[3], above.to_le_bytes(), "nothing is left of what it was");
}

#[test]
fn what_the_host_copies_is_the_same_data_in_a_proof() {
    let check = small_inputs(&subject(RELAX, CHANGES));
    let prove = |from: &str, to: &str| {
        assert!(RELAX.contains(from), "{from}");
        check.prove(&RELAX.replace(from, to), RELAX, Deadline::NEVER).unwrap().to_string()
    };
    let load = "ld.const.f32 \t%f3, [ff_variable+4];";
    let said =
        prove(load, "mov.u64 %rd6, ff_variable; ld.const.f32 %f3, [%rd6+4]; add.s64 %rd6, %rd2, %rd5;");
    assert!(said.starts_with("proved for all floats"), "{said}");
    let said = prove(load, "ld.const.f32 %f3, [ff_variable];");
    assert!(said.starts_with("by chance of the inputs that were tried"), "{said}");
}
