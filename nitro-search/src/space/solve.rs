//! All configurations that fulfil constraints.

use super::constraint::Constraint;
use super::domains::{Domains, fixpoint, scope};
use super::error::SpaceError;
use crate::Parameter;

/// The configurations in the order of their values, row by row; an error when there are more than `most`.
pub(super) fn solutions(
    parameters: &[Parameter],
    constraints: &[Constraint],
    most: usize,
) -> Result<Vec<u16>, SpaceError> {
    let scopes: Vec<_> =
        constraints.iter().map(|constraint| scope(parameters, constraint)).collect::<Result<_, _>>()?;
    let mut solver = Solver { parameters, constraints, scopes, most, rows: Vec::new(), row: Vec::new() };
    solver.complete(&Domains::all(parameters))?;
    Ok(solver.rows)
}

struct Solver<'a> {
    parameters: &'a [Parameter],
    constraints: &'a [Constraint],
    scopes: Vec<Vec<usize>>,
    most: usize,
    rows: Vec<u16>,
    /// The values chosen so far.
    row: Vec<u16>,
}

impl Solver<'_> {
    /// Adds all configurations within these domains that begin with the values chosen so far.
    fn complete(&mut self, domains: &Domains) -> Result<(), SpaceError> {
        let next = self.row.len();
        if next == self.parameters.len() {
            return self.add();
        }
        for value in domains.values(next).collect::<Vec<_>>() {
            let mut narrowed = domains.clone();
            narrowed.assign(next, value);
            if fixpoint(self.parameters, self.constraints, &self.scopes, &mut narrowed).is_ok() {
                self.row.push(value as u16);
                self.complete(&narrowed)?;
                self.row.pop();
            }
        }
        Ok(())
    }

    fn add(&mut self) -> Result<(), SpaceError> {
        if self.rows.len() >= self.most.saturating_mul(self.parameters.len().max(1)) {
            return Err(SpaceError::TooLarge);
        }
        self.rows.extend(&self.row);
        Ok(())
    }
}
