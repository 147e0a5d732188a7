//! The memory that threads of a kernel read and write.

use super::race::{Actor, Place, Races};
use super::{Kernel, Program, Space};
use crate::data::{Indices, RunError, offset};
use crate::nest::expression::Binary;
use crate::nest::{Assignment, display};
use crate::number::Number;

use super::display::KernelNames;

/// The arrays of the nest and, for each block, the shared ones. Registers are the threads' own.
pub(super) struct Memory<'a, T> {
    pub program: &'a Program,
    pub kernel: &'a Kernel,
    pub shapes: &'a [Vec<i64>],
    pub arrays: &'a mut [Vec<T>],
    indices: Indices<'a>,
    /// For each block the locals; those in registers are empty.
    shared: Vec<Vec<Vec<T>>>,
    races: Races,
    /// Instructions that may follow, of all threads together.
    instructions: &'a mut u64,
}

impl<'a, T: Number> Memory<'a, T> {
    pub fn new(
        program: &'a Program,
        kernel: &'a Kernel,
        shapes: &'a [Vec<i64>],
        arrays: &'a mut [Vec<T>],
        indices: Indices<'a>,
        blocks: usize,
        instructions: &'a mut u64,
    ) -> Self {
        let shared = kernel.locals.iter().map(|local| elements(local, Space::Shared)).collect();
        let (shared, races) = (vec![shared; blocks], Races::default());
        Self { program, kernel, shapes, arrays, indices, shared, races, instructions }
    }

    /// Takes one of the instructions that are left.
    pub fn count(&mut self) -> Result<(), RunError> {
        let Some(left) = self.instructions.checked_sub(1) else {
            return Err(RunError::TooLong { kernel: self.kernel.name.clone() });
        };
        *self.instructions = left;
        Ok(())
    }

    /// Reads an integer.
    pub fn index(&self, indices: usize, subscripts: &[i64], doing: &Assignment) -> Result<u32, RunError> {
        let names = KernelNames { program: self.program, kernel: self.kernel };
        self.indices.get(indices, subscripts, || display::assignment(&names, doing))
    }

    /// Reads an element.
    pub fn load(&mut self, at: &Place, actor: Actor, doing: &Assignment) -> Result<T, RunError> {
        self.races.reads(at, actor).map_err(|other| self.race(at, actor, other, doing))?;
        Ok(*self.element(at, actor.block))
    }

    /// Writes an element.
    pub fn store(&mut self, at: &Place, actor: Actor, doing: &Assignment, value: T) -> Result<(), RunError> {
        self.races.writes(at, actor).map_err(|other| self.race(at, actor, other, doing))?;
        *self.element(at, actor.block) = value;
        Ok(())
    }

    /// Adds to an element, atomically.
    pub fn add(&mut self, at: &Place, actor: Actor, doing: &Assignment, value: T) -> Result<(), RunError> {
        self.races.adds(at, actor).map_err(|other| self.race(at, actor, other, doing))?;
        let element = self.element(at, actor.block);
        *element = T::binary(Binary::Add, *element, value);
        Ok(())
    }

    /// Returns the place of an element, if there is one.
    pub fn place(
        &self,
        array: usize,
        subscripts: &[i64],
        block: usize,
        doing: &Assignment,
    ) -> Result<Place, RunError> {
        let own = array.checked_sub(self.arrays.len());
        let shape = own.map_or_else(|| &self.shapes[array], |local| &self.kernel.locals[local].shape);
        let names = KernelNames { program: self.program, kernel: self.kernel };
        let offset = offset(shape, subscripts).ok_or_else(|| RunError::OutOfBounds {
            statement: display::assignment(&names, doing),
            array: display::Names::array(&names, array).to_owned(),
            subscripts: subscripts.to_vec(),
            shape: shape.clone(),
        })?;
        Ok(Place { array, block: own.map(|_| block), offset })
    }

    /// Checks that so many neighbours may be copied at once from here on.
    pub fn check_aligned(
        &self,
        array: usize,
        subscripts: &[i64],
        width: u32,
        doing: &Assignment,
    ) -> Result<(), RunError> {
        let first = self.place(array, subscripts, 0, doing)?;
        if first.offset % width as usize == 0 {
            return Ok(());
        }
        let names = KernelNames { program: self.program, kernel: self.kernel };
        Err(RunError::Misaligned {
            statement: display::assignment(&names, doing),
            array: display::Names::array(&names, array).to_owned(),
            subscripts: subscripts.to_vec(),
        })
    }

    fn element(&mut self, at: &Place, block: usize) -> &mut T {
        match at.array.checked_sub(self.arrays.len()) {
            None => &mut self.arrays[at.array][at.offset],
            Some(local) => &mut self.shared[block][local][at.offset],
        }
    }

    fn race(&self, at: &Place, actor: Actor, other: Actor, doing: &Assignment) -> RunError {
        let names = KernelNames { program: self.program, kernel: self.kernel };
        let statement = display::assignment(&names, doing);
        RunError::Race {
            kernel: self.kernel.name.clone(),
            first: other.to_string(),
            second: format!("{actor} in `{statement}`"),
            element: format!("element {} of {}", at.offset, display::Names::array(&names, at.array)),
        }
    }
}

/// Returns the elements of a local, if it is in this memory.
pub(super) fn elements<T: Number>(local: &super::Local, space: Space) -> Vec<T> {
    // Not zeros: what is read before it is written shows.
    if local.space == space {
        vec![T::UNSET; local.shape.iter().product::<i64>() as usize]
    } else {
        Vec::new()
    }
}
