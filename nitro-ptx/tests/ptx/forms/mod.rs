//! Every form of the emulator's table: the assembler knows it, and it gives what the manual says.

mod case;
mod device;
mod float;
mod neighbours;
mod operands;
mod program;
mod reference;
mod threads;
mod video;

use std::collections::BTreeMap;

use self::case::{Case, cases};
use self::program::{Results, TARGETS, emulated, text};
use self::reference::{Expected, expected};
use crate::support::{assemble, ptxas};

/// Threads, each with operands of its own.
const THREADS: usize = 256;

/// What an instruction gave and should have given, for some operands.
fn differences(cases: &[Case], operands: &[[u64; 4]], results: &Results, on_device: bool) -> Vec<String> {
    let mut found = Vec::new();
    for (case, results) in cases.iter().zip(results) {
        let wrong = operands.iter().zip(results).find_map(|(x, &result)| {
            let expected = expected(case, *x);
            (!agrees(case, *x, expected, result, on_device)).then(|| {
                let of = case
                    .sources
                    .iter()
                    .zip(x)
                    .map(|(source, x)| format!("{:#x}", reference::cut(*x, source.width.max(1))));
                let of: Vec<String> = of.collect();
                format!("{} of {}: {result:#x?} and not {expected:x?}", case.text, of.join(" "))
                    .replace('\n', "")
            })
        });
        found.extend(wrong);
    }
    found
}

/// Returns whether a result is what is expected for these operands.
fn agrees(
    case: &Case,
    x: [u64; 4],
    expected: Expected,
    (first, second): (u64, u64),
    on_device: bool,
) -> bool {
    match expected {
        Expected::Open => true,
        Expected::Exactly(one, other) => one == first && (!case.is_pair || other == second),
        Expected::Nan(format) => format.is_nan(first),
        Expected::About(value, format) => {
            let of = format.to_f64(reference::cut(x[0], format.bits()));
            let (relative, absolute) = tolerance(case, of, on_device);
            let found = format.to_f64(first);
            let nearest = format.to_f64(float::Format::F64.convert(
                value.to_bits(),
                format,
                float::Round::NearestTiesToEven,
            ));
            found == nearest || (found - value).abs() <= (value.abs() * relative).max(absolute)
        }
    }
}

/// How far an approximation may be from the value: relative to it, and at all. A device's is of the manual, which says
/// less of sines the more turns the operand `of` has.
fn tolerance(case: &Case, of: f64, on_device: bool) -> (f64, f64) {
    let bits = |bits: i32| 2_f64.powi(-bits);
    let smallest = match case.kind() {
        "f16" => bits(24),
        "bf16" => bits(133),
        _ => bits(149),
    };
    match (case.name.as_str(), case.kind()) {
        (_, "f64") if on_device => (bits(20), 0.0),
        ("tanh", "f16") if on_device => (bits(10), smallest),
        (_, "f16") if on_device => (bits(9), smallest),
        (_, "bf16") if on_device => (bits(7), smallest),
        ("sin" | "cos", _) if on_device && of.abs() <= std::f64::consts::TAU => (0.0, 2_f64.powf(-20.5)),
        ("sin" | "cos", _) if on_device => (0.0, 2_f64.powf(-14.7)),
        ("lg2", _) if on_device => (bits(21), bits(21)),
        ("tanh", _) if on_device => (bits(10), smallest),
        (_, "f32") if on_device => (bits(21), smallest),
        (_, "f64") if case.has("ftz") => (bits(19), 0.0),
        (_, "f64") => (bits(51), 0.0),
        (_, "f16") => (bits(10), smallest),
        (_, "bf16") => (bits(7), smallest),
        _ => (bits(23), smallest),
    }
}

/// The cases by what their operands are drawn for.
fn groups() -> BTreeMap<String, Vec<Case>> {
    let mut groups = BTreeMap::<_, Vec<_>>::new();
    for case in cases() {
        groups.entry(operands::group(&case)).or_default().push(case);
    }
    groups
}

#[test]
fn every_form_gives_what_the_manual_says() {
    let mut found = Vec::new();
    let mut tried = 0;
    for (group, cases) in groups() {
        let operands = operands::drawn(&group, 1, THREADS);
        let results = emulated(&cases, &operands);
        assert_eq!(results.len(), cases.len());
        tried += cases.len();
        found.extend(differences(&cases, &operands, &results, false));
    }
    assert!(found.is_empty(), "{} of {tried}:\n{}", found.len(), found.join("\n"));
    assert!(tried > 5000, "{tried}");
}

/// What the assembler does not take is no form.
#[test]
fn every_form_is_one_of_the_assembler() {
    let Some(ptxas) = ptxas() else { return };
    for target in TARGETS {
        let cases: Vec<Case> = cases().into_iter().filter(|case| program::target(case) == target).collect();
        assert!(cases.len() > 50, "{target}: {}", cases.len());
        let refused = assemble(&ptxas, &text(&cases, target, THREADS)).err().unwrap_or_default();
        assert!(refused.is_empty(), "{target}: {}", program::by_line(&refused, &cases, target, THREADS));
    }
}
