//! The content of buffers at the beginning.

use std::path::Path;
use std::time::Instant;

use nitro_stats::random::Random;

use super::element::Element;
use super::expression::Expression;
use super::inputs::{MOST_BYTES, in_time, whole};
use super::model::{Buffer, Role, Source};

/// The elements that are made between two looks at the clock.
const ELEMENTS_AT_ONCE: usize = 1 << 16;

impl Buffer {
    /// Returns the elements at each end that programs may reach.
    pub(super) fn margin(&self, values: &[f64]) -> Result<usize, String> {
        let margin = self.margin.as_ref().map(|margin| whole(margin, values, 0.0, MOST_BYTES)).transpose()?;
        Ok(margin.unwrap_or(0.0) as usize)
    }

    /// Makes the content of a case, with a value of each element by its position.
    ///
    /// In the margins, which are part of the length, stand values of positions that are drawn.
    pub(super) fn bytes(
        &self,
        (length, margin): (usize, usize),
        values: &[f64],
        seed: u64,
        deadline: Option<Instant>,
    ) -> Result<Vec<u8>, String> {
        let size = length * self.layout.bytes;
        let mut bytes = Vec::new();
        match &self.source {
            Source::File(file) => return self.read(file, (length, margin), seed),
            // Nobody looks at what it holds before.
            Source::Values(_) if matches!(self.role, Role::Out | Role::Scratch) => return self.zeros(size),
            Source::Values(formulas) => {
                bytes.try_reserve_exact(size).map_err(|_| self.no_memory(size))?;
                let mut values = [values, &[0.0; 2]].concat();
                let at = values.len() - 2;
                let mut random = Random::new(seed);
                for element in 0..length {
                    if element.is_multiple_of(ELEMENTS_AT_ONCE) {
                        in_time(deadline)?;
                    }
                    values[at] = position(element, (length, margin), &mut random) as f64;
                    self.append(formulas, &mut values, &mut random, &mut bytes);
                }
            }
        }
        Ok(bytes)
    }

    /// Appends an element, of which the last values are its position, and that in an array. What pads it is 0.
    fn append(&self, formulas: &[Expression], values: &mut [f64], random: &mut Random, bytes: &mut Vec<u8>) {
        let begin = bytes.len();
        bytes.resize(begin + self.layout.bytes, 0);
        let (of_array, mut number) = (values.len() - 1, Vec::with_capacity(8));
        for (member, formula) in self.layout.members.iter().zip(formulas) {
            // What a pointer points to may be in a margin.
            let element = if member.pointer.is_some() { Element::I64 } else { member.element };
            for at in 0..member.count {
                values[of_array] = at as f64;
                number.clear();
                element.append(formula.value(values, random), &mut number);
                let place = begin + member.offset_bytes + at * member.stride_bytes;
                bytes[place..place + number.len()].copy_from_slice(&number);
            }
        }
    }

    /// Makes a content of zeros.
    fn zeros(&self, size: usize) -> Result<Vec<u8>, String> {
        // Pages that are never touched take no memory, unlike those that are filled.
        Vec::<u8>::new().try_reserve_exact(size).map_err(|_| self.no_memory(size))?;
        Ok(vec![0; size])
    }

    /// Says that there is no memory.
    fn no_memory(&self, size: usize) -> String {
        format!("there is no memory for the {size} bytes of `{}`; make it smaller", self.name)
    }

    /// Reads the content from a file, which has no margins.
    fn read(&self, file: &Path, (length, margin): (usize, usize), seed: u64) -> Result<Vec<u8>, String> {
        let size = self.layout.bytes;
        let expected = ((length - 2 * margin) * size) as u64;
        let found = std::fs::metadata(file)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))?
            .len();
        if found != expected {
            return Err(format!(
                "{} has {found} bytes, and `{}` takes {expected}",
                file.display(),
                self.name
            ));
        }
        let content = nitro_core::files::read(file, expected)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        if margin == 0 || content.is_empty() {
            return Ok([content, vec![0; 2 * margin * size]].concat());
        }
        let mut random = Random::new(seed);
        let positions = (0..length).map(|element| position(element, (length, margin), &mut random));
        Ok(positions.flat_map(|at| &content[at * size..(at + 1) * size]).copied().collect())
    }
}

/// Returns the position of an element between the margins of a buffer; for one in a margin a position that is drawn.
pub(super) fn position(element: usize, (length, margin): (usize, usize), random: &mut Random) -> usize {
    let between = length - 2 * margin;
    match element.checked_sub(margin) {
        Some(at) if at < between => at,
        _ if between == 0 => 0,
        _ => random.below(between),
    }
}
