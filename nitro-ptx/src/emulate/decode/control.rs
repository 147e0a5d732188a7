//! Instructions by name: branches, calls, and where the others are decoded.

use super::function::{Decoder, Local};
use super::operands::{Reading, text};
use super::{FUNCTIONS, Meaning};
use crate::emulate::forms::{Arguments, known};
use crate::emulate::op::{Call, Place, Source, Target, What};
use crate::emulate::types::Type;
use crate::module::{Instruction, Token};

impl<'a> Decoder<'a> {
    pub(super) fn what(&self, instruction: &Instruction, scope: usize) -> Result<What, String> {
        let mut parts = instruction.opcode.split('.');
        let name = parts.next().unwrap_or_default();
        let class = |register: usize| self.function.registers[register].class;
        let arguments = Arguments { operands: &instruction.operands, class: &class };
        let parts = known(name, &parts.collect::<Vec<_>>(), &arguments)?;
        Reading { decoder: self, instruction, scope, name, parts }.what()
    }
}

impl Reading<'_, '_> {
    fn what(&self) -> Result<What, String> {
        match self.name {
            "mov" => self.moved(),
            "cvt" => self.convert(),
            "cvta" => self.convert_address(),
            "isspacep" => self.is_space(),
            "setp" => self.set_predicate(),
            "set" => self.set(),
            "ld" | "ldu" => self.load(),
            "st" => self.store(),
            "atom" | "red" => self.atomic(),
            "cp" => self.copy(),
            "bra" => Ok(What::Branch(self.label(0)?)),
            "brx" => self.choose(),
            "call" => self.call(),
            "ret" => Ok(What::Return),
            "exit" => Ok(What::Exit),
            "trap" => Ok(What::Trap),
            "bar" | "barrier" if !self.has("warp") => self.barrier(),
            "bar" | "shfl" | "vote" | "match" | "redux" | "elect" => self.collective(),
            "activemask" => Ok(What::ActiveMask(self.target(0)?)),
            "membar" | "fence" => Ok(What::Fence),
            "nanosleep" | "prefetch" | "prefetchu" | "pmevent" | "griddepcontrol" | "applypriority" => {
                Ok(What::Nothing)
            }
            "lop3" if self.parts.len() > 1 => self.logic(),
            name => match Self::video_lanes(name) {
                Some((name, lanes)) => self.video(name, lanes),
                None => self.compute(),
            },
        }
    }

    fn name_at(&self, at: usize) -> Result<&str, String> {
        match self.operand(at)? {
            [Token::Word(word)] => Ok(word),
            tokens => Err(format!("`{}` is no name", text(tokens))),
        }
    }

    fn label(&self, at: usize) -> Result<u32, String> {
        self.decoder.label(self.scope, self.name_at(at)?)
    }

    fn choose(&self) -> Result<What, String> {
        let index = self.source(0, Type::Unsigned(4))?;
        Ok(What::Choose(index, self.decoder.list(self.scope, self.name_at(1)?)?.into()))
    }

    fn call(&self) -> Result<What, String> {
        let is_list =
            |at: usize| self.operand(at).is_ok_and(|tokens| tokens.first() == Some(&Token::Mark('(')));
        let named = usize::from(is_list(0));
        if matches!(self.operand(named)?, [Token::Word(name)] if name == "__assertfail") {
            return Ok(What::Trap);
        }
        let function = self.called(named)?;
        let called = match function {
            Target::Function(index) => Some(&self.decoder.functions[index as usize]),
            Target::Pointer(_) => None,
        };
        let results = if named == 1 { self.places(0, &[])? } else { Vec::new() };
        let kinds = called.map_or(&[][..], |called| &called.kinds);
        let arguments = if is_list(named + 1) { self.places(named + 1, kinds)? } else { Vec::new() };
        if let Some(called) = called {
            if called.is_kernel {
                return Err(format!("it calls `{}`, which is a kernel", called.name));
            }
            if !fit(&arguments, &called.arguments) || !fit(&results, &called.results) {
                return Err(format!("`{}` takes or gives something else", called.name));
            }
        }
        if results
            .iter()
            .any(|place| matches!(place, Place::Value(source) if !matches!(source, Source::Register(_))))
        {
            return Err("what is written is no register".to_owned());
        }
        Ok(What::Call(Box::new(Call { function, arguments: arguments.into(), results: results.into() })))
    }

    fn called(&self, at: usize) -> Result<Target, String> {
        let tokens = self.operand(at)?;
        let [Token::Word(name)] = tokens else {
            return Ok(Target::Pointer(self.value(tokens, Type::Unsigned(8))?));
        };
        match self.decoder.names.get(name) {
            Some(Meaning::Address(address)) if *address >= FUNCTIONS && *address < super::VARIABLES => {
                Ok(Target::Function(((address - FUNCTIONS) / 16) as u32))
            }
            _ => Err(format!("it calls `{name}`, which the module does not have")),
        }
    }

    /// What is handed over: `(a, b)`, to parameters of these types where they are known.
    fn places(&self, at: usize, kinds: &[Type]) -> Result<Vec<Place>, String> {
        let [Token::Mark('('), inner @ .., Token::Mark(')')] = self.operand(at)? else {
            return Err("brackets do not fit".to_owned());
        };
        let mut places = Vec::new();
        for tokens in inner.split(|token| *token == Token::Mark(',')).filter(|one| !one.is_empty()) {
            if let Some(vector) = self.vector(tokens) {
                places.extend(vector.map(|register| Place::Value(Source::Register(register))));
                continue;
            }
            let local = match tokens {
                [Token::Word(name)] => self.decoder.local(self.scope, name),
                _ => None,
            };
            // Without a type no float has bits.
            let kind = kinds.get(places.len()).copied().unwrap_or(Type::Unsigned(8));
            places.push(match local {
                Some(Local::Frame { offset, bytes }) => Place::Bytes { offset, bytes },
                _ => Place::Value(self.value(tokens, kind)?),
            });
        }
        Ok(places)
    }
}

/// Whether what one hands over is what the other takes.
pub(in crate::emulate) fn fit(given: &[Place], taken: &[Place]) -> bool {
    let fits = |(given, taken): (&Place, &Place)| match (given, taken) {
        (Place::Bytes { bytes: given, .. }, Place::Bytes { bytes: taken, .. }) => given == taken,
        (Place::Value(_), Place::Value(_)) => true,
        // A register as wide as the parameter.
        (Place::Value(_), Place::Bytes { bytes, .. }) | (Place::Bytes { bytes, .. }, Place::Value(_)) => {
            *bytes <= 8
        }
    };
    given.len() == taken.len() && given.iter().zip(taken).all(fits)
}
