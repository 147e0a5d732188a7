//! Elements whose values from before a nest are read.

use std::collections::BTreeSet;

use super::domain::Domain;
use super::domain::iterators_of;
use super::{Counter, loads};
use crate::nest::expression::Access;
use crate::nest::statement::Statement;

impl<'a> Counter<'a> {
    /// Counts the elements of an array that are read before the nest writes them, by the access that reads most.
    pub(super) fn live_in(&self, array: usize) -> f64 {
        let writers: Vec<&Statement<'_>> =
            self.statements.iter().filter(|own| own.assignment.target.array == array).collect();
        let mut most = 0.0_f64;
        for statement in self.statements {
            for access in loads(&statement.assignment.value).filter(|own| own.array == array) {
                most = most.max(self.first_reads(statement, access, &writers));
            }
        }
        most
    }

    /// Counts elements that an access reads before one of the writers writes them.
    fn first_reads(&self, reader: &Statement<'a>, access: &Access, writers: &[&Statement<'a>]) -> f64 {
        let domain = self.domain(reader);
        if writers.is_empty() {
            return domain.elements(&access.subscripts);
        }
        let free = domain.determined(&access.subscripts);
        let is_first = |writer: &&Statement<'a>| {
            self.are_apart((&domain, access), writer) || comes_first((reader, access), writer, &free)
        };
        if writers.iter().all(is_first) { domain.instances(&free) } else { 0.0 }
    }

    /// Returns `true` if no element is read by the one and written by the other: a subscript has no value in common.
    fn are_apart(&self, (domain, access): (&Domain<'_, 'a>, &Access), writer: &Statement<'a>) -> bool {
        let target = &writer.assignment.target;
        let written = self.domain(writer);
        access.subscripts.iter().zip(&target.subscripts).any(|(read, write)| {
            match (domain.interval(read), written.interval(write)) {
                (Some([low, high]), Some([least, most])) => high < least || most < low,
                _ => true, // one of them has no instance
            }
        })
    }
}

/// Returns `true` if an instance of a reader, whose iterators have their first value unless they are free, comes before
/// each instance of a writer that writes what it reads.
///
/// In each loop around both, either the reader's iterator has its first value, or the element determines it for both.
/// Then the order in which they are written decides. Within a statement reading comes before writing.
fn comes_first(
    (reader, access): (&Statement<'_>, &Access),
    writer: &Statement<'_>,
    free: &BTreeSet<usize>,
) -> bool {
    let target = &writer.assignment.target;
    let is_determined = |iterator: usize| {
        let mut pairs = access.subscripts.iter().zip(&target.subscripts);
        pairs.any(|(read, write)| read == write && iterators_of(read).eq([iterator]))
    };
    let common = &reader.loops[..reader.common_loops(writer)];
    reader.index <= writer.index
        && common.iter().all(|range| !free.contains(&range.iterator) || is_determined(range.iterator))
}
