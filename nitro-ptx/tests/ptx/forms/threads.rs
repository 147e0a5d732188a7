//! Forms that read and write memory, and those by which threads of a warp or block tell each other something.

use nitro_ptx::Module;
use nitro_ptx::emulate::{Emulator, Launch, Memory, Operand, Options, Races, forms};
use nitro_test_support::random::Random;

use super::case::bits;
use super::float::{Format, Round};
use super::operands;
use super::program::packed;
use super::reference::{cut, number};
use crate::support::{assemble, ptxas};

/// Threads of the one block.
pub const THREADS: usize = 256;
/// Words of 64 bits that a thread has in each memory, and that it writes for each instruction: four values and its
/// memory.
const SLOT: usize = 4;
pub const WORDS: usize = 8;
/// Instructions of one kernel.
pub const STEPS: usize = 48;
/// Opcodes of each form with more of them.
const DRAWN: u64 = 40;

/// The operands of each thread.
pub type Operands = Vec<[u64; 4]>;

/// An instruction that is tried.
#[derive(Clone, Debug)]
pub struct Step {
    pub opcode: String,
    parts: Vec<String>,
    operands: Vec<Operand>,
}

impl Step {
    fn has(&self, part: &str) -> bool {
        self.parts.iter().any(|own| own == part)
    }

    fn name(&self) -> &str {
        self.opcode.split('.').next().unwrap()
    }

    fn kind(&self) -> &str {
        self.parts.iter().rev().map(String::as_str).find(|part| bits(part).is_some()).unwrap_or("b32")
    }

    /// Bits of a value, and of the register that it has.
    fn widths(&self) -> (u32, u32) {
        let width = bits(self.kind()).unwrap();
        (width, width.max(16))
    }

    /// Bits of the register of a result.
    fn result_width(&self) -> u32 {
        if self.name() == "match" { 32 } else { self.widths().1 }
    }

    fn lanes(&self) -> usize {
        [("v2", 2), ("v4", 4)].into_iter().find(|(part, _)| self.has(part)).map_or(1, |(_, lanes)| lanes)
    }

    /// The register with this thread's address, in the memory that the opcode names.
    fn base(&self) -> &'static str {
        let is = |space: &str| {
            self.parts.iter().any(|part| part == space || part.starts_with(&format!("{space}::")))
        };
        if self.has("nc") || self.name() == "ldu" {
            "%fixed"
        } else if is("shared") {
            "%shared"
        } else if is("local") {
            "%local"
        } else {
            "%global"
        }
    }

    /// Whether more of one value fits where it is.
    fn fits(&self) -> bool {
        let is_elsewhere =
            ["const", "param", "param::entry", "param::func", "v8"].iter().any(|part| self.has(part));
        !is_elsewhere && self.widths().0 as usize * self.lanes() <= 128
    }

    /// Its text; what it gives is in `%w` registers and the predicate `%q`.
    fn text(&self) -> String {
        let width = self.widths().1;
        let one = |at: usize, operand: &Operand| match operand {
            Operand::VectorWritten => self.list("w", width),
            Operand::VectorRead => self.list("v", width),
            Operand::Written => format!("%w{}_0", self.result_width()),
            Operand::WrittenWithPredicate => format!("%w{}_0|%q", self.result_width()),
            Operand::PredicateWritten => "%q".to_owned(),
            Operand::Predicate => if self.opcode.len().is_multiple_of(2) { "%p" } else { "!%p" }.to_owned(),
            Operand::Address if self.name() == "cp" => {
                if at == 0 { "[%shared]" } else { "[%fixed]" }.to_owned()
            }
            Operand::Address => format!("[{}]", self.base()),
            Operand::Constant => if self.has("cg") { "16" } else { "8" }.to_owned(),
            _ => self.source(at, width),
        };
        let operands: Vec<String> =
            self.operands.iter().enumerate().map(|(at, operand)| one(at, operand)).collect();
        let text = format!("{} {};", self.opcode, operands.join(", "));
        if self.name() == "cp" { format!("{text} cp.async.wait_all;") } else { text }
    }

    fn list(&self, letter: &str, width: u32) -> String {
        let each: Vec<String> = (0..self.lanes()).map(|lane| format!("%{letter}{width}_{lane}")).collect();
        if each.len() == 1 { each[0].clone() } else { format!("{{{}}}", each.join(", ")) }
    }

    /// A value that is read.
    fn source(&self, at: usize, width: u32) -> String {
        let is_last = at + 1 == self.operands.len();
        match self.name() {
            "shfl" if self.has("sync") && is_last => "0xffffffff".to_owned(),
            "shfl" => ["%v32_0", "%lane", "%segment"][at - 1].to_owned(),
            "vote" | "match" | "redux" | "elect" if is_last => "0xffffffff".to_owned(),
            "match" => format!("%few{width}"),
            "cp" => "%few32".to_owned(),
            "bar" | "barrier" if self.has("warp") => "0xffffffff".to_owned(),
            // The barrier, and how many threads come to it.
            "bar" | "barrier" => {
                if self.operands[..at].contains(&Operand::Read) { "256" } else { "1" }.to_owned()
            }
            _ => format!(
                "%v{width}_{}",
                self.operands[..at].iter().filter(|one| **one == Operand::Read).count()
            ),
        }
    }
}

