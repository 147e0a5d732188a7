//! Checks of plans, which may come from outside.

use std::collections::BTreeSet;

use crate::{
    Affine, Extent, Host, LaunchPlan, PlanError, PlannedIndices, PlannedKernel, PlannedPtx, Variable,
};

/// The most bytes of a name.
const MOST_NAME_BYTES: usize = 200;
/// Decisions about some hundred kernels.
const MOST_ORIGIN_BYTES: usize = 64 << 10;
/// The most arguments that a kernel may have: sizes, iterators of the host, scalars, arrays.
const MOST_ARGUMENTS: usize = 64;
const MOST_ITERATORS: usize = 1024;
const MOST_DIMENSIONS: usize = 16;
/// Bytes of shared memory of a block that some device has.
const MOST_SHARED_BYTES: u32 = 227 << 10;
/// Dimensions of a grid; those after the third have one value for each block.
const MOST_GRID_DIMENSIONS: usize = 8;
const MOST_KERNELS: usize = 1024;
/// Loops and launches of the host.
const MOST_STEPS: usize = 4096;
/// Loops of the host around each other.
const MOST_DEPTH: usize = 16;
/// Bounds of one loop.
const MOST_BOUNDS: usize = 64;
const MOST_POINTS: u32 = 1 << 16;
const MOST_THREADS: u64 = 1024;
const MOST_THREADS_Z: u32 = 64;

/// The result of a check; the error says what is wrong.
type Checked = Result<(), String>;

impl LaunchPlan {
    /// Checks that the plan names only what it has, within what a device takes. Every plan that is read is checked.
    /// A program that changes one checks it itself.
    ///
    /// ```
    /// # use nitro_launch::{Host, LaunchPlan};
    /// let mut plan = LaunchPlan { name: "nothing".into(), ..LaunchPlan::default() };
    /// assert_eq!(plan.check(), Ok(()));
    /// plan.host.push(Host::Launch(3));
    /// let error = plan.check().unwrap_err();
    /// assert_eq!(error.to_string(), "the launch plan of `nothing` is refused: it launches kernel 3 of 0");
    /// ```
    ///
    /// # Errors
    /// With what is wrong first.
    pub fn check(&self) -> Result<(), PlanError> {
        // What is shown has to be a name itself.
        let plan = if name("plan", &self.name).is_ok() { self.name.clone() } else { "?".to_owned() };
        self.checked().map_err(|what| PlanError::Wrong { plan, what })
    }

    fn checked(&self) -> Checked {
        name("plan", &self.name)?;
        self.names()?;
        let mut known = self.sizes.len()..;
        let mut products = self.products.iter().zip(&mut known);
        if products.any(|(product, known)| product.factors.iter().any(|factor| *factor >= known)) {
            return Err("a product is of a size that there is not".into());
        }
        for array in self.arrays.iter().chain(&self.temporaries) {
            self.array(&array.name, &array.shape)?;
            if !array.storage.is_number() && !self.element.is_single() {
                return Err(format!(
                    "array `{}` has 16 bits an element, and numbers are no `f32`",
                    array.name
                ));
            }
        }
        for PlannedIndices { name, shape, below } in &self.indices {
            self.array(name, shape)?;
            if below.len() > MOST_BOUNDS {
                return Err(format!("subscripts of `{name}` have more than {MOST_BOUNDS} bounds"));
            }
            below.iter().try_for_each(|extent| self.affine(extent, &[], &format!("a bound of `{name}`")))?;
        }
        if self.kernels.len() > MOST_KERNELS {
            return Err(format!("it has more than {MOST_KERNELS} kernels"));
        }
        self.kernels.iter().try_for_each(|kernel| self.kernel(kernel))?;
        if self.cuda.contains('\0') {
            return Err("its text contains a zero byte".into());
        }
        if let Some(ptx) = &self.ptx {
            self.ptx(ptx)?;
        }
        if self.origin.len() > MOST_ORIGIN_BYTES {
            return Err(format!("what it says of its origin has more than {MOST_ORIGIN_BYTES} bytes"));
        }
        let mut steps = 0;
        self.host(&self.host, &mut Vec::new(), &mut steps)
    }

    fn ptx(&self, ptx: &PlannedPtx) -> Checked {
        if !self.cuda.is_empty() {
            return Err("it has both CUDA C++ and PTX".into());
        }
        if ptx.text.contains('\0') {
            return Err("its PTX contains a zero byte".into());
        }
        if ptx.target().is_none() {
            return Err("its PTX does not say `.target sm_90`, or another architecture".into());
        }
        match self.kernels.iter().find(|kernel| !ptx.has_kernel(&kernel.name)) {
            Some(kernel) => Err(format!("its PTX has no `.entry {}`", kernel.name)),
            None => Ok(()),
        }
    }

    fn names(&self) -> Checked {
        let kernels = self.kernels.iter().map(|kernel| &kernel.name);
        let arrays = self.arrays.iter().chain(&self.temporaries).map(|array| &array.name);
        let arrays = arrays.chain(self.indices.iter().map(|array| &array.name));
        let sizes = self.sizes.iter().chain(self.products.iter().map(|product| &product.name));
        let lists: [(&str, Vec<&String>, usize); 5] = [
            ("size", sizes.collect(), MOST_ARGUMENTS),
            ("scalar", self.scalars.iter().collect(), MOST_ARGUMENTS),
            ("array", arrays.collect(), MOST_ARGUMENTS),
            ("iterator", self.iterators.iter().collect(), MOST_ITERATORS),
            ("kernel", kernels.collect(), MOST_KERNELS),
        ];
        for (what, names, most) in lists {
            if names.len() > most {
                return Err(format!("it has {} {what}s, and {most} at most are possible", names.len()));
            }
            names.iter().try_for_each(|one| name(what, one))?;
            // Iterators of different loops may be called alike.
            let distinct: BTreeSet<_> = names.iter().collect();
            if what != "iterator" && distinct.len() < names.len() {
                return Err(format!("two {what}s have one name"));
            }
        }
        Ok(())
    }

