//! The problem of nesting a kernel's loops, built rule by rule.

use super::kernel::{Kernel, Limits};
use super::nesting::Nesting;
use super::{kinds, loading, orders, passing, resources};
use crate::candidate::ProblemError;

impl Kernel {
    /// Builds the problem of how to nest the kernel's loops and what becomes of them.
    ///
    /// # Errors
    /// When a dimension has more than 64 sizes, or one twice.
    ///
    /// # Panics
    /// If a statement, a dependence or an array names a position that is not there.
    pub fn nesting(&self, limits: &Limits) -> Result<Nesting, ProblemError> {
        let mut nesting = Nesting::default();
        for (position, dimension) in self.dimensions.iter().enumerate() {
            nesting.add_loops(position, dimension)?;
        }
        for array in &self.arrays {
            let name = format!("memory of {}", array.name);
            nesting.memory.push(nesting.problem.labels(name, ["global", "shared"])?);
        }
        nesting.add_orders(self)?;
        orders::add(self, &mut nesting)?;
        kinds::add(self, limits, &mut nesting)?;
        passing::add(self, &mut nesting)?;
        loading::add(self, &mut nesting)?;
        resources::add(self, limits, &mut nesting)?;
        Ok(nesting)
    }
}
