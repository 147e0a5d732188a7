//! Observation of launches: the values that instructions read and compute, and whether they are always the same.

use std::collections::{HashMap, HashSet};

use crate::emulate::place::{Place, place};
use crate::emulate::program::Program;
use crate::instructions::sites::{Role, Slot};
use crate::machine::clock::WARP;
use crate::machine::memory::split;
use crate::machine::warp::{Warp, lanes};
use crate::machine::watch::{BUFFER, VARIABLE, Watch, Word};
use crate::text::module::{Class, Instruction, InstructionId, Module};

/// Each execution by a warp up to so many is looked at, then one in so many.
const ALL: u64 = 1024;
const ONE_IN: u64 = 16;
/// More places in memory are not followed.
const MOST_PLACES: usize = 1 << 21;

/// The knowledge of a value that is seen again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Constancy {
    Never,
    Always(u64),
    Varies,
}

impl Constancy {
    fn see(&mut self, value: u64) {
        *self = match *self {
            Self::Never => Self::Always(value),
            Self::Always(before) if before == value => *self,
            _ => Self::Varies,
        };
    }
}

/// The observations of one instruction.
#[derive(Clone, Debug)]
pub(crate) struct InstructionProfile {
    pub(crate) id: InstructionId,
    pub(crate) executions: u64,
    /// Set once its guard held for some thread, and once it did not.
    pub(crate) holds: bool,
    pub(crate) fails: bool,
    /// The registers that had the value of its only result each time, after it.
    pub(crate) equal: Option<Vec<Place>>,
    /// Set while the result was each time what its register held before.
    pub(crate) keeps: bool,
    /// Registers that it reads, by their slots.
    pub(crate) reads: Vec<(Slot, usize, Constancy)>,
    /// Set once a store changed what was there, and once somebody read what it left.
    pub(crate) changes: bool,
    pub(crate) is_read: bool,
    /// Set once a load read what its launch wrote, from a buffer.
    pub(crate) reads_written: bool,
    result: Option<Place>,
    places: Vec<Place>,
    /// The function that it is in.
    function: usize,
    before: [u64; WARP],
}

/// Watches launches of a program.
#[derive(Clone, Debug)]
pub(crate) struct Observer {
    /// By their places in the program; none for what the text has not.
    watched: Vec<Option<Box<InstructionProfile>>>,
    /// For each function its registers by class.
    classes: Vec<HashMap<Class, Vec<Place>>>,
    writers: HashMap<Word, u32>,
    /// Buffers that this launch wrote, and those that each load read in it.
    written: HashSet<u32>,
    loaded: HashSet<(u32, u32)>,
    is_blind: bool,
}

impl Observer {
    pub(crate) fn new(module: &Module, program: &Program) -> Self {
        let mut watched: Vec<Option<Box<InstructionProfile>>> = vec![None; program.code.len()];
        let mut classes = Vec::new();
        for (index, (function, decoded)) in module.bodies().zip(&program.image.functions).enumerate() {
            let place = |register: usize| place(function, &decoded.places, register);
            let mut by_class = HashMap::<Class, Vec<Place>>::new();
            for register in 0..function.registers.len() {
                let class = function.registers[register].class;
                by_class.entry(class).or_default().extend(place(register));
            }
            classes.push(by_class);
            for (pc, (id, instruction)) in (decoded.entry as usize..).zip(function.instructions()) {
                if program.image.ids.get(pc) == Some(&id) {
                    watched[pc] = Some(Box::new(InstructionProfile::new(id, instruction, index, place)));
                }
            }
        }
        let (writers, written, loaded) = (HashMap::new(), HashSet::new(), HashSet::new());
        Self { watched, classes, writers, written, loaded, is_blind: false }
    }

    /// Lists the observations of each instruction that was executed.
    pub(crate) fn watched(&self) -> impl Iterator<Item = &InstructionProfile> {
        self.watched.iter().flatten().map(|watched| &**watched).filter(|watched| watched.executions > 0)
    }

    fn has_been_read(&mut self, writer: u32) {
        if let Some(Some(watched)) = self.watched.get_mut(writer as usize) {
            watched.is_read = true;
        }
    }

    /// A launch is over: nobody reads what it left but in buffers and variables.
    pub(crate) fn launched(&mut self) {
        self.writers.retain(|word, _| matches!(word.0, BUFFER | VARIABLE));
        let (loaded, written) = (std::mem::take(&mut self.loaded), std::mem::take(&mut self.written));
        for (pc, _) in loaded.into_iter().filter(|(_, buffer)| written.contains(buffer)) {
            if let Some(Some(watched)) = self.watched.get_mut(pc as usize) {
                watched.reads_written = true;
            }
        }
    }

