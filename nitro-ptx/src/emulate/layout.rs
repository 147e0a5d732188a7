//! Places of variables and parameters.

use std::collections::HashMap;

use super::refusal::Refusal;
use crate::instructions::context::Symbol;
use crate::machine::image::{Function, Image, ModuleVariable};
use crate::machine::source::{APART, DYNAMIC, FUNCTION_BYTES, FUNCTIONS, OWN, Place, Source, VARIABLES};
use crate::text::constant::{constant, integer, number};
use crate::text::declare::{self, UnknownDeclaration, Variable, parameters, split};
use crate::text::head::Head;
use crate::text::module::{self, Module, Piece};
use crate::text::types::{Space, Type};

/// The gap between two variables of shared memory, so that going beyond one is found.
const GAP_BYTES: u32 = 64;
/// The most shared memory that any block may have.
const MAX_SHARED: u64 = 227 << 10;
/// The most bytes of all variables of a module, and the most variables.
const MAX_BYTES: u64 = 1 << 30;
const MAX_VARIABLES: usize = 1 << 16;

type Symbols = HashMap<String, Symbol>;

/// Gives places to all variables and heads to all functions, and returns the meaning of names.
pub(super) fn module(module: &Module, image: &mut Image, refused: &mut Vec<Refusal>) -> Symbols {
    let mut layout =
        Layout { image, symbols: Symbols::new(), shared: Vec::new(), initial: Vec::new(), bytes: 0 };
    for piece in &module.pieces {
        match piece {
            Piece::Text(text) => {
                for variable in declare::of_module(text) {
                    let strange = variable.and_then(|variable| layout.variable(variable)).err();
                    refused.extend(strange.map(Refusal::from));
                }
            }
            Piece::Function(function) => refused.extend(layout.function(function).err().map(Refusal::from)),
        }
    }
    for (other, name) in module.texts().flat_map(declare::aliases) {
        refused.extend(layout.alias(other, name).err().map(Refusal::from));
    }
    // Variables may begin with addresses of others that come later.
    for (at, variable) in std::mem::take(&mut layout.initial) {
        match initialised(&variable, &layout.symbols) {
            Ok(bytes) => layout.image.variables[at].initial = bytes,
            Err(why) => {
                let why = format!("{why} in `{}`", variable.name);
                refused.push(UnknownDeclaration { names: vec![variable.name], why }.into());
            }
        }
    }
    let Layout { image, symbols, shared, .. } = layout;
    image.functions.iter_mut().for_each(|function| function.shared.clone_from(&shared));
    symbols
}

/// A module that is being laid out.
struct Layout<'p> {
    image: &'p mut Image,
    symbols: Symbols,
    shared: Vec<(u32, u32)>,
    /// Variables by their numbers, with what they begin with.
    initial: Vec<(usize, Variable)>,
    bytes: u64,
}

impl Layout<'_> {
    fn variable(&mut self, variable: Variable) -> Result<(), UnknownDeclaration> {
        let name = variable.name.clone();
        self.place(variable).map_err(|why| UnknownDeclaration { names: vec![name], why })
    }

    fn place(&mut self, variable: Variable) -> Result<(), String> {
        let bytes = self.bytes + variable.bytes();
        if bytes > MAX_BYTES || self.image.variables.len() > MAX_VARIABLES {
            return Err("the module has too many variables, or too large ones".to_owned());
        }
        self.bytes = bytes;
        if variable.space == Some(Space::Shared) {
            let at = place_shared(&variable, &mut self.shared)?;
            self.symbols.insert(variable.name, Symbol::Shared(at));
            return Ok(());
        }
        let at = self.image.variables.len();
        let address = VARIABLES + ((at as u64 + 1) << APART);
        self.symbols.insert(variable.name.clone(), Symbol::Address(address));
        self.image.variables.push(ModuleVariable {
            name: variable.name.clone(),
            length_bytes: variable.bytes() as usize,
            initial: Vec::new(),
            is_constant: variable.space == Some(Space::Constant),
        });
        if variable.initial.is_some() {
            self.initial.push((at, variable));
        }
        Ok(())
    }

    fn function(&mut self, function: &module::Function) -> Result<(), UnknownDeclaration> {
        let address = FUNCTIONS + self.image.functions.len() as u64 * FUNCTION_BYTES;
        self.symbols.insert(function.name.clone(), Symbol::Address(address));
        let head = head(function);
        let name = function.name.clone();
        let (head, why) = match head {
            Ok(head) => (head, None),
            Err(why) => {
                let why = format!("`{name}`: {why}");
                (Function { name: name.clone(), registers: OWN, ..Function::default() }, Some(why))
            }
        };
        self.image.functions.push(head);
        why.map_or(Ok(()), |why| Err(UnknownDeclaration { names: vec![name], why }))
    }

    /// Gives a function another name (`.alias`).
    fn alias(&mut self, other: &str, name: &str) -> Result<(), UnknownDeclaration> {
        let Some(&function @ Symbol::Address(FUNCTIONS..VARIABLES)) = self.symbols.get(name) else {
            let why = format!("`{other}` is another name of `{name}`, which has no body");
            return Err(UnknownDeclaration { names: vec![other.to_owned()], why });
        };
        self.symbols.insert(other.to_owned(), function);
        Ok(())
    }
}

