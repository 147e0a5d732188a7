//! The text of a plan's workload.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt::Write as _;

use nitro_launch::{
    Covering, Host, Integers, LaunchPlan, PlannedArray, PlannedKernel, SizeProduct, Walk, launches,
};

use super::cases::{InputNumbers, cases};
use super::error::PlannedError;
use super::formula::Names;
use crate::workload::Set;

/// The error of sums of some thousand terms in single precision, in another order.
const REORDERED: f64 = 1e-5;
/// The most launches of an input that are looked at.
const MOST_LAUNCHES: u64 = 100_000;

/// A writer of launches.
struct Writer<'a> {
    plan: &'a LaunchPlan,
    names: Names,
    integers: &'static str,
    /// The kernels that some launch of an input has no block of, by their indices.
    left_out: BTreeSet<usize>,
    text: String,
}

/// Writes a workload with inputs around these numbers.
pub(super) fn workload(plan: &LaunchPlan, numbers: &[(String, f64)]) -> Result<String, PlannedError> {
    let cases = cases(plan, numbers)?;
    let mut integers = Integers::Bits32;
    for case in &cases {
        if plan.integers(&case.sizes)? == Integers::Bits64 {
            integers = Integers::Bits64;
        }
    }
    let integers = if integers == Integers::Bits64 { "i64" } else { "i32" };
    let left_out = cases.iter().flat_map(|case| left_out(plan, &case.sizes)).collect();
    let mut writer = Writer { plan, names: Names::new(plan), integers, left_out, text: String::new() };
    writer.head();
    writer.products();
    writer.buffers();
    writer.steps(&plan.host, "step");
    writer.cases(&cases);
    Ok(writer.text)
}

/// Returns the kernels that have a launch without blocks for these sizes: a plan leaves it out.
fn left_out(plan: &LaunchPlan, sizes: &[i64]) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let sizes = SizeProduct::with_all(&plan.products, sizes);
    let (host, iterators) = (&plan.host, plan.iterators.len());
    let walk =
        launches(host, iterators, &|at| covering(&plan.kernels[at]), &sizes, MOST_LAUNCHES, |launch| {
            found.extend(launch.grid.contains(&0).then_some(launch.kernel));
            Ok::<(), Infallible>(())
        });
    match walk {
        Ok(Walk::Ended | Walk::Stopped) => found,
    }
}

/// Returns what the launches of a kernel cover.
fn covering(kernel: &PlannedKernel) -> Covering<'_> {
    let PlannedKernel { host_iterators, grid, block, points, .. } = kernel;
    Covering { host_iterators, grid, block: *block, points: *points }
}

/// Tells whether threads add to one element in any order, by atomic operations or by exchanging what they have.
fn reorders(plan: &LaunchPlan) -> bool {
    let text = plan.ptx.as_ref().map_or(&plan.cuda, |ptx| &ptx.text);
    ["atomicAdd", "__shfl", "atom.", "red.", "shfl."].iter().any(|word| text.contains(word))
}

