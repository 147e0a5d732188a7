//! Two texts that do the same whatever the data and the sizes: global value numbering over both at once (Alpern, Wegman
//! and Zadeck, "Detecting equality of variables in programs", POPL 1988).
//!
//! Both have the same blocks. Each register, and the content of each kind of memory, has the number of a value. At the
//! beginning of a block two have the same number if they have it at the end of all blocks before. Where memory, and
//! what blocks branch by, have the same numbers in both texts, both go the same ways and do the same. What one loads
//! the other has to load in the same block, since it might stray elsewhere.

mod numbers;

use std::collections::{HashMap, HashSet};

use self::numbers::{Numbers, Value};
use crate::analysis::flow::{Flow, Occurrence};
use crate::instructions::effect::Kind;
use crate::instructions::sites::Role;
use crate::machine::symbolic::{Fusion, NARROWED, Opcode};
use crate::text::head::Head;
use crate::text::module::{Content, Function, Instruction, Module, Token};
use crate::text::types::Space;

/// The most numbers that are compared for all blocks together, and the most rounds until none changes any more.
const MOST_VALUES: usize = 1 << 22;
const MOST_ROUNDS: usize = 64;

/// The kinds of memory: global, shared, that of the thread, and what calls and the like may change.
const MEMORIES: usize = 4;
const OTHERS: usize = 3;

/// Special registers that are the same in a thread as long as it runs.
const CONSTANT: [&str; 6] = ["%tid", "%ntid", "%ctaid", "%nctaid", "%laneid", "%lanemask"];

/// What two texts have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Same {
    /// Set if the assembler may fuse products and sums, in one of the texts and not in the other.
    pub may_be_fused: bool,
}

impl Module {
    /// Returns what follows where the texts alone show that both do the same, with all data, in all launches; none
    /// where they do not show it.
    ///
    /// NaN counts as equal to NaN, whatever its payload. Threads that race may see another order. What directives say
    /// of registers and threads is not compared.
    ///
    /// ```
    /// use nitro_ptx::Module;
    ///
    /// let kernel = |body: &str| Module::parse(&format!(".entry k(.param .u64 to) {{\n\
    ///     .reg .b64 %rd<2>; .reg .b32 %r<4>; ld.param.u64 %rd1, [to]; mov.u32 %r1, %tid.x;\n\
    ///     {body} st.global.u32 [%rd1], %r3; ret; }}"));
    /// let original = kernel("add.s32 %r2, %r1, 7; add.s32 %r3, %r2, %r1;")?;
    /// let moved = kernel("mov.u32 %r3, 7; add.s32 %r2, %r3, %r1; add.s32 %r3, %r1, %r2;")?;
    /// let other = kernel("add.s32 %r2, %r1, 8; add.s32 %r3, %r2, %r1;")?;
    /// assert!(original.does_the_same(&moved).is_some() && original.does_the_same(&other).is_none());
    /// # Ok::<(), nitro_ptx::ParseError>(())
    /// ```
    #[must_use]
    pub fn does_the_same(&self, other: &Self) -> Option<Same> {
        let is_around_alike =
            self.texts().eq(other.texts()) && self.bodies().count() == other.bodies().count();
        let mut may_be_fused = false;
        for (one, other) in self.bodies().zip(other.bodies()) {
            let heads = [one, other].map(|function| Head::of(&function.head));
            let [head, other_head] = &heads;
            if (head.name, &head.parameters) != (other_head.name, &other_head.parameters) {
                return None;
            }
            if one.body() == other.body() {
                continue;
            }
            Comparison::new([one, other])?.agree()?;
            may_be_fused |= one.may_be_fused();
        }
        is_around_alike.then_some(Same { may_be_fused })
    }
}

impl Function {
    /// Returns the body as it is printed.
    fn body(&self) -> String {
        let text = self.to_string();
        text.split_once("\n{\n").map_or_else(String::new, |(_, body)| body.to_owned())
    }