/// Places a variable of shared memory after those that have an offset.
pub(super) fn place_shared(variable: &Variable, shared: &mut Vec<(u32, u32)>) -> Result<u32, String> {
    if variable.count.is_none() {
        return Ok(DYNAMIC);
    }
    if variable.bytes() > MAX_SHARED {
        return Err(format!("`{}` is more shared memory than a block has", variable.name));
    }
    let align = variable.align.max(16) as u32;
    // Gaps between variables mean nothing, so that an access there is found.
    let begin = shared.last().map_or(0, |&(_, end)| (end + GAP_BYTES).next_multiple_of(align));
    let end = begin + variable.bytes() as u32;
    if end > DYNAMIC - GAP_BYTES {
        return Err("variables are more shared memory than a block has".to_owned());
    }
    shared.push((begin, end));
    Ok(begin)
}

/// Returns the bytes that a variable begins with; what comes after them is zero.
fn initialised(variable: &Variable, symbols: &Symbols) -> Result<Vec<u8>, String> {
    let words: Vec<&str> = variable.initial.iter().flatten().map(String::as_str).collect();
    let mut bytes = Vec::new();
    fill(&words, &variable.extents, 0, &mut |at, words| {
        let value = value_of(words, variable.kind, symbols)
            .ok_or_else(|| format!("`{}` is no value that is known", words.join("")))?;
        // Values are little-endian, and those that are not given are zero ("Initializers").
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

/// Returns the value of an initializer ("Initializers").
fn value_of(text: &[&str], kind: Type, symbols: &Symbols) -> Option<u64> {
    match *text {
        // Of an address some bits, as a mask says, from the lowest of them on.
        [mask, "(", ref inner @ .., ")"] if number(mask).is_some_and(|mask| mask != 0) => {
            let mask = number(mask)?;
            Some((value_of(inner, Type::Unsigned(8), symbols)? & mask) >> mask.trailing_zeros())
        }
        ["generic", "(", name, ")"] => address_of(name, symbols),
        ["generic", "(", name, ")", "+", ref offset @ ..] => {
            Some(address_of(name, symbols)?.wrapping_add(integer(offset)?))
        }
        [name] if symbols.contains_key(name) => address_of(name, symbols),
        [name, "+", ref offset @ ..] if symbols.contains_key(name) => {
            Some(address_of(name, symbols)?.wrapping_add(integer(offset)?))
        }
        _ => {
            // Floats may stand where bits do.
            constant(text, kind).or_else(|| constant(text, Type::F32).filter(|_| kind == Type::Bits(4)))
        }
    }
}

/// Returns the address of a variable or function; variables of shared memory have none that is known.
fn address_of(name: &str, symbols: &Symbols) -> Option<u64> {
    match symbols.get(name)? {
        Symbol::Address(address) => Some(*address),
        Symbol::Shared(_) => None,
    }
}

/// Reads the head of a function, and gives places to its parameters.
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

/// Takes registers, or a part of the frame, for a parameter of a function that is called.
fn hand_over(variable: &Variable, head: &mut Function) -> Result<Vec<Place>, String> {
    // A parameter in `.reg` space is a register, or a vector of registers.
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

/// The most bytes of a frame in local memory, as on a device.
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

/// Reads the directives of a kernel's head about blocks ("Performance-Tuning Directives").
fn directives(words: &[&str], head: &mut Function) {
    for (at, word) in words.iter().enumerate() {
        match *word {
            ".reqntid" => head.required_block = Some(sizes(&words[at + 1..])),
            ".maxntid" => {
                let threads = sizes(&words[at + 1..]).into_iter().fold(1_u32, u32::saturating_mul);
                head.most_threads = Some(threads);
            }
            _ => {}
        }
    }
}

/// Reads one to three numbers with commas between them; those that are missing are 1.
fn sizes(words: &[&str]) -> [u32; 3] {
    let mut found = [1; 3];
    for (axis, place) in found.iter_mut().enumerate() {
        let given = words.get(2 * axis).and_then(|word| number(word));
        *place = given.map_or(1, |value| value.min(u64::from(u32::MAX)) as u32);
        if words.get(1 + 2 * axis) != Some(&",") {
            break;
        }
    }
    found
}
