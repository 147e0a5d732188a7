//! Tiles that are loaded ahead: into registers while those before are used, and from there to shared memory.
//!
//! Before the loop the first tiles come to registers. Each iteration brings them to shared memory, waits for all
//! threads, begins to load those of the next one, and uses its own. With one tile of each, threads wait again
//! before the next iteration; with two they do not, since that writes the other.

use nitro_nest::{Access, Affine, Condition, Instruction, Local, Relation, Space, Variable};

use super::emit::Emission;
use super::pass::Pass;
use super::point::Place;
use crate::Operation;

impl Emission<'_> {
    /// Returns true if there are two tiles of each staged array.
    pub(super) fn has_sides(&self) -> bool {
        self.ahead.as_ref().is_some_and(|ahead| ahead.side.is_some())
    }

    /// Returns true if one iteration of a loop reads nothing of shared memory that the next one writes.
    pub(super) fn takes_turns(&self, at: usize) -> bool {
        self.has_sides() && self.is_along(at)
    }

    fn is_along(&self, at: usize) -> bool {
        self.ahead.as_ref().is_some_and(|ahead| ahead.along == at)
    }

    /// The value that a statement loads ahead, if it does.
    fn loaded(&self, statement: usize) -> Option<usize> {
        let (space, _) = (self.point.space, self.ahead.as_ref()?);
        let is_load = space.kernel.statements[statement].operation == Operation::Load;
        let value = space.meanings[statement].target.array.checked_sub(space.nest.arrays().len())?;
        (is_load && self.point.place(value) != Place::Registers).then_some(value)
    }

    /// Registers for each tile that is loaded ahead, behind the values, in the order of these.
    pub(super) fn add_registers(&mut self) {
        for statement in 0..self.point.space.kernel.statements.len() {
            let Some(value) = self.loaded(statement) else { continue };
            let shape = self.shape(&self.point.space.meanings[statement].target, Place::Registers);
            let name = format!("{}_next", self.point.space.values[value].name);
            self.locals.push(Local::new(name, Space::Register, shape));
        }
    }

    /// The register that a statement loads an element into, or takes it from.
    pub(super) fn register(&self, statement: usize) -> Option<(Pass, Access)> {
        self.loaded(statement)?;
        let space = self.point.space;
        let before = (0..statement).filter(|&other| self.loaded(other).is_some()).count();
        let subscripts = self.place_of(&space.meanings[statement].target, Place::Registers);
        let array = space.nest.arrays().len() + space.values.len() + before;
        Some((self.ahead.as_ref()?.pass, Access { array, subscripts }))
    }

    /// Writes the loads of the first tiles, before the loop along which there are others.
    pub(super) fn first_tiles(&mut self, at: usize) -> Vec<Instruction> {
        if self.is_along(at) { self.fetch(0.into()) } else { Vec::new() }
    }

    /// Writes the loads of the next iteration's tiles, if there is one, once those of this one are in shared memory.
    pub(super) fn next_tiles(&mut self, parent: Option<usize>) -> Vec<Instruction> {
        let Some(at) = parent.filter(|&at| self.is_along(at)) else { return Vec::new() };
        let iterator = Affine::from(Variable::Iterator(self.point.space.nest.iterators().len() + at));
        let next = iterator + 1;
        let right = self.point.size(at).into();
        let is_there = Condition { relation: Relation::Less, left: next.clone(), right };
        vec![Instruction::If(vec![is_there], self.fetch(next), Vec::new())]
    }

    fn fetch(&mut self, iteration: Affine) -> Vec<Instruction> {
        let Some(ahead) = &mut self.ahead else { return Vec::new() };
        let along = ahead.along;
        (ahead.pass, ahead.iteration) = (Pass::Fetch, Some(iteration));
        let objects = self.point.inside(Some(along));
        let loads: Vec<usize> = objects.into_iter().filter(|&object| self.loads_ahead(object)).collect();
        let instructions = loads.into_iter().flat_map(|object| self.object(object)).collect();
        if let Some(ahead) = &mut self.ahead {
            (ahead.pass, ahead.iteration) = (Pass::Put, None);
        }
        instructions
    }

    /// Returns true if what is in an object is loaded ahead.
    fn loads_ahead(&self, object: usize) -> bool {
        let mut statements = 0..self.point.space.kernel.statements.len();
        statements.any(|statement| self.point.holds(object, statement) && self.loaded(statement).is_some())
    }

    /// Writes at the beginning of an iteration which of two tiles it uses.
    pub(super) fn side(&self, at: usize) -> Option<Instruction> {
        let ahead = self.ahead.as_ref().filter(|ahead| ahead.along == at)?;
        let value = Affine::from(Variable::Iterator(self.point.space.nest.iterators().len() + at));
        Some(Instruction::Divide { quotient: ahead.half, remainder: ahead.side?, value, divisor: 2.into() })
    }
}