    /// Lists what is declared in the body but registers, and where its scopes begin and end.
    fn declared(&self) -> impl Iterator<Item = &str> {
        self.items.iter().filter_map(|item| match &item.content {
            Content::Text(text) if text.starts_with(".reg") => None,
            Content::Text(text) | Content::Targets { text, .. } | Content::Label(text) => Some(text.as_str()),
            Content::Open => Some("{"),
            Content::Close => Some("}"),
            Content::Instruction(..) | Content::Tombstone(_) => None,
        })
    }

    /// Tells whether the assembler may fuse a product with a sum.
    fn may_be_fused(&self) -> bool {
        let has = |fusion| self.instructions().any(|(_, other)| Opcode::of(&other.opcode).fusion == fusion);
        has(Fusion::Product) && has(Fusion::Sum)
    }
}

/// The values of a text at a place: those of registers, then those of memories.
type State = Vec<Value>;

/// Two functions that are compared.
struct Comparison<'a> {
    flows: [Flow<'a>; 2],
    numbers: Numbers,
}

impl<'a> Comparison<'a> {
    /// Compares functions with the same blocks; none where they have others, or are too large.
    fn new(functions: [&'a Function; 2]) -> Option<Self> {
        let flows = [Flow::new(functions[0])?, Flow::new(functions[1])?];
        let [one, other] = &flows;
        let values: usize = functions.iter().map(|function| function.registers.len() + MEMORIES).sum();
        let are_alike = one.blocks.len() == other.blocks.len()
            && one
                .blocks
                .iter()
                .zip(&other.blocks)
                .all(|(one, other)| (&one.successors, one.may_end) == (&other.successors, other.may_end));
        let is_small = one.blocks.len() * values <= MOST_VALUES;
        let are_usual = functions.iter().all(|function| {
            function.registers.iter().all(|register| register.lanes == 1)
                && !function.instructions().any(|(_, instruction)| instruction.is_unusual())
        });
        let is_declared_alike = functions[0].declared().eq(functions[1].declared());
        (are_alike && is_declared_alike && is_small && are_usual)
            .then(|| Self { flows, numbers: Numbers::default() })
    }

    /// Returns something if the functions do the same in all blocks that can be reached.
    fn agree(mut self) -> Option<()> {
        let first: [State; 2] = [0, 1].map(|text| self.undefined(text));
        let mut ends: Vec<Option<[State; 2]>> = vec![None; self.flows[0].blocks.len()];
        let mut branches = vec![true; ends.len()];
        for _ in 0..MOST_ROUNDS {
            let mut is_stable = true;
            for block in 0..ends.len() {
                let Some(mut states) = self.beginning(block, &first, &ends) else { continue };
                let [(decision, loads), (other_decision, other_loads)] =
                    [0, 1].map(|text| self.run(text, block, &mut states[text]));
                let memories = states.each_ref().map(|state| state[state.len() - MEMORIES..].to_vec());
                // A load that only the second makes may stray.
                branches[block] =
                    decision == other_decision && memories[0] == memories[1] && other_loads.is_subset(&loads);
                if ends[block].as_ref() != Some(&states) {
                    ends[block] = Some(states);
                    is_stable = false;
                }
            }
            if is_stable {
                return branches.into_iter().all(|is_alike| is_alike).then_some(());
            }
        }
        None
    }

    /// Returns the values of registers and memories before anything is done. What nobody wrote is the same in both.
    fn undefined(&mut self, text: usize) -> State {
        let registers = &self.flows[text].function.registers;
        let mut state: State =
            registers.iter().map(|register| self.numbers.of(&register.name, &[])).collect();
        state.extend((0..MEMORIES as Value).map(|memory| self.numbers.of("memory", &[memory])));
        state
    }

    /// Returns the values at the beginning of a block, as far as blocks before it are known; none where none is.
    fn beginning(
        &mut self,
        block: usize,
        first: &[State; 2],
        ends: &[Option<[State; 2]>],
    ) -> Option<[State; 2]> {
        let before = &self.flows[0].blocks[block].predecessors;
        let mut known: Vec<&[State; 2]> = before.iter().filter_map(|&from| ends[from].as_ref()).collect();
        known.extend((block == 0).then_some(first));
        let one = *known.first()?;
        if before.len() + usize::from(block == 0) == 1 {
            return Some(one.clone());
        }
        // What differs from way to way is a value of its own, the same for those that are alike in all ways.
        let mut classes: HashMap<Vec<Value>, Value> = HashMap::new();
        let mut position = 0;
        Some([0, 1].map(|text| {
            (0..one[text].len())
                .map(|at| {
                    position += 1;
                    let alike = one[text][at];
                    if known.iter().all(|states| states[text][at] == alike) {
                        return alike;
                    }
                    let ways: Vec<Value> = known.iter().map(|states| states[text][at]).collect();
                    let class = *classes.entry(ways).or_insert(position);
                    self.numbers.of("meeting", &[block as Value, class])
                })
                .collect()
        }))
    }

    /// Runs a block of a text. Returns the value by which it branches or ends, and those that say what it loads.
    fn run(&mut self, text: usize, block: usize, state: &mut State) -> (Value, HashSet<Value>) {
        let (mut decision, mut loads) = (self.numbers.of("next", &[]), HashSet::new());
        for placed in &self.flows[text].blocks[block].code {
            let mut step = Step { numbers: &mut self.numbers, state };
            loads.extend(step.load(placed));
            decision = step.execute(placed).unwrap_or(decision);
        }
        (decision, loads)
    }
}

/// A text in which an instruction is about to be executed.
struct Step<'s> {
    numbers: &'s mut Numbers,
    state: &'s mut State,
}

