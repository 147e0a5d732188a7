//! What is next to a form: it is refused, or a form itself that the assembler knows.

use nitro_ptx::Module;
use nitro_ptx::emulate::Emulator;
use nitro_test_support::random::Random;

use super::case::{Case, cases};
use crate::support::{assemble, ptxas};

/// Modifiers that some opcode has.
const MODIFIERS: [&str; 44] = [
    "rn",
    "rz",
    "rm",
    "rp",
    "rni",
    "rzi",
    "rna",
    "ftz",
    "sat",
    "satfinite",
    "relu",
    "NaN",
    "xorsign",
    "abs",
    "approx",
    "full",
    "cc",
    "lo",
    "hi",
    "wide",
    "clamp",
    "wrap",
    "shiftamt",
    "and",
    "or",
    "xor",
    "eq",
    "ltu",
    "num",
    "oob",
    "noftz",
    "po",
    "shr7",
    "f4e",
    "rc16",
    "add",
    "min",
    "u32",
    "s32",
    "b32",
    "f32",
    "f16",
    "f64",
    "pack",
];

/// Registers that further operands may be.
const OPERANDS: [&str; 6] = ["%r0", "%h0", "%d0", "%p0", "1", "0f3F800000"];

/// Instructions that differ from a case by one modifier or one operand.
fn neighbours(case: &Case, random: &mut Random) -> Vec<String> {
    let (opcode, operands) = case.text.trim_end_matches(';').split_once(' ').unwrap();
    let mut parts: Vec<&str> = opcode.split('.').collect();
    let mut found = Vec::new();
    let modifier = MODIFIERS[random.below(MODIFIERS.len() as u64) as usize];
    let place = 1 + random.below(parts.len() as u64) as usize;
    parts.insert(place, modifier);
    found.push(format!("{} {operands};", parts.join(".")));
    parts.remove(place);
    if parts.len() > 1 {
        let place = 1 + random.below(parts.len() as u64 - 1) as usize;
        let left_out = parts.remove(place);
        found.push(format!("{} {operands};", parts.join(".")));
        parts.insert(place, modifier);
        found.push(format!("{} {operands};", parts.join(".")));
        parts[place] = left_out;
    }
    let more = OPERANDS[random.below(OPERANDS.len() as u64) as usize];
    found.push(format!("{opcode} {operands}, {more};"));
    found.push(format!("{opcode} {};", operands.rsplit_once(", ").map_or("", |(fewer, _)| fewer)));
    // Another kind of operand in one place.
    let mut each: Vec<&str> = operands.split(", ").collect();
    let place = random.below(each.len() as u64) as usize;
    each[place] = more;
    found.push(format!("{opcode} {};", each.join(", ")));
    found
}

/// A kernel of these instructions, one a line from the fifth on.
fn kernel(instructions: &[&str], target: &str) -> String {
    format!(
        ".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k()\n{{ .reg .pred %p<4>, %z1, %y1; \
         .reg .b16 %h<4>, %z16; .reg .b32 %r<4>, %z32; .reg .b64 %d<4>, %z64;\n{}\nret; }}\n",
        instructions.join("\n")
    )
}

#[test]
fn neighbours_of_forms_are_refused_or_forms_themselves() {
    let mut random = Random::new(11);
    let cases: Vec<Case> = cases().into_iter().filter(|case| !case.is_of_words()).collect();
    let all: Vec<String> = cases.iter().flat_map(|case| neighbours(case, &mut random)).collect();
    let lines: Vec<&str> = all.iter().map(String::as_str).collect();
    let module = Module::parse(&kernel(&lines, "sm_100a")).unwrap();
    let refused = Emulator::unsupported(&module);
    let refused: std::collections::BTreeSet<usize> =
        refused.iter().filter_map(|one| Some(one.line? - 6)).collect();
    let taken: Vec<&str> =
        lines.iter().enumerate().filter(|(at, _)| !refused.contains(at)).map(|(_, line)| *line).collect();
    assert!(taken.len() < lines.len() / 4, "{} of {} are taken", taken.len(), lines.len());
    // What is taken is a form, so that its results are those of the form, whatever the order of its modifiers.
    let known: std::collections::HashSet<(String, usize)> = cases.iter().map(|case| of(&case.text)).collect();
    let strange: Vec<&&str> = taken.iter().filter(|line| !known.contains(&of(line))).collect();
    assert!(strange.is_empty(), "{strange:#?}");
    let Some(ptxas) = ptxas() else { return };
    let is_refused = |target: &str| {
        let messages = assemble(&ptxas, &kernel(&taken, target)).err().unwrap_or_default();
        messages.lines().filter_map(line_of).collect::<std::collections::BTreeSet<usize>>()
    };
    let (one, other) = (is_refused("sm_90"), is_refused("sm_100a"));
    let wrong: Vec<&str> = one.intersection(&other).filter_map(|line| taken.get(line - 6).copied()).collect();
    // The assembler's rules for registers are stricter: it wants 32 bits where a value has 32.
    let wrong: Vec<&&str> =
        wrong.iter().filter(|line| !known.contains(&of(line)) || is_typed(line)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Whether all registers of an instruction are as they were, so that only its opcode is another.
fn is_typed(line: &str) -> bool {
    !OPERANDS.iter().any(|operand| line.contains(operand))
}

fn line_of(message: &str) -> Option<usize> {
    message.split("line ").nth(1)?.split([';', ':']).next()?.trim().parse().ok()
}

/// The parts of an opcode in one order, types last as they are, and how many operands it has.
fn of(text: &str) -> (String, usize) {
    let (opcode, operands) = text.trim_end_matches(';').split_once(' ').unwrap_or((text, ""));
    let mut parts = opcode.split('.');
    let name = parts.next().unwrap();
    let (types, mut others): (Vec<&str>, Vec<&str>) =
        parts.partition(|part| super::case::bits(part).is_some());
    others.sort_unstable();
    let count = operands.split(", ").filter(|operand| !operand.is_empty()).count();
    (format!("{name} {} {}", others.join("."), types.join(".")), count)
}
