//! The same on a GPU, beside the emulator:
//! `cargo test --release -p nitro-variants-ptx --test ptx device -- --ignored --nocapture`.

use std::collections::BTreeMap;

use nitro_cuda::{Buffer, Grid, Image, Module, device};

use super::case::Case;
use super::program::{BLOCK, CASES, Results, TARGETS, emulated, packed, target, text, unpacked};
use super::reference::{Expected, expected};
use super::{differences, groups, operands, threads};

/// Threads, each with operands of its own.
const THREADS: usize = 8 * BLOCK;

/// What a GPU gives.
fn measured(cases: &[Case], operands: &[[u64; 4]]) -> Results {
    let device = device(0).unwrap();
    let module =
        Module::load(device, &Image::from_ptx("forms.ptx", &text(cases, TARGETS[0], operands.len())))
            .unwrap();
    let input = Buffer::from_slice(&packed(operands)).unwrap();
    let mut results = Vec::new();
    for (kernel, cases) in cases.chunks(CASES).enumerate() {
        let mut output = Buffer::<u8>::zeroed(cases.len() * operands.len() * 16).unwrap();
        let kernel = module.kernel(&format!("k{kernel}")).unwrap();
        let grid = Grid::linear((operands.len() / BLOCK) as u32, BLOCK as u32);
        // SAFETY: the kernel takes two pointers, and each thread writes two words for each case.
        unsafe { kernel.launch(grid, &[(&input).into(), (&mut output).into()]) }.unwrap();
        results.extend(unpacked(&output.to_vec().unwrap(), operands.len()));
    }
    results
}

/// Counts results, and those that differ, by what they are of.
#[derive(Default)]
struct Row {
    forms: usize,
    results: usize,
    /// Of the device from the manual, of the emulator from the manual, of both from each other.
    differ: [usize; 3],
    /// The first difference of each form that has one.
    first: Vec<String>,
}

#[test]
#[ignore = "needs a CUDA device"]
fn device_and_emulator_give_the_same() {
    let mut rows = BTreeMap::<String, Row>::new();
    for (group, cases) in groups() {
        let cases: Vec<Case> = cases.into_iter().filter(|case| target(case) == TARGETS[0]).collect();
        let operands = operands::drawn(&group, 2, THREADS);
        let (of_device, of_emulator) = (measured(&cases, &operands), emulated(&cases, &operands));
        for (at, case) in cases.iter().enumerate() {
            let row = rows.entry(case.name.clone()).or_default();
            row.forms += 1;
            row.results += operands.len();
            let one = std::slice::from_ref(case);
            let of = |results: &Results, on_device| {
                differences(one, &operands, &vec![results[at].clone()], on_device)
            };
            let found = [
                of(&of_device, true).into_iter().next().map(|text| format!("device: {text}")),
                of(&of_emulator, false).into_iter().next().map(|text| format!("emulator: {text}")),
                apart(case, &operands, &of_device[at], &of_emulator[at]).map(|text| format!("apart: {text}")),
            ];
            for (count, difference) in row.differ.iter_mut().zip(&found) {
                *count += usize::from(difference.is_some());
            }
            row.first.extend(found.into_iter().flatten().next());
        }
    }
    println!(
        "{:12}{:>8}{:>12}{:>10}{:>10}{:>10}",
        "opcode", "forms", "results", "device", "emulator", "apart"
    );
    for (name, Row { forms, results, differ: [a, b, c], .. }) in &rows {
        println!("{name:12}{forms:>8}{results:>12}{a:>10}{b:>10}{c:>10}");
    }
    rows.values().flat_map(|row| &row.first).for_each(|text| println!("{text}"));
    let differ: usize = rows.values().map(|row| row.first.len()).sum();
    let forms: usize = rows.values().map(|row| row.forms).sum();
    println!("{differ} of {forms} forms differ");
    assert_eq!(differ, 0, "forms that differ");
}

#[test]
#[ignore = "needs a CUDA device"]
fn device_and_emulator_give_the_same_of_memory_and_of_threads() {
    let device = device(0).unwrap();
    let (steps, operands) = (threads::steps(), threads::drawn(6));
    let mut found = Vec::new();
    for steps in steps.chunks(threads::STEPS) {
        let module = Module::load(device, &Image::from_ptx("threads.ptx", &threads::text(steps))).unwrap();
        let input = Buffer::from_slice(&packed(&operands)).unwrap();
        let mut slots = Buffer::<u8>::zeroed(threads::THREADS * 32).unwrap();
        let mut output = Buffer::<u8>::zeroed(steps.len() * threads::THREADS * threads::WORDS * 8).unwrap();
        let grid = Grid::linear(1, threads::THREADS as u32);
        let arguments = [(&input).into(), (&mut slots).into(), (&mut output).into()];
        // SAFETY: the kernel takes three pointers, and each thread writes its words for each step.
        unsafe { module.kernel("k").unwrap().launch(grid, &arguments) }.unwrap();
        let results = threads::words(&output.to_vec().unwrap());
        found.extend(threads::differences(steps, &operands, &results));
        let emulated = threads::differences(steps, &operands, &threads::emulated(steps, &operands));
        found.extend(emulated.into_iter().map(|text| format!("emulator: {text}")));
    }
    println!("{} instructions of memory and of threads, {} differ", steps.len(), found.len());
    found.iter().for_each(|text| println!("{text}"));
    assert!(found.is_empty(), "some differ");
}

/// Where the two give different bits for what is neither approximate nor left open.
///
/// Any NaN is as good as another: the manual keeps payloads of 64 bits without saying whose and with which sign, and
/// leaves all other ones unspecified.
fn apart(case: &Case, operands: &[[u64; 4]], one: &[(u64, u64)], other: &[(u64, u64)]) -> Option<String> {
    operands.iter().zip(one.iter().zip(other)).find_map(|(x, (&one, &other))| {
        let is_same = match expected(case, *x) {
            Expected::About(..) => true,
            Expected::Nan(format) => format.is_nan(one.0) && format.is_nan(other.0),
            Expected::Open => case.has("approx") || case.name == "div" || case.name == "rem" || one == other,
            Expected::Exactly(..) => one.0 == other.0 && (!case.is_pair || one.1 == other.1),
        };
        (!is_same)
            .then(|| format!("{} of {x:x?}: {one:x?} on the device, {other:x?} in the emulator", case.text))
    })
}