    /// All launches of a program are over, and the host reads what is left but in these buffers.
    pub(crate) fn ended(&mut self, unread: &[u64]) {
        let unread: Vec<u32> = unread.iter().map(|address| split(*address).0 as u32).collect();
        let writers = std::mem::take(&mut self.writers);
        for (_, writer) in
            writers.into_iter().filter(|(word, _)| !unread.contains(&word.1) || word.0 != BUFFER)
        {
            self.has_been_read(writer);
        }
        if self.is_blind {
            self.watched.iter_mut().flatten().for_each(|watched| watched.is_read = true);
        }
    }
}

impl Watch for Observer {
    fn before(&mut self, pc: u32, warp: &Warp, set: u32, active: u32) {
        let Some(watched) = self.watched.get_mut(pc as usize).and_then(Option::as_mut) else { return };
        watched.holds |= active != 0;
        watched.fails |= set & !active != 0;
        watched.executions += 1;
        if active == 0 || !watched.is_looked_at() {
            return;
        }
        for ((_, _, seen), place) in watched.reads.iter_mut().zip(&watched.places) {
            if *seen != Constancy::Varies {
                lanes(active).for_each(|lane| seen.see(place.value(warp, lane)));
            }
        }
        if let Some(result) = watched.result {
            lanes(active).for_each(|lane| watched.before[lane] = result.value(warp, lane));
        }
    }

    fn after(&mut self, pc: u32, warp: &Warp, active: u32) {
        let Some(watched) = self.watched.get_mut(pc as usize).and_then(Option::as_mut) else { return };
        let Some((result, of_class)) = watched.result.zip(self.classes.get(watched.function)) else { return };
        if active == 0 || !watched.is_looked_at() {
            return;
        }
        let before = &watched.before;
        watched.keeps &= lanes(active).all(|lane| before[lane] == result.value(warp, lane));
        let is_equal =
            |place: &Place| lanes(active).all(|lane| place.value(warp, lane) == result.value(warp, lane));
        if let Some(equal) = &mut watched.equal {
            equal.retain(is_equal);
            return;
        }
        let is_result = |place: &Place| place.register == result.register;
        let all = of_class.values().find(|places| places.iter().any(is_result));
        let others = all.into_iter().flatten().filter(|place| !is_result(place) && is_equal(place));
        watched.equal = Some(others.copied().collect());
    }

    fn stores(&mut self, pc: u32, words: &mut dyn Iterator<Item = Word>, changes: bool) {
        if let Some(Some(watched)) = self.watched.get_mut(pc as usize) {
            watched.changes |= changes;
        }
        for word in words {
            self.written.extend((word.0 == BUFFER).then_some(word.1));
            if self.writers.len() < MOST_PLACES {
                self.writers.insert(word, pc);
            } else {
                self.is_blind = true;
            }
        }
    }

    fn reads(&mut self, pc: u32, words: &mut dyn Iterator<Item = Word>, writes: bool) {
        for word in words {
            if word.0 == BUFFER {
                self.loaded.insert((pc, word.1));
                self.written.extend(writes.then_some(word.1));
            }
            let Some(writer) = self.writers.get(&word).copied() else { continue };
            self.has_been_read(writer);
            if writes {
                self.writers.remove(&word);
            }
        }
    }
}

impl InstructionProfile {
    fn new(
        id: InstructionId,
        instruction: &Instruction,
        function: usize,
        place: impl Fn(usize) -> Option<Place>,
    ) -> Self {
        let definitions = instruction.definitions();
        let result = if let [only] = definitions[..] { place(only) } else { None };
        let sites = instruction.sites().into_iter().filter(|site| site.role == Role::Use);
        let read = sites.filter_map(|site| Some((site.slot, site.register?, place(site.register?)?)));
        let (mut reads, mut places) = (Vec::new(), Vec::new());
        for (slot, register, place) in read {
            reads.push((slot, register, Constancy::Never));
            places.push(place);
        }
        let (holds, fails, changes, is_read, reads_written) = (false, false, false, false, false);
        let (executions, equal, keeps, before) = (0, None, true, [0; WARP]);
        Self {
            id,
            executions,
            holds,
            fails,
            equal,
            keeps,
            reads,
            changes,
            is_read,
            reads_written,
            result,
            places,
            function,
            before,
        }
    }

    fn is_looked_at(&self) -> bool {
        self.executions <= ALL || self.executions.is_multiple_of(ONE_IN)
    }
}
