//! That the workloads fit the kernels.

use std::collections::BTreeSet;

use nitro_evolve::Set;
use nitro_evolve::workload::{Argument, Launch};
use nitro_evolve_subjects::{ours, subjects};
use nitro_ptx::{Base, Module};

use crate::case::{Case, workload};
use crate::{all, ptx};

const SETS: [Set; 3] = [Set::Search, Set::Validation, Set::Test];
/// Of the buffers of one input: uploading them is no great part of trying a candidate.
const MOST_BYTES: usize = 256 << 20;
const MOST_LAUNCHES: usize = 5_000;

fn given(launch: &Launch) -> Vec<usize> {
    launch.arguments.iter().map(Argument::size_bytes).collect()
}

#[test]
fn every_launch_gives_a_kernel_what_it_takes() {
    for subject in all() {
        let Some(ptx) = ptx(subject) else { return };
        let module = Module::parse(&ptx).unwrap();
        let workload = workload(subject);
        // Inputs differ in numbers alone, so that those of the search tell of all.
        let cases =
            (0..workload.cases(Set::Search)).map(|number| workload.inputs(Set::Search, number).unwrap());
        let mut launched = BTreeSet::new();
        for inputs in cases {
            for launch in inputs.launches.iter().chain(&inputs.judge) {
                let taken = module.parameter_bytes(&launch.kernel);
                assert_eq!(taken, Some(given(launch)), "{}: {}", subject.name, launch.kernel);
                launched.insert(launch.kernel.clone());
            }
        }
        if ours().contains(subject) {
            continue; // other kernels of the text are other variants
        }
        let kernels = module.functions().map(str::to_owned).collect();
        assert_eq!(launched, kernels, "{}: every kernel is run", subject.name);
    }
}

#[test]
fn inputs_are_bounded_and_no_two_sets_share_one() {
    for subject in all() {
        let workload = workload(subject);
        let mut names = BTreeSet::new();
        for set in SETS {
            for number in 0..workload.cases(set) {
                let case = Case::new(subject, &workload, set, number);
                let bytes: usize = case.inputs.buffers.iter().map(|buffer| buffer.bytes.len()).sum();
                assert!(bytes <= MOST_BYTES, "{}: {bytes} bytes", case.name);
                assert!(case.inputs.launches.len() <= MOST_LAUNCHES, "{}", case.name);
                assert!(names.insert(case.name.clone()), "{} is twice there", case.name);
            }
        }
        assert!((2..=4).contains(&workload.cases(Set::Search)), "{}", subject.name);
        assert!(workload.cases(Set::Test) >= 3, "{}", subject.name);
    }
}

/// Of an instruction that nobody knows, or a body that is too large, nothing would be edited.
#[test]
fn every_kernel_that_counts_takes_edits() {
    for subject in all() {
        let Some(ptx) = ptx(subject) else { return };
        for kernel in workload(subject).kernels() {
            let base = Base::new(Module::parse(&ptx).unwrap()).editing(&[kernel]);
            let edits = (0..10).filter_map(|seed| base.mutate(&[], seed)).count();
            assert_eq!(edits, 10, "{}: {kernel}", subject.name);
        }
    }
}

#[test]
fn files_are_written_as_train_evolve_takes_them() {
    let subject = subjects()[0];
    let Some(ptx) = ptx(&subject) else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("new");
    subject.write(&folder, 90).unwrap();
    assert_eq!(std::fs::read_to_string(folder.join("backprop.ptx")).unwrap(), ptx);
    assert!(nitro_evolve::Workload::read(&folder.join("backprop.toml")).is_ok());
}
