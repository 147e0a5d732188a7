//! Quotients and roots as the assembler computes those of ordinary numbers.
//!
//! For each division it makes a few instructions, and a branch to a function for operands that are infinite, no
//! numbers, or so large or small that something in between would be. The branch ends a block: no load or product is
//! moved across. Without it the same instructions give the same bits for all other operands, and a reciprocal is
//! computed once for several quotients.

use std::sync::Arc;

use super::edit::Reach;
use super::rounds::operand;
use crate::text::module::{Class, Content, Function, Instruction, InstructionId, Item, Token};

/// The steps of an opcode: an opcode each, then where its result goes, and its operands.
///
/// `d` is the result, `a` and `b` are the operands, other letters are new registers; the rest are numbers.
type Recipe = &'static [&'static str];

/// A reciprocal that is off by less than a unit in the last place, and so the quotient by its remainder.
const RECIPES: [(&str, Recipe); 5] = [
    (
        "div.rn.f32",
        &[
            "rcp.approx.ftz.f32 r b",
            "neg.f32 n b",
            "fma.rn.f32 e n r 0f3F800000",
            "fma.rn.f32 s r e r",
            "mul.rn.f32 q a s",
            "fma.rn.f32 m n q a",
            "fma.rn.f32 d s m q",
        ],
    ),
    (
        "rcp.rn.f32",
        &["rcp.approx.ftz.f32 r a", "neg.f32 n a", "fma.rn.f32 e n r 0f3F800000", "fma.rn.f32 d r e r"],
    ),
    (
        // The reciprocal root of 0 is infinite; any number will do there. That of a negative number is none.
        "sqrt.rn.f32",
        &[
            "rsqrt.approx.ftz.f32 i a",
            "min.NaN.f32 r i 0f7F7FFFFF",
            "mul.rn.f32 q a r",
            "mul.rn.f32 h r 0f3F000000",
            "neg.f32 n q",
            "fma.rn.f32 m n q a",
            "fma.rn.f32 d m h q",
        ],
    ),
    (
        "div.rn.f64",
        &[
            "rcp.approx.ftz.f64 r b",
            "neg.f64 n b",
            "fma.rn.f64 e n r 0d3FF0000000000000",
            "fma.rn.f64 f e e e",
            "fma.rn.f64 s r f r",
            "fma.rn.f64 g n s 0d3FF0000000000000",
            "fma.rn.f64 t s g s",
            "mul.rn.f64 q a t",
            "fma.rn.f64 m n q a",
            "fma.rn.f64 d t m q",
        ],
    ),
    (
        "rcp.rn.f64",
        &[
            "rcp.approx.ftz.f64 r a",
            "neg.f64 n a",
            "fma.rn.f64 e n r 0d3FF0000000000000",
            "fma.rn.f64 f e e e",
            "fma.rn.f64 s r f r",
            "fma.rn.f64 g n s 0d3FF0000000000000",
            "fma.rn.f64 d s g s",
        ],
    ),
];

impl Function {
    /// Computes quotients and roots without a look at special operands. Returns them.
    pub(crate) fn quicken(&mut self, reach: &Reach) -> Vec<InstructionId> {
        let mut done = Vec::new();
        let mut at = 0;
        while at < self.items.len() {
            let scope = self.items[at].scope;
            let steps = match &self.items[at].content {
                Content::Instruction(id, instruction) if reach.covers(*id, &self.name) => {
                    recipe(instruction).map(|recipe| (*id, Arc::clone(instruction), recipe))
                }
                _ => None,
            };
            if let Some((id, instruction, recipe)) = steps {
                let made = self.made(id, &instruction, recipe);
                let items = made.into_iter().map(|content| Item { scope, content });
                self.items.splice(at..=at, items);
                at += recipe.len() - 1;
                done.push(id);
            }
            at += 1;
        }
        done
    }

    /// Returns the steps in the place of an instruction, of which the last one has its number.
    fn made(&mut self, id: InstructionId, instruction: &Instruction, recipe: Recipe) -> Vec<Content> {
        let is_wide = instruction.opcode.ends_with("64");
        let mut registers: Vec<(&str, usize)> = Vec::new();
        let mut steps = Vec::with_capacity(recipe.len());
        for (number, step) in recipe.iter().enumerate() {
            let mut words = step.split(' ');
            let opcode = words.next().unwrap_or_default().to_owned();
            let mut operands = Vec::new();
            for word in words {
                let known = registers.iter().find(|(name, _)| *name == word).map(|(_, register)| *register);
                operands.push(match (word, known) {
                    ("d", _) => instruction.operands[0].clone(),
                    ("a", _) => instruction.operands[1].clone(),
                    ("b", _) => instruction.operands[2].clone(),
                    (_, Some(register)) => operand(register),
                    (number, None) if number.starts_with('0') => vec![Token::Word(number.to_owned())],
                    (name, None) => {
                        let class = Class::Float(if is_wide { 64 } else { 32 });
                        let register = self.new_register(&format!("%quick_{id}_{name}"), class);
                        registers.push((name, register));
                        operand(register)
                    }
                });
            }
            let is_last = number + 1 == recipe.len();
            let id = if is_last { id } else { InstructionId::part(id, number) };
            let step = Instruction { guard: instruction.guard, opcode, operands };
            steps.push(Content::Instruction(id, Arc::new(step)));
        }
        steps
    }
}

impl InstructionId {
    /// Returns the number of a step that stands for a part of an instruction.
    fn part(of: Self, number: usize) -> Self {
        Self::Created(nitro_core::Artifact::of(&format!("step {number} of {of}")).digest())
    }
}

/// Returns the steps by which an instruction may be computed.
fn recipe(instruction: &Instruction) -> Option<Recipe> {
    let (_, recipe) = RECIPES.iter().find(|(opcode, _)| *opcode == instruction.opcode)?;
    (!instruction.is_unusual()).then_some(*recipe)
}
