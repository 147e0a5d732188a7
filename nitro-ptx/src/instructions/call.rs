//! Calls of functions ("Control Flow Instructions: call").

use std::sync::Arc;

use super::context::{Local, Symbol};
use super::effect;
use super::entry::Entry;
use super::reading::Reading;
use crate::machine::control::{Call, Print, Target, Trap};
use crate::machine::source::{FUNCTION_BYTES, FUNCTIONS, Place, Source, VARIABLES, fit};
use crate::machine::state::Action;
use crate::text::module::Token;
use crate::text::types::Type;

pub(super) const FAMILY: &[Entry] = &[Entry::action("call{.uni}  ...", effect::unknown, call)];

/// Decodes `call (results), function, (arguments)`, of which the first and the last may be missing.
fn call(op: &Reading) -> Result<Action, String> {
    let named = usize::from(is_list(op, 0));
    if matches!(op.operand(named)?, [Token::Word(name)] if name == "__assertfail") {
        return Ok(Arc::new(Trap));
    }
    if matches!(op.operand(named)?, [Token::Word(name)] if name == "vprintf") {
        let results = if named == 1 { places(op, 0, &[])? } else { Vec::new() };
        return Ok(Arc::new(Print { results: results.into() }));
    }
    let function = called(op, named)?;
    let called = match function {
        Target::Function(index) => Some(&op.context.functions[index as usize]),
        Target::Pointer(_) => None,
    };
    // A call through a pointer says nothing of what it takes; that is checked when it runs.
    let results = if named == 1 { places(op, 0, &[])? } else { Vec::new() };
    let kinds = called.map_or(&[][..], |called| &called.kinds);
    let arguments = if is_list(op, named + 1) { places(op, named + 1, kinds)? } else { Vec::new() };
    if let Some(called) = called {
        if called.is_kernel {
            return Err(format!("it calls `{}`, which is a kernel", called.name));
        }
        if !fit(&arguments, &called.arguments) || !fit(&results, &called.results) {
            return Err(format!("`{}` takes or gives something else", called.name));
        }
    }
    let is_number =
        |place: &Place| matches!(place, Place::Value(source) if !matches!(source, Source::Register(_)));
    if results.iter().any(is_number) {
        return Err("what is written is no register".to_owned());
    }
    Ok(Arc::new(Call { function, arguments: arguments.into(), results: results.into() }))
}

fn is_list(op: &Reading, at: usize) -> bool {
    op.operand(at).is_ok_and(|tokens| tokens.first() == Some(&Token::Mark('(')))
}

/// Returns the function that a call names, or the register that has its address.
fn called(op: &Reading, at: usize) -> Result<Target, String> {
    let tokens = op.operand(at)?;
    let [Token::Word(name)] = tokens else {
        return Ok(Target::Pointer(op.value(tokens, Type::Unsigned(8))?));
    };
    match op.context.symbols.get(name) {
        Some(Symbol::Address(address @ FUNCTIONS..VARIABLES)) => {
            Ok(Target::Function(((address - FUNCTIONS) / FUNCTION_BYTES) as u32))
        }
        _ => Err(format!("it calls `{name}`, which the module does not have")),
    }
}

/// Returns what is handed over by `(a, b)`, to parameters of these types where they are known.
fn places(op: &Reading, at: usize, kinds: &[Type]) -> Result<Vec<Place>, String> {
    let [Token::Mark('('), inner @ .., Token::Mark(')')] = op.operand(at)? else {
        return Err("brackets do not fit".to_owned());
    };
    let mut places = Vec::new();
    for tokens in inner.split(|token| *token == Token::Mark(',')).filter(|one| !one.is_empty()) {
        if let Some(vector) = op.vector(tokens) {
            places.extend(vector.map(|register| Place::Value(Source::Register(register))));
            continue;
        }
        let local = match tokens {
            [Token::Word(name)] => op.context.local(op.scope, name),
            _ => None,
        };
        // Without a type no float has bits.
        let kind = kinds.get(places.len()).copied().unwrap_or(Type::Unsigned(8));
        places.push(match local {
            Some(Local::Frame { offset, bytes }) => Place::Bytes { offset, bytes },
            _ => Place::Value(op.value(tokens, kind)?),
        });
    }
    Ok(places)
}
