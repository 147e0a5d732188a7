//! Decoding of functions.

use std::collections::HashMap;
use std::sync::Arc;

use super::layout::{in_frame, place_shared};
use super::refusal::Refusal;
use crate::instructions::context::{Context, Local, Symbol};
use crate::instructions::table;
use crate::machine::control::{Ret, Trap};
use crate::machine::error::Unsupported;
use crate::machine::image::{Function, Image};
use crate::machine::source::{OWN, Place, Source};
use crate::machine::state::{Action, Guard, Op};
use crate::text::declare::{self, of_head};
use crate::text::module::{self, Class, Content, Instruction, InstructionId, Module};
use crate::text::scan::lexemes;
use crate::text::types::Space;

/// The most registers of a function, and instructions of a module: more would take too much memory for each thread.
const MAX_REGISTERS: u32 = 1 << 16;
const MAX_CODE: usize = 1 << 22;

/// A decoded function, and its instructions with their numbers and opcodes.
pub(super) struct FunctionCode {
    pub(super) function: Function,
    pub(super) code: Vec<(Op, InstructionId, Arc<str>)>,
}

/// Decodes a body, which comes behind those that the image has.
pub(super) fn decode(
    module: &Module,
    function: &module::Function,
    index: usize,
    symbols: &HashMap<String, Symbol>,
    image: &Image,
    refused: &mut Vec<Refusal>,
) -> FunctionCode {
    let entry = image.ids.len();
    let mut own = Function { entry: entry as u32, ..image.functions[index].clone() };
    let names = vec![function.name.clone()];
    let mut refuse = |unsupported: Unsupported| {
        let unsupported = Unsupported { function: Some(function.name.clone()), ..unsupported };
        refused.push(Refusal { unsupported, names: names.clone() });
    };
    let mut code = Vec::new();
    match context(function, entry as u32, symbols, &image.functions, &mut own) {
        Ok(context) => {
            for (scope, id, instruction) in function.placed() {
                // What is not known is a trap, so that the other functions of the module can run.
                let op = op(&context, instruction, scope).unwrap_or_else(|why| {
                    let opcode = instruction.opcode.clone();
                    refuse(Unsupported { id: Some(id), line: module.line(id), opcode, function: None, why });
                    always(Arc::new(Trap))
                });
                code.push((op, id, Arc::from(instruction.opcode.as_str())));
            }
        }
        Err(why) => {
            refuse(Unsupported::declaration(why));
            code.push((always(Arc::new(Trap)), InstructionId::Base(0), "trap".into()));
        }
    }
    // Where a body ends the function does.
    let last = code.last().map(|(_, id, opcode)| (*id, Arc::clone(opcode)));
    let (id, opcode) = last.unwrap_or((InstructionId::Base(0), "ret".into()));
    code.push((always(Arc::new(Ret)), id, opcode));
    if entry + code.len() > MAX_CODE {
        refuse(Unsupported::declaration(format!("more than {MAX_CODE} instructions")));
        code = vec![(always(Arc::new(Trap)), InstructionId::Base(0), "trap".into())];
    }
    FunctionCode { function: own, code }
}

fn always(action: Action) -> Op {
    Op { guard: None, action }
}

fn op(context: &Context, instruction: &Instruction, scope: usize) -> Result<Op, String> {
    let guard = instruction
        .guard
        .map(|guard| Guard { register: context.lanes(guard.register).start, negated: guard.negated });
    Ok(Op { guard, action: table::decode(context, instruction, scope)? })
}

/// Gives places to the registers, variables and labels of a body.
fn context<'a>(
    function: &'a module::Function,
    entry: u32,
    symbols: &'a HashMap<String, Symbol>,
    functions: &'a [Function],
    own: &mut Function,
) -> Result<Context<'a>, String> {
    let locals = parameters(function, own)?;
    let registers = take_registers(function, own)?;
    let (labels, lists) = (HashMap::new(), HashMap::new());
    let mut context = Context { function, registers, locals, labels, lists, symbols, functions };
    let mut pc = entry;
    for item in &function.items {
        match &item.content {
            Content::Label(name) => {
                context.labels.insert((item.scope, name), pc);
            }
            Content::Targets { name, labels, .. } => {
                context.lists.insert((item.scope, name), labels);
            }
            // Instructions have numbers in the order of the text.
            Content::Instruction(..) => pc += 1,
            Content::Text(text) => declare(&mut context, text, item.scope, own)?,
            Content::Open | Content::Close | Content::Tombstone(_) => {}
        }
    }
    own.frame_bytes = own.frame_bytes.next_multiple_of(16);
    Ok(context)
}

/// Returns the names of a function's parameters, whose places its head has got.
fn parameters(
    function: &module::Function,
    own: &Function,
) -> Result<HashMap<(usize, String), Local>, String> {
    let mut of_kernel = own.parameters.iter();
    let mut of_function = own.results.iter().chain(&own.arguments);
    let mut locals = HashMap::new();
    for variable in of_head(function)? {
        let local = match (of_kernel.next(), of_function.next()) {
            (Some(&(offset, _)), _) => Local::Parameter(offset),
            (None, Some(&Place::Bytes { offset, bytes })) => Local::Frame { offset, bytes },
            (None, Some(&Place::Value(Source::Register(first)))) => {
                let lanes = variable.count.unwrap_or(1) as u32;
                // A vector has a place for each of its registers.
                (1..lanes).for_each(|_| _ = of_function.next());
                Local::Register { first, lanes }
            }
            _ => return Err(format!("`{}` has no place", variable.name)),
        };
        locals.insert((0, variable.name), local);
    }
    Ok(locals)
}

/// Returns the first place of each register of the text.
fn take_registers(function: &module::Function, own: &mut Function) -> Result<Vec<u32>, String> {
    let mut registers = Vec::new();
    for register in &function.registers {
        registers.push(own.registers);
        own.registers += u32::from(register.lanes);
        if own.registers > MAX_REGISTERS {
            return Err(format!("more than {MAX_REGISTERS} registers"));
        }
        let bits = match register.class {
            Class::Bits(bits) | Class::Integer(bits) | Class::Float(bits) => bits,
            Class::Predicate | Class::Other => 0,
        };
        if bits > 64 {
            return Err(format!("`{}` is a register of more than 64 bits", register.name));
        }
    }
    debug_assert!(own.registers >= OWN);
    own.places.clone_from(&registers);
    Ok(registers)
}

/// Gives places to the variables that a statement of a body declares.
fn declare(context: &mut Context, text: &str, scope: usize, own: &mut Function) -> Result<(), String> {
    const SPACES: [&str; 5] = [".local", ".shared", ".param", ".global", ".const"];
    let words = lexemes(text);
    if !words.iter().take(3).any(|word| SPACES.contains(word)) {
        return Ok(());
    }
    let end = words.iter().position(|word| *word == ";").unwrap_or(words.len());
    for variable in declare::variables(&words[..end])? {
        let local = match variable.space {
            Some(Space::Shared) => Local::Shared(place_shared(&variable, &mut own.shared)?),
            Some(Space::Local | Space::Parameter) => Local::Frame {
                offset: in_frame(&variable, &mut own.frame_bytes)?,
                bytes: variable.bytes() as u32,
            },
            _ => return Err(format!("`{}` is global, and is declared in a function", variable.name)),
        };
        context.locals.insert((scope, variable.name), local);
    }
    Ok(())
}
