//! Where variables and parameters are.

use std::collections::HashMap;

use super::{APART, DYNAMIC, FUNCTIONS, Function, Meaning, ModuleVariable, Program, Refused, VARIABLES};
use crate::emulate::constant::{constant, integer, number};
use crate::emulate::declare::{self, Strange, Variable, split};
use crate::emulate::error::Unsupported;
use crate::emulate::op::{OWN, Place, Source};
use crate::emulate::types::Type;
use crate::head::Head;
use crate::module::{self, Module, Piece};
use crate::opcode::Space;

/// Between two variables of shared memory, so that going beyond one is found.
const GAP_BYTES: u32 = 64;
/// As much shared memory as any block may have.
const MAX_SHARED: u64 = 227 << 10;
/// The most that all variables of a module have together, and how many there may be.
const MAX_BYTES: u64 = 1 << 30;
const MAX_VARIABLES: usize = 1 << 16;

type Names = HashMap<String, Meaning>;

/// Gives places to all variables and heads to all functions; what names mean.
pub(super) fn module(module: &Module, program: &mut Program, refused: &mut Vec<Refused>) -> Names {
    let mut layout =
        Layout { program, names: Names::new(), shared: Vec::new(), initial: Vec::new(), bytes: 0 };
    for piece in &module.pieces {
        match piece {
            Piece::Text(text) => {
                for variable in declare::of_module(text) {
                    let strange = variable.and_then(|variable| layout.place(variable)).err();
                    refused.extend(strange.map(refusal));
                }
            }
            Piece::Function(function) => refused.extend(layout.function(function).err().map(refusal)),
        }
    }
    let Layout { program, mut names, shared, initial, .. } = layout;
    for (other, name) in module.texts().flat_map(declare::aliases) {
        match names.get(name) {
            Some(&meaning @ Meaning::Address(FUNCTIONS..VARIABLES)) => {
                names.insert(other.to_owned(), meaning);
            }
            _ => {
                let why = format!("`{other}` is another name of `{name}`, which has no body");
                refused.push(refusal(Strange { names: vec![other.to_owned()], why }));
            }
        }
    }
    for (at, variable) in initial {
        match initialised(&variable, &names) {
            Ok(bytes) => program.variables[at].initial = bytes,
            Err(why) => {
                let why = format!("{why} in `{}`", variable.name);
                refused.push(refusal(Strange { names: vec![variable.name], why }));
            }
        }
    }
    program.functions.iter_mut().for_each(|function| function.shared.clone_from(&shared));
    names
}

fn refusal(Strange { names, why }: Strange) -> Refused {
    Refused { unsupported: Unsupported::declaration(why), names }
}

/// What has been placed.
struct Layout<'p> {
    program: &'p mut Program,
    names: Names,
    shared: Vec<(u32, u32)>,
    initial: Vec<Initial>,
    bytes: u64,
}

impl Layout<'_> {
    fn place(&mut self, variable: Variable) -> Result<(), Strange> {
        let name = variable.name.clone();
        let bytes = self.bytes + variable.bytes();
        if bytes > MAX_BYTES || self.program.variables.len() > MAX_VARIABLES {
            let why = "the module has too many variables, or too large ones".to_owned();
            return Err(Strange { names: vec![name], why });
        }
        self.bytes = bytes;
        place(variable, self.program, &mut self.names, &mut self.shared, &mut self.initial)
            .map_err(|why| Strange { names: vec![name], why })
    }

    fn function(&mut self, function: &module::Function) -> Result<(), Strange> {
        let address = FUNCTIONS + self.program.functions.len() as u64 * 16;
        self.names.insert(function.name.clone(), Meaning::Address(address));
        let head = head(function);
        let unknown = || Function { name: function.name.clone(), registers: OWN, ..Function::default() };
        let why = head.as_ref().err().map(|why| format!("`{}`: {why}", function.name));
        self.program.functions.push(head.unwrap_or_else(|_| unknown()));
        why.map_or(Ok(()), |why| Err(Strange { names: vec![function.name.clone()], why }))
    }
}

/// A variable by its number, with what it begins with.
type Initial = (usize, Variable);

