//! The numbers that registers hold in launches of which something is known (interval analysis: Cousot and Cousot,
//! "Abstract interpretation", POPL 1977).
//!
//! Where no thread comes, whatever the data, and what is the same number for all, no input can show otherwise.

mod compute;
mod range;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

pub use self::compute::KnownLaunches;
use self::compute::{Offsets, Reader, State, bits};
use self::range::Range;
use crate::analysis::flow::{Flow, Occurrence};
use crate::instructions::effect::Kind;
use crate::text::declare::of_head;
use crate::text::module::{
    Class, Content, Function, Guard, Instruction, InstructionId, Module, Piece, Token,
};

/// The rounds through all blocks after which nothing is known, and the one from which what still grows has no bound.
const MOST_ROUNDS: usize = 64;
const ROUND_WITHOUT_BOUNDS: usize = 3;

/// Something that is known of an instruction.
enum Known {
    /// No thread executes it.
    Never,
    /// Its guard always holds.
    Always,
    /// It computes this number.
    Number(i128),
}

impl Module {
    /// Returns the same for launches of which something is known, by kernel: without what no thread comes to, and with
    /// numbers in the place of what is always the same. In other launches it may be another program.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use nitro_ptx::{KnownLaunches, Module};
    ///
    /// let text = ".visible .entry k() { .reg .pred %p<2>; .reg .b32 %r<2>; mov.u32 %r1, %tid.x;\n\
    ///     add.s32 %r1, %r1, 64; setp.gt.s32 %p1, %r1, 99; @%p1 bra OUT; bar.sync 0; OUT: ret; }";
    /// let launches = |threads| KnownLaunches { block: Some([threads, 1, 1]), ..KnownLaunches::default() };
    /// let module = Module::parse(text)?;
    /// let small = module.in_launches(&BTreeMap::from([("k".to_owned(), launches(32))])).to_string();
    /// assert!(!small.contains("bra") && small.contains("bar.sync"));
    /// let large = module.in_launches(&BTreeMap::from([("k".to_owned(), launches(64))])).to_string();
    /// assert!(large.contains("@%p1 bra"));
    /// # Ok::<(), nitro_ptx::ParseError>(())
    /// ```
    #[must_use]
    pub fn in_launches(&self, launches: &BTreeMap<String, KnownLaunches>) -> Self {
        let mut module = self.clone();
        for piece in &mut module.pieces {
            if let Piece::Function(function) = piece
                && let Some(known) = launches.get(&function.name).filter(|_| function.is_kernel())
            {
                let facts = facts(function, known).unwrap_or_default();
                function.simplify(&facts);
            }
        }
        module
    }
}

impl Function {
    /// Leaves out what is never executed, and puts numbers where they are known.
    fn simplify(&mut self, facts: &HashMap<InstructionId, Known>) {
        for item in &mut self.items {
            let Content::Instruction(id, instruction) = &mut item.content else { continue };
            match facts.get(id) {
                // A body ends by what ends a thread.
                Some(Known::Never)
                    if instruction.effect().kind != Kind::End || instruction.guard.is_some() =>
                {
                    item.content = Content::Tombstone(*id);
                }
                Some(Known::Always) => Arc::make_mut(instruction).guard = None,
                Some(Known::Number(number)) => {
                    let instruction = Arc::make_mut(instruction);
                    instruction.operands.truncate(1);
                    instruction.operands.push(written(*number));
                    let class = match instruction.operands[0][..] {
                        [Token::Register(register, _)] => self.registers[register].class,
                        _ => Class::Other,
                    };
                    let kind = if class == Class::Predicate {
                        "pred".to_owned()
                    } else {
                        format!("b{}", bits(class))
                    };
                    instruction.opcode = format!("mov.{kind}");
                }
                _ => {}
            }
        }
    }
}

/// Returns a number as an operand.
fn written(number: i128) -> Vec<Token> {
    let word = Token::Word(number.unsigned_abs().to_string());
    if number < 0 { vec![Token::Mark('-'), word] } else { vec![word] }
}

/// Returns what is known of the instructions of a kernel; none where it is too large, or ranges do not settle.
fn facts(function: &Function, known: &KnownLaunches) -> Option<HashMap<InstructionId, Known>> {
    let flow = Flow::new(function)?;
    let parameters = of_head(function).ok()?.into_iter().zip(&known.least);
    let number = |least: u32| Range { low: least.into(), high: i32::MAX.into() };
    let parameters = parameters.filter_map(|(own, least)| Some((own.name, number((*least)?)))).collect();
    let reader = Reader { function, known, parameters };
    let before = reader.at_blocks(&flow)?;
    let mut facts = HashMap::new();
    for (block, state) in flow.blocks.iter().zip(before) {
        let Some(mut state) = state else {
            facts.extend(block.code.iter().map(|placed| (placed.id, Known::Never)));
            continue;
        };
        let mut offsets = Offsets::new();
        for placed in &block.code {
            let guard = reader.guard(placed.instruction, &state);
            reader.execute(placed.instruction, &mut state, &mut offsets);
            let number = number_of(placed.instruction, guard, function, &state);
            let fact = match (guard, placed.instruction.guard, number) {
                (Some(false), ..) => Some(Known::Never),
                (Some(true), Some(_), _) => Some(Known::Always),
                (_, _, number) => number.map(Known::Number),
            };
            facts.extend(fact.map(|fact| (placed.id, fact)));
        }
    }
    Some(facts)
}