/// What is tried: all opcodes of small forms, and some of large ones.
pub fn steps() -> Vec<Step> {
    const NAMES: [&str; 15] = [
        "ld",
        "ldu",
        "st",
        "atom",
        "red",
        "cp",
        "shfl",
        "vote",
        "match",
        "redux",
        "elect",
        "activemask",
        "bar",
        "barrier",
        "prefetch",
    ];
    let mut random = Random::new(3);
    let mut steps = Vec::new();
    for form in forms() {
        let count = form.opcodes() as u64;
        for operands in form.operands() {
            let all: Vec<u64> = if count <= DRAWN {
                (0..count).collect()
            } else {
                (0..DRAWN).map(|_| random.below(count)).collect()
            };
            for at in all {
                let opcode = form.opcode(at as usize);
                let parts = opcode.split('.').skip(1).map(str::to_owned).collect();
                let step = Step { opcode, parts, operands: operands.clone() };
                // Groups and arrivals are tried where there is something to wait for; of old shuffles and votes nothing
                // is said on new devices.
                let is_apart = matches!(step.name(), "shfl" | "vote") && !step.has("sync")
                    || step.has("arrive")
                    || step.opcode.contains("_group")
                    || step.has("wait_all");
                if NAMES.contains(&step.name()) && !is_apart && step.fits() {
                    steps.push(step);
                }
            }
        }
    }
    steps
}