    fn array(&self, name: &str, shape: &[Affine]) -> Checked {
        if shape.len() > MOST_DIMENSIONS {
            return Err(format!("array `{name}` has more than {MOST_DIMENSIONS} dimensions"));
        }
        shape.iter().try_for_each(|extent| self.affine(extent, &[], &format!("the shape of `{name}`")))
    }

    fn kernel(&self, kernel: &PlannedKernel) -> Checked {
        let PlannedKernel { name, part, host_iterators, grid, block, points, shared_bytes } = kernel;
        self::name("part", part)?;
        let sizes = self.sizes.len() + self.products.len();
        let arguments = sizes + host_iterators.len() + self.scalars.len();
        let arrays = self.arrays.len() + self.temporaries.len() + self.indices.len();
        if arguments + arrays > MOST_ARGUMENTS {
            return Err(format!("kernel `{name}` has more than {MOST_ARGUMENTS} arguments"));
        }
        let threads: u64 = block.iter().map(|threads| u64::from(*threads)).product();
        if block.iter().any(|threads| u64::from(*threads) > MOST_THREADS)
            || !(1..=MOST_THREADS).contains(&threads)
            || block[2] > MOST_THREADS_Z
        {
            return Err(format!(
                "kernel `{name}` has blocks of {block:?} threads, and {MOST_THREADS} at most are possible, \
                 {MOST_THREADS_Z} of them along z"
            ));
        }
        if points.iter().any(|points| !(1..=MOST_POINTS).contains(points)) {
            return Err(format!("kernel `{name}` has threads of {points:?} points"));
        }
        if *shared_bytes > MOST_SHARED_BYTES {
            return Err(format!("kernel `{name}` has {shared_bytes} bytes of shared memory a block"));
        }
        if !(1..=MOST_GRID_DIMENSIONS).contains(&grid.len()) {
            return Err(format!("kernel `{name}` has a grid of {} dimensions", grid.len()));
        }
        let what = format!("the grid of kernel `{name}`");
        for Extent { lower, upper, step } in grid {
            self.bounds([lower, upper], *step, host_iterators, &what)?;
        }
        Ok(())
    }

    /// Checks what the host does; `around` are the iterators of the loops around.
    fn host(&self, all: &[Host], around: &mut Vec<usize>, steps: &mut usize) -> Checked {
        for one in all {
            *steps += 1;
            if *steps > MOST_STEPS {
                return Err(format!("its host has more than {MOST_STEPS} loops and launches"));
            }
            match one {
                Host::Launch(index) => {
                    let count = self.kernels.len();
                    let kernel =
                        self.kernels.get(*index).ok_or(format!("it launches kernel {index} of {count}"))?;
                    if kernel.host_iterators.iter().any(|iterator| !around.contains(iterator)) {
                        return Err(format!(
                            "kernel `{}` takes an iterator of a loop that is not around its launch",
                            kernel.name
                        ));
                    }
                }
                Host::Loop(range, body) => {
                    let (iterator, what) = (range.iterator, "a loop of the host");
                    if iterator >= self.iterators.len() || around.contains(&iterator) {
                        return Err(format!(
                            "{what} has iterator {iterator}, which there is not or which another one has"
                        ));
                    }
                    if around.len() == MOST_DEPTH {
                        return Err(format!("its host has more than {MOST_DEPTH} loops around each other"));
                    }
                    self.bounds([&range.lower, &range.upper], range.step, around, what)?;
                    if range.is_reversed && range.step != 1 {
                        return Err(format!("{what} goes down in steps of {}", range.step));
                    }
                    around.push(iterator);
                    self.host(body, around, steps)?;
                    around.pop();
                }
            }
        }
        Ok(())
    }

    fn bounds(&self, bounds: [&Vec<Affine>; 2], step: i64, around: &[usize], what: &str) -> Checked {
        if bounds.iter().any(|bounds| !(1..=MOST_BOUNDS).contains(&bounds.len())) {
            return Err(format!("{what} has no bounds, or more than {MOST_BOUNDS}"));
        }
        if step < 1 {
            return Err(format!("{what} goes in steps of {step}"));
        }
        bounds.into_iter().flatten().try_for_each(|bound| self.affine(bound, around, what))
    }

    /// Checks a sum. It is of sizes and of iterators that are known there, each once, since equal sums are equal
    /// values.
    fn affine(&self, affine: &Affine, around: &[usize], what: &str) -> Checked {
        let are_known = affine.terms().iter().all(|(variable, _)| match *variable {
            Variable::Parameter(index) => index < self.sizes.len() + self.products.len(),
            Variable::Iterator(index) => around.contains(&index),
            Variable::Block(_) | Variable::Thread(_) => false,
        });
        if !are_known {
            return Err(format!("{what} names a size or an iterator that there is not"));
        }
        if !affine.is_canonical() {
            return Err(format!("{what} names a variable twice, or none times"));
        }
        Ok(())
    }
}

/// Checks a text of one line that can be shown.
fn name(what: &str, name: &str) -> Checked {
    if name.is_empty() || name.len() > MOST_NAME_BYTES || name.chars().any(char::is_control) {
        return Err(format!(
            "a {what} has no name, or one of more than {MOST_NAME_BYTES} bytes or with control characters"
        ));
    }
    Ok(())
}