/// Returns the number that an instruction has computed of registers, if that is known.
fn number_of(
    instruction: &Instruction,
    guard: Option<bool>,
    function: &Function,
    state: &State,
) -> Option<i128> {
    let [place] = instruction.definitions()[..] else { return None };
    let is_read = instruction.sites().iter().any(|site| site.operand > 0 && site.register.is_some());
    let is_integer = !matches!(function.registers[place].class, Class::Float(_) | Class::Other);
    let is_pure =
        instruction.effect().kind == Kind::Pure && instruction.guard.is_none() && guard == Some(true);
    state[place].number().filter(|_| is_pure && is_integer && is_read)
}

impl Reader<'_> {
    /// Returns the ranges at the beginning of each block, none where no thread comes; none where they do not settle.
    fn at_blocks(&self, flow: &Flow<'_>) -> Option<Vec<Option<State>>> {
        let mut before: Vec<Option<State>> = vec![None; flow.blocks.len()];
        let all = self.function.registers.iter().map(|register| Range::all(bits(register.class)));
        *before.first_mut()? = Some(all.collect());
        for round in 0..MOST_ROUNDS {
            let mut is_settled = true;
            for block in 0..flow.blocks.len() {
                let Some(state) = before[block].clone() else { continue };
                for (next, state) in self.after(flow, block, state) {
                    is_settled &= !self.join(&mut before[next], state, round >= ROUND_WITHOUT_BOUNDS);
                }
            }
            if is_settled {
                return Some(before);
            }
        }
        None
    }

    /// Returns the blocks that come after one, with the ranges there.
    fn after(&self, flow: &Flow<'_>, block: usize, mut state: State) -> Vec<(usize, State)> {
        let own = &flow.blocks[block];
        let (mut holds, mut offsets) = (Some(true), Offsets::new());
        for placed in &own.code {
            holds = self.guard(placed.instruction, &state);
            self.execute(placed.instruction, &mut state, &mut offsets);
        }
        // Of a branch with two ways it is known which is which.
        let last = own.code.last().map(|last| last.instruction).filter(|last| match last.effect().kind {
            Kind::Branch => last.opcode.starts_with("bra") && own.successors.len() <= 2,
            kind => kind == Kind::End,
        });
        let Some((last, guard)) = last.and_then(|last| Some((last, last.guard?))) else {
            return own.successors.iter().map(|&next| (next, state.clone())).collect();
        };
        let mut after = Vec::new();
        for &next in &own.successors {
            // A branch to what stands next goes there in any case.
            let ways = [(true, next != block + 1), (false, next == block + 1)];
            let is_target_next = own.successors.len() == 1 && last.effect().kind == Kind::Branch;
            for (is_taken, is_way) in ways {
                if (is_way || is_target_next) && holds != Some(!is_taken) {
                    let truth = is_taken != guard.negated;
                    let state = self.refined(&own.code, guard, truth, state.clone());
                    after.extend(state.map(|state| (next, state)));
                }
            }
        }
        after
    }

    /// Returns the ranges where a guard was true or false; none where it cannot be.
    fn refined(&self, code: &[Occurrence<'_>], guard: Guard, truth: bool, mut state: State) -> Option<State> {
        let place = guard.register;
        state[place] = Range::one(truth.into()).common(state[place])?;
        let at = code.iter().rposition(|placed| placed.instruction.definitions().contains(&place));
        let Some((at, compares)) = at.map(|at| (at, code[at].instruction)) else { return Some(state) };
        let written: Vec<usize> =
            code[at..].iter().flat_map(|placed| placed.instruction.definitions()).collect();
        // What it has compared has to be there still.
        let mut read =
            compares.sites().into_iter().filter_map(|site| site.register).filter(|&read| read != place);
        let is_plain = compares.guard.is_none() && compares.definitions().len() == 1;
        if is_plain && read.all(|register| !written.contains(&register)) {
            for (register, range) in self.narrowed(compares, truth, &state).into_iter().flatten() {
                state[register] = range?;
            }
        }
        Some(state)
    }

    /// Adds ranges to those at a block. Returns true if some are larger then.
    fn join(&self, known: &mut Option<State>, state: State, is_unbounded: bool) -> bool {
        let Some(known) = known else {
            *known = Some(state);
            return true;
        };
        let mut grows = false;
        for ((own, other), register) in known.iter_mut().zip(state).zip(&self.function.registers) {
            let joined = own.joined(other);
            if joined == *own {
                continue;
            }
            let all = Range::all(bits(register.class));
            let low = if is_unbounded && joined.low < own.low { all.low } else { joined.low };
            let high = if is_unbounded && joined.high > own.high { all.high } else { joined.high };
            (*own, grows) = (Range { low, high }, true);
        }
        grows
    }
}

#[cfg(test)]
mod tests;