/// The kernel `k` for some steps.
pub fn text(steps: &[Step]) -> String {
    let mut text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, \
        .param .u64 slots, .param .u64 out)\n{\n\
        .reg .pred %p, %q; .reg .b16 %w16_<4>, %v16_<4>; .reg .b32 %w32_<4>, %v32_<4>, %few32, %i, %lane, \
        %segment, %offset;\n\
        .reg .b64 %w64_<4>, %v64_<4>, %few64, %fixed, %global, %shared, %local, %out, %y;\n\
        .shared .align 16 .b8 sh[8192]; .local .align 16 .b8 lo[32];\n\
        ld.param.u64 %fixed, [in]; ld.param.u64 %global, [slots]; ld.param.u64 %out, [out]; mov.u32 %i, %tid.x;\n\
        mad.wide.u32 %fixed, %i, 32, %fixed; mad.wide.u32 %global, %i, 32, %global; mul.lo.u32 %offset, %i, 32;\n\
        mov.u64 %shared, sh; cvt.u64.u32 %y, %offset; add.u64 %shared, %shared, %y; mov.u64 %local, lo;\n"
        .to_owned();
    text.push_str(&format!("mad.wide.u32 %out, %i, {}, %out;\n", WORDS * 8));
    for at in 0..4 {
        text.push_str(&format!(
            "ld.global.u64 %v64_{at}, [%fixed+{0}]; ld.global.u32 %v32_{at}, [%fixed+{0}]; \
            ld.global.u16 %v16_{at}, [%fixed+{0}];\n",
            at * 8
        ));
    }
    text.push_str(
        "and.b32 %lane, %v32_1, 31; and.b32 %segment, %v32_2, 0x1f1f; and.b32 %few32, %v32_0, 3; \
        and.b64 %few64, %v64_0, 3;\n\
         and.b64 %y, %v64_3, 1; setp.ne.u64 %p, %y, 0;\n",
    );
    for (at, step) in steps.iter().enumerate() {
        let offset = at * THREADS * WORDS * 8;
        for (word, space) in [("global", "%global"), ("shared", "%shared"), ("local", "%local")] {
            for at in 0..SLOT {
                text.push_str(&format!("st.{word}.u64 [{space}+{}], %v64_{at}; ", at * 8));
            }
        }
        text.push_str(
            "mov.b16 %w16_0, 0; mov.b16 %w16_1, 0; mov.b16 %w16_2, 0; mov.b16 %w16_3, 0; \
        setp.ne.u32 %q, %i, %i;\n",
        );
        for lane in 0..4 {
            text.push_str(&format!("mov.b32 %w32_{lane}, 0; mov.b64 %w64_{lane}, 0; "));
        }
        text.push_str(&format!("\n{}\n", step.text()));
        let width = step.result_width();
        for lane in 0..4 {
            match (width, lane) {
                // A predicate stands beside the first value.
                (_, 1) if step.lanes() == 1 => text.push_str("selp.u64 %y, 1, 0, %q; "),
                (64, _) => text.push_str(&format!("mov.b64 %y, %w64_{lane}; ")),
                (16 | 32, _) => text.push_str(&format!("cvt.u64.u{width} %y, %w{width}_{lane}; ")),
                _ => text.push_str("mov.b64 %y, 0; "),
            }
            text.push_str(&format!("st.global.u64 [%out+{}], %y; ", offset + lane * 8));
        }
        let (word, space) = match step.base() {
            _ if step.name() == "cp" => ("shared", "%shared"),
            "%shared" => ("shared", "%shared"),
            "%local" => ("local", "%local"),
            _ => ("global", "%global"),
        };
        for at in 0..SLOT {
            let to = offset + 32 + at * 8;
            text.push_str(&format!(
                "ld.{word}.u64 %y, [{space}+{}]; st.global.u64 [%out+{to}], %y; ",
                at * 8
            ));
        }
        text.push('\n');
    }
    text + "ret;\n}\n"
}

/// Operands for all threads, floats of all kinds among them.
pub fn drawn(seed: u64) -> Operands {
    let groups = ["integer", "f32", "f16x2", "bf16x2", "f64", "integer", "f32"];
    let of = |(at, group): (usize, &&str)| operands::drawn(group, seed + at as u64, THREADS);
    let lists: Vec<Operands> = groups.iter().enumerate().map(of).collect();
    (0..THREADS).map(|thread| lists[thread % lists.len()][thread]).collect()
}

/// The words that each thread should have written.
pub fn expected(step: &Step, operands: &Operands) -> Vec<Option<[u64; WORDS]>> {
    (0..operands.len()).map(|thread| of_thread(step, operands, thread)).collect()
}

fn of_thread(step: &Step, operands: &Operands, thread: usize) -> Option<[u64; WORDS]> {
    let x = operands[thread];
    let mut words = [0; WORDS];
    words[4..].copy_from_slice(&x);
    let (width, register) = step.widths();
    let mut bytes: Vec<u8> = x.iter().flat_map(|word| word.to_le_bytes()).collect();
    let size = (width / 8) as usize;
    match step.name() {
        "ld" | "ldu" => {
            for lane in 0..step.lanes() {
                let mut value = [0; 8];
                value[..size].copy_from_slice(&bytes[lane * size..][..size]);
                let value = number(u64::from_le_bytes(value), width, step.kind().starts_with('s'));
                words[lane] = cut(value as u64, register);
            }
        }
        "st" => {
            for (lane, value) in x.iter().enumerate().take(step.lanes()) {
                bytes[lane * size..][..size].copy_from_slice(&value.to_le_bytes()[..size]);
            }
        }
        "atom" | "red" => {
            let (before, value) = (cut(x[0], width), cut(x[0], width));
            let after = changed(step, before, value, cut(x[1], width))?;
            bytes[..size].copy_from_slice(&after.to_le_bytes()[..size]);
            words[0] = if step.name() == "atom" { before } else { 0 };
        }
        "cp" => {
            let size = if step.has("cg") { 16 } else { 8 };
            let is_predicate = step.operands.last() == Some(&Operand::Predicate);
            let holds = (x[3] & 1 != 0) == step.opcode.len().is_multiple_of(2);
            let read = match step.operands.len() {
                3 => size,
                _ if is_predicate && holds => 0,
                _ if is_predicate => size,
                _ => (x[0] & 3) as usize,
            };
            bytes[read..size].fill(0);
        }
        "prefetch" => {}
        _ => together(step, operands, thread, &mut words)?,
    }
    for (word, bytes) in words[4..].iter_mut().zip(bytes.chunks(8)) {
        *word = u64::from_le_bytes(bytes.try_into().unwrap());
    }
    Some(words)
}

