//! The body of a function.

use std::collections::HashMap;
use std::sync::Arc;

use super::layout::{in_frame, of_head, place_shared};
use super::{Function, Meaning, Program, Refused};
use crate::emulate::declare;
use crate::emulate::error::Unsupported;
use crate::emulate::op::{OWN, Op, Place, Source, What};
use crate::module::{self, Class, Instruction, InstructionId, Module, What as Content};
use crate::opcode::Space;
use crate::scan::lexemes;

/// The most registers of a function, and instructions of a module: what is more would take too much memory for each
/// thread.
const MAX_REGISTERS: u32 = 1 << 16;
const MAX_CODE: usize = 1 << 22;

/// What a name of a body means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Local {
    Frame {
        offset: u32,
        bytes: u32,
    },
    Shared(u32),
    Parameter(u32),
    /// A parameter that is a register, or a vector of so many.
    Register {
        first: u32,
        lanes: u32,
    },
}

/// What is known while the body of a function is decoded.
pub(super) struct Decoder<'a> {
    pub(super) function: &'a module::Function,
    /// The first place of each register of the text.
    registers: Vec<u32>,
    locals: HashMap<(usize, String), Local>,
    labels: HashMap<(usize, &'a str), u32>,
    lists: HashMap<(usize, &'a str), &'a [String]>,
    pub(super) names: &'a HashMap<String, Meaning>,
    pub(super) functions: &'a [Function],
}

/// Decodes a body into the program.
pub(super) fn decode(
    module: &Module,
    function: &module::Function,
    index: usize,
    names: &HashMap<String, Meaning>,
    program: &mut Program,
    refused: &mut Vec<Refused>,
) {
    let entry = program.code.len();
    program.functions[index].entry = entry as u32;
    let mut own = program.functions[index].clone();
    let prepared = Decoder::new(function, entry as u32, names, &program.functions, &mut own);
    let mut refuse = |unsupported: Unsupported| {
        refused.push(Refused {
            unsupported: Unsupported { function: Some(function.name.clone()), ..unsupported },
            names: vec![function.name.clone()],
        });
    };
    let mut code = Vec::new();
    match prepared {
        Ok(decoder) => {
            for (scope, id, instruction) in function.placed() {
                let op = decoder.op(instruction, scope).unwrap_or_else(|why| {
                    let opcode = instruction.opcode.clone();
                    refuse(Unsupported { id: Some(id), line: module.line(id), opcode, function: None, why });
                    Op { guard: None, what: What::Trap }
                });
                code.push((op, id, Arc::from(instruction.opcode.as_str())));
            }
        }
        Err(why) => {
            refuse(Unsupported::declaration(why));
            code.push((Op { guard: None, what: What::Trap }, InstructionId::Base(0), "trap".into()));
        }
    }
    let (id, opcode) = code
        .last()
        .map_or((InstructionId::Base(0), "ret".into()), |(_, id, opcode)| (*id, Arc::clone(opcode)));
    code.push((Op { guard: None, what: What::Return }, id, opcode));
    if program.code.len() + code.len() > MAX_CODE {
        refuse(Unsupported::declaration(format!("more than {MAX_CODE} instructions")));
        code = vec![(Op { guard: None, what: What::Trap }, InstructionId::Base(0), "trap".into())];
    }
    for (op, id, opcode) in code {
        program.code.push(op);
        program.ids.push(id);
        program.opcodes.push(opcode);
    }
    program.functions[index] = own;
}

impl<'a> Decoder<'a> {
    fn new(
        function: &'a module::Function,
        entry: u32,
        names: &'a HashMap<String, Meaning>,
        functions: &'a [Function],
        own: &mut Function,
    ) -> Result<Self, String> {
        let (registers, locals) = (Vec::new(), HashMap::new());
        let (labels, lists) = (HashMap::new(), HashMap::new());
        let mut decoder = Self { function, registers, locals, labels, lists, names, functions };
        decoder.parameters(own)?;
        decoder.take_registers(own)?;
        let mut pc = entry;
        for item in &function.items {
            match &item.what {
                Content::Label(name) => {
                    decoder.labels.insert((item.scope, name), pc);
                }
                Content::Targets { name, labels, .. } => {
                    decoder.lists.insert((item.scope, name), labels);
                }
                Content::Instruction(..) => pc += 1,
                Content::Text(text) => decoder.declare(text, item.scope, own)?,
                Content::Open | Content::Close | Content::Tombstone(_) => {}
            }
        }
        own.frame_bytes = own.frame_bytes.next_multiple_of(16);
        Ok(decoder)
    }

    fn parameters(&mut self, own: &Function) -> Result<(), String> {
        let of_kernel = own.parameters.iter();
        let mut of_function = own.results.iter().chain(&own.arguments);
        let mut of_kernel = of_kernel.map(|&(offset, _)| Local::Parameter(offset));
        for variable in of_head(self.function)? {
            let local = match (of_kernel.next(), of_function.next()) {
                (Some(local), _) => local,
                (None, Some(&Place::Bytes { offset, bytes })) => Local::Frame { offset, bytes },
                (None, Some(&Place::Value(Source::Register(first)))) => {
                    let lanes = variable.count.unwrap_or(1) as u32;
                    for _ in 1..lanes {
                        of_function.next();
                    }
                    Local::Register { first, lanes }
                }
                _ => return Err(format!("`{}` has no place", variable.name)),
            };
            self.locals.insert((0, variable.name), local);
        }
        Ok(())
    }

    fn take_registers(&mut self, own: &mut Function) -> Result<(), String> {
        for register in &self.function.registers {
            self.registers.push(own.registers);
            own.registers += u32::from(register.lanes);
            if own.registers > MAX_REGISTERS {
                return Err(format!("more than {MAX_REGISTERS} registers"));
            }
            if matches!(register.class, Class::Bits(bits) | Class::Integer(bits) | Class::Float(bits) if bits > 64)
            {
                return Err(format!("`{}` is a register of more than 64 bits", register.name));
            }
        }
        debug_assert!(own.registers >= OWN);
        own.places.clone_from(&self.registers);
        Ok(())
    }

    fn declare(&mut self, text: &str, scope: usize, own: &mut Function) -> Result<(), String> {
        let words = lexemes(text);
        let spaces = [".local", ".shared", ".param", ".global", ".const"];
        let declares = words.iter().take(3).any(|word| spaces.contains(word));
        if !declares {
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
            self.locals.insert((scope, variable.name), local);
        }
        Ok(())
    }

    /// The places of a register of the text: one, or as many as the vector has.
    pub(super) fn lanes(&self, register: usize) -> std::ops::Range<u32> {
        let first = self.registers[register];
        first..first + u32::from(self.function.registers[register].lanes)
    }

    /// Looks from scope to scope outwards.
    fn outwards<T>(&self, mut scope: usize, find: impl Fn(usize) -> Option<T>) -> Option<T> {
        loop {
            match find(scope) {
                None if scope != 0 => scope = self.function.scopes[scope],
                found => return found,
            }
        }
    }

    pub(super) fn local(&self, scope: usize, name: &str) -> Option<Local> {
        self.outwards(scope, |scope| self.locals.get(&(scope, name.to_owned())).copied())
    }

    pub(super) fn label(&self, scope: usize, name: &str) -> Result<u32, String> {
        let found = self.outwards(scope, |scope| self.labels.get(&(scope, name)).copied());
        found.ok_or_else(|| format!("there is no label `{name}`"))
    }

    pub(super) fn list(&self, scope: usize, name: &str) -> Result<Vec<u32>, String> {
        let found = self.outwards(scope, |scope| self.lists.get(&(scope, name)).copied());
        let labels = found.ok_or_else(|| format!("there is no list of labels `{name}`"))?;
        labels.iter().map(|label| self.label(scope, label)).collect()
    }

    fn op(&self, instruction: &Instruction, scope: usize) -> Result<Op, String> {
        let guard = instruction.guard.map(|guard| crate::emulate::op::Guard {
            register: self.lanes(guard.register).start,
            negated: guard.negated,
        });
        Ok(Op { guard, what: self.what(instruction, scope)? })
    }
}