impl Writer<'_> {
    /// Adds a line.
    fn add(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Writes the permitted error.
    fn head(&mut self) {
        let name = quoted(&self.plan.name);
        self.add(&format!("# How the launch plan {name} is run, and what of its results counts."));
        match reorders(self.plan) {
            true => self.add(&format!(
                "\n# Threads add up what they have in an order of their own.\nmax_error = {REORDERED:e}"
            )),
            false => self.add("\n# Bit for bit the original's.\nmax_error = 0.0"),
        }
    }

    /// Writes the products of sizes as numbers that follow from these.
    fn products(&mut self) {
        if self.plan.products.is_empty() {
            return;
        }
        self.add("\n[let]");
        for (at, product) in self.plan.products.iter().enumerate() {
            let sizes = &self.names.sizes;
            let [one, other] = product.factors.map(|factor| &sizes[factor]);
            let line = format!("{} = \"{one} * {other}\"", sizes[self.plan.sizes.len() + at]);
            self.add(&line);
        }
    }

    /// Writes the arrays.
    fn buffers(&mut self) {
        let plan = self.plan;
        let error = if reorders(plan) { "relative" } else { "exact" };
        for array in &plan.arrays {
            let role = if array.is_written { "inout" } else { "in" };
            self.buffer(array, false, role);
            self.add("values = \"uniform(0, 1)\"");
            if array.is_written {
                self.add(&format!("error = \"{error}\""));
            }
        }
        plan.temporaries.iter().for_each(|array| self.buffer(array, true, "scratch"));
    }

    /// Writes an array.
    fn buffer(&mut self, array: &PlannedArray, is_temporary: bool, role: &str) {
        let (name, length) = (quoted(&array.name), self.names.elements(&array.shape, is_temporary));
        self.add(&format!(
            "\n[[buffer]]\nname = {name}\ntype = \"f32\"\nlength = \"{length}\"\nrole = \"{role}\""
        ));
    }

    /// Writes the loops and launches of the host into a table of TOML.
    fn steps(&mut self, host: &[Host], table: &str) {
        for one in host {
            match one {
                Host::Launch(at) => self.launch(*at, table),
                Host::Loop(range, body) => {
                    let index = self.names.iterators[range.iterator].clone();
                    let (times, value) = self.names.range(range, &index);
                    self.add(&format!("\n[[{table}]]\ntimes = \"{times}\"\nindex = \"{index}\""));
                    self.names.iterators[range.iterator] = value;
                    self.steps(body, &format!("{table}.step"));
                    self.names.iterators[range.iterator] = index;
                }
            }
        }
    }

    /// Writes a launch, under a condition where it may have no blocks.
    fn launch(&mut self, at: usize, table: &str) {
        let kernel = &self.plan.kernels[at];
        let mut grid = Vec::new();
        for (axis, extent) in kernel.grid.iter().enumerate() {
            grid.push(self.names.blocks(extent, covering(kernel).of_block(axis) as i64));
        }
        let mut table = table.to_owned();
        if self.left_out.contains(&at) {
            let least = grid.iter().fold("1".to_owned(), |all, blocks| format!("min({all}, {blocks})"));
            self.add(&format!("\n[[{table}]] # where there is anything to do\ntimes = \"max(0, {least})\""));
            table.push_str(".step");
        }
        // Blocks of more dimensions than a device has are numbered along x.
        if grid.len() > 3 {
            grid = vec![grid.iter().map(|blocks| format!("({blocks})")).collect::<Vec<_>>().join(" * ")];
        }
        let grid: Vec<String> = grid.iter().map(|blocks| format!("\"{blocks}\"")).collect();
        let arguments = self.arguments(kernel).join(", ");
        self.add(&format!(
            "\n[[{table}]]\nkernel = {}\ngrid = [{}]\nblock = {:?}\narguments = [{arguments}]",
            quoted(&kernel.name),
            grid.join(", "),
            kernel.block
        ));
        if kernel.shared_bytes > 0 {
            self.add(&format!("shared_bytes = \"{}\"", kernel.shared_bytes));
        }
    }

    /// Writes arguments as the kernel takes them: sizes and iterators, scalars, arrays.
    fn arguments(&self, kernel: &PlannedKernel) -> Vec<String> {
        let Self { names, integers, plan, .. } = self;
        let iterators = kernel.host_iterators.iter().map(|at| &names.iterators[*at]);
        let integers =
            names.sizes.iter().chain(iterators).map(|name| format!("{{ {integers} = \"{name}\" }}"));
        let scalars = names.scalars.iter().map(|name| format!("{{ f32 = \"{name}\" }}"));
        let arrays = plan.arrays.iter().chain(&plan.temporaries).map(|array| quoted(&array.name));
        integers.chain(scalars).chain(arrays).collect()
    }

    /// Writes the inputs.
    fn cases(&mut self, cases: &[InputNumbers]) {
        for (seed, case) in cases.iter().enumerate() {
            let set = match case.set {
                Set::Search => "search",
                Set::Validation => "validation",
                Set::Test => "test",
            };
            let _ = write!(self.text, "\n[[{set}]]\nseed = {seed}\n");
            for (name, size) in self.names.sizes.iter().zip(&case.sizes) {
                let _ = writeln!(self.text, "{name} = {size}");
            }
            for (name, scalar) in self.names.scalars.iter().zip(&case.scalars) {
                let _ = writeln!(self.text, "{name} = {scalar:?}");
            }
        }
    }
}

/// Writes a name as TOML has it: names of a plan have no control characters.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}