impl Step<'_> {
    /// Returns a value that says where a load reads, and under which guard.
    fn load(&mut self, Occurrence { instruction, scope, .. }: &Occurrence<'_>) -> Option<Value> {
        let effect = instruction.effect();
        if effect.kind != Kind::Load || matches!(effect.space, Space::Parameter | Space::Constant) {
            return None;
        }
        let mut values = self.operands(instruction, *scope);
        values.extend(
            instruction.guard.iter().flat_map(|guard| [self.state[guard.register], guard.negated.into()]),
        );
        Some(self.numbers.of(&format!("load {}", plain(&instruction.opcode)), &values))
    }

    /// Executes an instruction. Returns what a branch or an end decides by.
    fn execute(&mut self, Occurrence { instruction, scope, .. }: &Occurrence<'_>) -> Option<Value> {
        let effect = instruction.effect();
        let opcode = plain(&instruction.opcode);
        let mut operands = self.operands(instruction, *scope);
        let registers = self.state.len() - MEMORIES;
        let guard = instruction.guard.map(|guard| (self.state[guard.register], guard.negated));
        let reads_clock = instruction.operands.iter().flatten().any(is_changing);
        let is_ordered = reads_clock || opcode.split('.').any(|part| matches!(part, "volatile" | "mmio"));
        let touched: &[usize] = match (effect.kind, effect.space) {
            (Kind::Pure | Kind::Load | Kind::Store, _) if is_ordered => &[0, 1, 2, OTHERS],
            (Kind::Hint, _) => return None,
            (Kind::Pure, _) => &[],
            (Kind::Load | Kind::Store, Space::Parameter | Space::Constant) => &[OTHERS],
            (Kind::Load | Kind::Store, Space::Global) => &[0],
            (Kind::Load | Kind::Store, Space::Shared) => &[1],
            (Kind::Load | Kind::Store, Space::Local) => &[2],
            (Kind::Load | Kind::Store | Kind::Barrier | Kind::Collective | Kind::Atomic, _) => &[0, 1, 2],
            _ => &[0, 1, 2, OTHERS],
        };
        operands.extend(touched.iter().map(|memory| self.state[registers + memory]));
        if matches!(effect.kind, Kind::Branch | Kind::End) {
            operands.extend(guard.map(|(value, negated)| self.numbers.of("guard", &[value, negated.into()])));
            return Some(self.numbers.of(&opcode, &operands));
        }
        let places: Vec<usize> = instruction.definitions();
        let writes = is_ordered || !matches!(effect.kind, Kind::Pure | Kind::Load);
        let memories = touched.iter().filter(|_| writes).map(|memory| registers + memory);
        let properties = Opcode::of(&opcode);
        for (result, place) in places.into_iter().chain(memories).enumerate() {
            let is_copy = properties.is_move && instruction.operands.iter().all(|operand| operand.len() <= 2);
            let narrowed = operands.first().filter(|_| opcode == NARROWED);
            let narrowed = narrowed.and_then(|&wide| self.numbers.narrowed(wide));
            let new = match (&operands[..], is_copy, narrowed) {
                (&[value], true, _) | (_, _, Some(value)) => value,
                _ => self.numbers.of(&opcode, &[&[result as Value], &operands[..]].concat()),
            };
            let old = self.state[place];
            self.state[place] = match guard {
                Some((value, negated)) if new != old => {
                    self.numbers.of("guarded", &[value, negated.into(), new, old])
                }
                _ => new,
            };
        }
        None
    }

    /// Returns the values of what an instruction reads.
    fn operands(&mut self, instruction: &Instruction, scope: usize) -> Vec<Value> {
        let sites = instruction.sites();
        let mut values = Vec::new();
        for (at, operand) in instruction.operands.iter().enumerate() {
            let mut own = sites.iter().filter(|site| site.operand == at);
            if own.clone().next().is_some_and(|site| site.role == Role::Definition) {
                // How results are put together.
                let shape = self.numbers.of("results", &[operand.len() as Value]);
                values.extend((operand.len() > 1).then_some(shape));
                continue;
            }
            let value = match &operand[..] {
                [Token::Register(register, _)] => self.state[*register],
                tokens => {
                    let mut words = String::new();
                    let registers: Vec<Value> = own
                        .by_ref()
                        .filter_map(|site| site.register.map(|register| self.state[register]))
                        .collect();
                    for token in tokens {
                        match token {
                            Token::Register(..) => words.push('#'),
                            Token::Mark(mark) => words.push(*mark),
                            Token::Word(word) if is_global(word) => words.push_str(word),
                            Token::Word(word) => words.push_str(&format!("{word}@{scope}")),
                        }
                        words.push(' ');
                    }
                    self.numbers.of(&words, &registers)
                }
            };
            values.push(value);
        }
        let commutes = Opcode::of(&instruction.opcode).commutes && instruction.definitions().len() == 1;
        if commutes && values.len() >= 2 {
            values[..2].sort_unstable();
        }
        values
    }
}

/// Returns an opcode without what says how it goes through caches.
fn plain(opcode: &str) -> String {
    if !opcode.starts_with("ld.") && !opcode.starts_with("st.") {
        return opcode.to_owned();
    }
    let parts = opcode.split('.').filter(|part| !matches!(*part, "ca" | "cg" | "cs" | "wb" | "wt"));
    parts.collect::<Vec<_>>().join(".")
}

/// Tells whether a word means the same in all scopes.
fn is_global(word: &str) -> bool {
    word.starts_with(|first: char| first == '%' || first.is_ascii_digit())
}

/// Tells whether a special register may be another one when it is read again.
fn is_changing(token: &Token) -> bool {
    let Token::Word(word) = token else { return false };
    word.starts_with('%') && !CONSTANT.iter().any(|name| word.starts_with(name))
}

#[cfg(test)]
mod tests;