/// What an atomic leaves in memory; none where not a number may have any bits.
fn changed(step: &Step, before: u64, value: u64, third: u64) -> Option<u64> {
    let (width, is_signed) = (step.widths().0, step.kind().starts_with('s'));
    let of = |bits: u64| number(bits, width, is_signed);
    if let Some(format) = Format::of(step.kind()) {
        // Those of 32 bits are not subnormal in global memory.
        let is_flushed = format == Format::F32 && step.base() == "%global";
        let add = |a: u64, b: u64| {
            let flushed = |bits: u64| if is_flushed { format.flushed(bits) } else { bits };
            flushed(format.add(flushed(a), flushed(b), Round::NearestTiesToEven))
        };
        let halves: Vec<u64> = (0..width / format.bits())
            .map(|lane| lane * format.bits())
            .map(|at| (at, add(cut(before >> at, format.bits()), cut(value >> at, format.bits()))))
            .map(|(at, sum)| if format.is_nan(sum) { None } else { Some(sum << at) })
            .collect::<Option<_>>()?;
        return Some(halves.into_iter().sum());
    }
    let operation = ["and", "or", "xor", "exch", "cas", "add", "inc", "dec", "min", "max"];
    let operation = operation.into_iter().find(|operation| step.has(operation)).unwrap();
    Some(match operation {
        "and" => before & value,
        "or" => before | value,
        "xor" => before ^ value,
        "exch" => value,
        "cas" => {
            if before == value {
                third
            } else {
                before
            }
        }
        "add" => cut(before.wrapping_add(value), width),
        "inc" => {
            if before >= value {
                0
            } else {
                before + 1
            }
        }
        "dec" => {
            if before == 0 || before > value {
                value
            } else {
                before - 1
            }
        }
        "min" => cut(of(before).min(of(value)) as u64, width),
        _ => cut(of(before).max(of(value)) as u64, width),
    })
}

/// What a thread gets of the others of its warp, or of its block.
fn together(step: &Step, operands: &Operands, thread: usize, words: &mut [u64; WORDS]) -> Option<()> {
    let lane = (thread % 32) as i64;
    let warp = &operands[thread / 32 * 32..][..32];
    let (width, x) = (step.widths().0, operands[thread]);
    let plain = step.opcode.len().is_multiple_of(2);
    let holds = |x: &[u64; 4]| (x[3] & 1 != 0) == plain;
    let all = |found: &dyn Fn(&[u64; 4]) -> bool| {
        warp.iter().enumerate().filter(|(_, x)| found(x)).map(|(lane, _)| 1_u64 << lane).sum::<u64>()
    };
    match step.name() {
        "bar" | "barrier" if step.has("red") => {
            let count = operands.iter().filter(|x| holds(x)).count();
            if step.has("popc") {
                words[0] = count as u64;
            } else {
                words[1] = u64::from(if step.has("and") { count == operands.len() } else { count > 0 });
            }
        }
        "bar" | "barrier" => {}
        "activemask" => words[0] = 0xffff_ffff,
        "elect" => (words[0], words[1]) = (0, u64::from(lane == 0)),
        "vote" if step.has("ballot") => words[0] = all(&holds),
        "vote" => {
            let ballot = all(&holds);
            words[1] = u64::from(match ballot {
                0 => !step.has("all") && !step.has("any"),
                0xffff_ffff => true,
                _ => step.has("any"),
            });
        }
        "match" => {
            let same = all(&|other| other[0] & 3 == x[0] & 3);
            if step.has("any") {
                words[0] = same;
            } else {
                words[0] = if same == 0xffff_ffff { same } else { 0 };
                let is_pair = step.operands[0] == Operand::WrittenWithPredicate;
                words[1] = u64::from(is_pair && same == 0xffff_ffff);
            }
        }
        "redux" => {
            let is_signed = step.kind().starts_with('s');
            let values = warp.iter().map(|x| number(x[0], 32, is_signed));
            let value = match ["add", "min", "max", "and", "or", "xor"]
                .into_iter()
                .find(|one| step.has(one))
                .unwrap()
            {
                "add" => values.sum(),
                "min" => values.min().unwrap(),
                "max" => values.max().unwrap(),
                "and" => values.fold(-1, |a, b| a & b),
                "or" => values.fold(0, |a, b| a | b),
                _ => values.fold(0, |a, b| a ^ b),
            };
            words[0] = cut(value as u64, 32);
        }
        "shfl" => {
            let (by, segment, clamp) = ((x[1] & 31) as i64, (x[2] >> 8 & 31) as i64, (x[2] & 31) as i64);
            let least = lane & segment;
            let most = least | clamp & !segment;
            let (from, is_in) = if step.has("up") {
                (lane - by, lane - by >= most)
            } else if step.has("down") {
                (lane + by, lane + by <= most)
            } else if step.has("bfly") {
                (lane ^ by, lane ^ by <= most)
            } else {
                let from = least | by & !segment;
                (from, from <= most)
            };
            words[0] = cut(warp[(if is_in { from } else { lane }) as usize][0], width);
            words[1] = u64::from(is_in && step.operands[0] == Operand::WrittenWithPredicate);
        }
        name => panic!("`{name}` has no reference"),
    }
    Some(())
}