fn place(
    variable: Variable,
    program: &mut Program,
    names: &mut Names,
    shared: &mut Vec<(u32, u32)>,
    initial: &mut Vec<Initial>,
) -> Result<(), String> {
    if variable.space == Some(Space::Shared) {
        let at = place_shared(&variable, shared)?;
        names.insert(variable.name, Meaning::Shared(at));
        return Ok(());
    }
    let at = program.variables.len();
    names.insert(variable.name.clone(), Meaning::Address(VARIABLES + ((at as u64 + 1) << APART)));
    program.variables.push(ModuleVariable {
        name: variable.name.clone(),
        length_bytes: variable.bytes() as usize,
        initial: Vec::new(),
        is_constant: variable.space == Some(Space::Constant),
    });
    if variable.initial.is_some() {
        initial.push((at, variable));
    }
    Ok(())
}

/// The offset of a variable of shared memory, after those that have one.
pub(super) fn place_shared(variable: &Variable, shared: &mut Vec<(u32, u32)>) -> Result<u32, String> {
    if variable.count.is_none() {
        return Ok(DYNAMIC);
    }
    if variable.bytes() > MAX_SHARED {
        return Err(format!("`{}` is more shared memory than a block has", variable.name));
    }
    let align = variable.align.max(16) as u32;
    let begin = shared.last().map_or(0, |&(_, end)| (end + GAP_BYTES).next_multiple_of(align));
    let end = begin + variable.bytes() as u32;
    if end > DYNAMIC - GAP_BYTES {
        return Err("variables are more shared memory than a block has".to_owned());
    }
    shared.push((begin, end));
    Ok(begin)
}

/// The bytes that a variable begins with; what comes after them is zero.
fn initialised(variable: &Variable, names: &Names) -> Result<Vec<u8>, String> {
    let words: Vec<&str> = variable.initial.iter().flatten().map(String::as_str).collect();
    let mut bytes = Vec::new();
    fill(&words, &variable.extents, 0, &mut |at, words| {
        let value = value_of(words, variable.kind, names)
            .ok_or_else(|| format!("`{}` is no value that is known", words.join("")))?;
        let size = usize::from(variable.kind.bytes());
        let end = (at as usize + 1) * size;
        bytes.resize(bytes.len().max(end), 0);
        let value = &value.to_le_bytes()[..size.min(8)];
        bytes[end - size..][..value.len()].copy_from_slice(value);
        Ok(())
    })?;
    Ok(bytes)
}

/// Puts the values of nested braces in their places, of which the first is `at`: each brace is one level of an array.
fn fill(
    words: &[&str],
    extents: &[u64],
    at: u64,
    put: &mut impl FnMut(u64, &[&str]) -> Result<(), String>,
) -> Result<(), String> {
    let Some((&extent, inner)) = extents.split_first() else { return put(at, words) };
    let ["{", parts @ .., "}"] = words else {
        return Err(format!("`{}` stands where braces should", words.join("")));
    };
    let parts = split(parts);
    if parts.len() as u64 > extent {
        return Err("there are too many values".to_owned());
    }
    // The product of all extents was looked at when they were read.
    let size: u64 = inner.iter().product();
    (at..).step_by(size.max(1) as usize).zip(parts).try_for_each(|(at, part)| fill(part, inner, at, put))
}

fn value_of(text: &[&str], kind: Type, names: &Names) -> Option<u64> {
    let address = |name: &str| match names.get(name)? {
        Meaning::Address(address) => Some(*address),
        Meaning::Shared(_) => None,
    };
    match *text {
        // Of an address some bits, as a mask says, from the lowest of them on.
        [mask, "(", ref inner @ .., ")"] if number(mask).is_some_and(|mask| mask != 0) => {
            let mask = number(mask)?;
            Some((value_of(inner, Type::Unsigned(8), names)? & mask) >> mask.trailing_zeros())
        }
        ["generic", "(", name, ")"] => address(name),
        ["generic", "(", name, ")", "+", ref offset @ ..] => {
            Some(address(name)?.wrapping_add(integer(offset)?))
        }
        [name] if names.contains_key(name) => address(name),
        [name, "+", ref offset @ ..] if names.contains_key(name) => {
            Some(address(name)?.wrapping_add(integer(offset)?))
        }
        _ => {
            let of_bits = || constant(text, Type::F32).filter(|_| kind == Type::Bits(4));
            constant(text, kind).or_else(of_bits)
        }
    }
}