/// What the emulator has threads write, for each step and thread.
pub fn emulated(steps: &[Step], operands: &Operands) -> Vec<u64> {
    let module = Module::parse(&text(steps)).unwrap();
    let emulator = Emulator::new(&module).unwrap_or_else(|unsupported| panic!("{unsupported}"));
    let mut memory = Memory::new();
    let input = memory.allocate(packed(operands));
    let slots = memory.allocate(vec![0; THREADS * SLOT * 8]);
    let output = memory.allocate(vec![0; steps.len() * THREADS * WORDS * 8]);
    let parameters = [input, slots, output].map(|at| at.to_le_bytes().to_vec());
    let block = [THREADS as u32, 1, 1];
    let launch = Launch { kernel: "k", grid: [1; 3], block, shared_bytes: 0, parameters: &parameters };
    let options = Options { races: Races::Ignored, ..Options::default() };
    emulator.launch(&launch, &mut memory, &options).unwrap();
    words(memory.bytes(output))
}

pub fn words(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect()
}

/// The steps whose results are not as expected, with the first thread of which they are not.
pub fn differences(steps: &[Step], operands: &Operands, results: &[u64]) -> Vec<String> {
    let mut found = Vec::new();
    for (step, results) in steps.iter().zip(results.chunks(THREADS * WORDS)) {
        let threads = expected(step, operands).into_iter().zip(results.chunks(WORDS)).enumerate();
        let wrong = threads.filter_map(|(thread, (expected, result))| {
            let expected = expected.filter(|expected| expected[..] != *result)?;
            Some(format!(
                "{} of {:x?} by {thread}: {result:x?} and not {expected:x?}",
                step.text(),
                operands[thread]
            ))
        });
        found.extend(wrong.take(1));
    }
    found
}

#[test]
fn every_form_of_memory_and_of_threads_gives_what_the_manual_says() {
    let (steps, operands) = (steps(), drawn(5));
    let each =
        steps.chunks(STEPS).flat_map(|steps| differences(steps, &operands, &emulated(steps, &operands)));
    let found: Vec<String> = each.collect();
    assert!(found.is_empty(), "{} of {}:\n{}", found.len(), steps.len(), found.join("\n"));
    assert!(steps.len() > 500, "{}", steps.len());
}

#[test]
fn every_form_of_memory_and_of_threads_is_one_of_the_assembler() {
    let Some(ptxas) = ptxas() else { return };
    for steps in steps().chunks(STEPS * 4) {
        let text = text(steps);
        let messages = assemble(&ptxas, &text).err().unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let number =
            |message: &str| message.split("line ").nth(1)?.split(';').next()?.trim().parse::<usize>().ok();
        let refused = messages.lines().filter_map(number).map(|line| lines[line - 1]);
        let refused: Vec<&str> = refused.collect();
        assert!(messages.is_empty(), "{refused:#?}\n{messages}");
    }
}