/// What the head of a function says.
fn head(function: &module::Function) -> Result<Function, String> {
    let parts = Head::of(&function.head);
    let is_kernel = function.is_kernel();
    let mut head = Function { name: function.name.clone(), is_kernel, registers: OWN, ..Function::default() };
    if is_kernel {
        for variable in parameters(&parts.parameters)? {
            let bytes = variable.bytes();
            let offset = u64::from(head.frame_bytes).next_multiple_of(variable.align);
            let end = u32::try_from(offset + bytes).map_err(|_| "parameters are too large")?;
            head.parameters.push((offset as u32, bytes as u32));
            head.frame_bytes = end;
        }
        // A kernel has its parameters elsewhere than its frame.
        head.frame_bytes = 0;
        directives(&parts.directives, &mut head);
    } else {
        for variable in parameters(&parts.results)? {
            let places = hand_over(&variable, &mut head)?;
            head.results.extend(places);
        }
        for variable in parameters(&parts.parameters)? {
            let places = hand_over(&variable, &mut head)?;
            head.kinds.extend(places.iter().map(|_| variable.kind));
            head.arguments.extend(places);
        }
    }
    Ok(head)
}

pub(super) fn parameters(words: &[&str]) -> Result<Vec<Variable>, String> {
    let mut found = Vec::new();
    for one in words.split(|word| *word == ",").filter(|one| !one.is_empty()) {
        found.extend(declare::variables(one)?);
    }
    Ok(found)
}

/// All parameters of a function, results first.
pub(crate) fn of_head(function: &module::Function) -> Result<Vec<Variable>, String> {
    let head = Head::of(&function.head);
    let mut found = parameters(&head.results)?;
    found.extend(parameters(&head.parameters)?);
    Ok(found)
}

/// Registers, or a part of the frame, for a parameter of a function that is called.
fn hand_over(variable: &Variable, head: &mut Function) -> Result<Vec<Place>, String> {
    if variable.space.is_none() {
        let lanes = variable.count.filter(|lanes| matches!(lanes, 1 | 2 | 4));
        let lanes =
            lanes.ok_or_else(|| format!("`{}` is no register, and no vector of 2 or 4", variable.name))?;
        let first = head.registers;
        head.registers += lanes as u32;
        return Ok((first..head.registers)
            .map(|register| Place::Value(Source::Register(register)))
            .collect());
    }
    let offset = in_frame(variable, &mut head.frame_bytes)?;
    Ok(vec![Place::Bytes { offset, bytes: variable.bytes() as u32 }])
}

/// The most that a frame has in local memory, as on a device.
const MAX_FRAME: u64 = 512 << 10;

/// Takes a part of a frame.
pub(super) fn in_frame(variable: &Variable, frame_bytes: &mut u32) -> Result<u32, String> {
    let offset = u64::from(*frame_bytes).next_multiple_of(variable.align.max(8));
    if offset + variable.bytes() > MAX_FRAME {
        return Err(format!("`{}` is more local memory than a thread has", variable.name));
    }
    *frame_bytes = (offset + variable.bytes()) as u32;
    Ok(offset as u32)
}

fn directives(words: &[&str], head: &mut Function) {
    let numbers = |at: usize| {
        let mut found = [1; 3];
        for (axis, place) in found.iter_mut().enumerate() {
            let given = words.get(at + 1 + 2 * axis).and_then(|word| number(word));
            *place = given.map_or(1, |value| value.min(u64::from(u32::MAX)) as u32);
            if words.get(at + 2 + 2 * axis) != Some(&",") {
                break;
            }
        }
        found
    };
    for (at, word) in words.iter().enumerate() {
        match *word {
            ".reqntid" => head.required_block = Some(numbers(at)),
            ".maxntid" => {
                let threads = numbers(at).into_iter().fold(1_u32, u32::saturating_mul);
                head.most_threads = Some(threads);
            }
            _ => {}
        }
    }
}
