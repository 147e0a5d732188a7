//! Programs as text, for people. The text for compilers is in `cuda`.

use std::fmt::{self, Display, Formatter};

use nitro_launch::Element;

use super::{Cache, Extent, Host, Instruction, Kernel, Program, Space, Unroll, WIDE};
use crate::limits::LANES;
use crate::nest::affine::Variable;
use crate::nest::display::{self, Names};
use crate::nest::expression::Binary;
use crate::nest::{Condition, Range};

/// The names of variables, scalars and arrays of a kernel.
pub(crate) struct KernelNames<'a> {
    pub(crate) program: &'a Program,
    /// The kernel, whose iterators and arrays come after those of the nest.
    pub(crate) kernel: &'a Kernel,
}

impl Names for KernelNames<'_> {
    fn variable(&self, variable: Variable) -> &str {
        match variable {
            Variable::Iterator(index) if index >= self.program.nest.iterators.len() => {
                &self.kernel.iterators[index - self.program.nest.iterators.len()]
            }
            _ => self.program.nest.variable(variable),
        }
    }

    fn scalar(&self, index: usize) -> &str {
        self.program.nest.scalar(index)
    }

    fn array(&self, index: usize) -> &str {
        match index.checked_sub(self.program.nest.arrays.len()) {
            None => self.program.nest.array(index),
            Some(local) => &self.kernel.locals[local].name,
        }
    }

    fn element(&self) -> Element {
        self.program.nest.element
    }

    fn indices(&self, index: usize) -> &str {
        Names::indices(&self.program.nest, index)
    }
}

/// A language in which instructions are written.
pub(super) trait Notation {
    /// Returns the lines of an instruction that has no others in it.
    fn lines(&self, instruction: &Instruction) -> Vec<String>;

    /// Returns the lines with which a loop begins.
    fn loop_head(&self, range: &Range, unroll: Unroll) -> Vec<String>;

    /// Returns the line with which conditions begin.
    fn if_head(&self, conditions: &[Condition]) -> String;
}

/// Writes instructions, and those in them.
pub(super) fn write_instructions(
    notation: &dyn Notation,
    all: &[Instruction],
    depth: usize,
    text: &mut String,
) {
    let indent = "    ".repeat(depth);
    for instruction in all {
        let (heads, body, otherwise) = match instruction {
            Instruction::Loop(range, unroll, body) => (notation.loop_head(range, *unroll), body, &[][..]),
            Instruction::If(conditions, body, otherwise) => {
                (vec![notation.if_head(conditions)], body, &otherwise[..])
            }
            simple => {
                notation.lines(simple).iter().for_each(|line| *text += &format!("{indent}{line}\n"));
                continue;
            }
        };
        heads.iter().for_each(|line| *text += &format!("{indent}{line}\n"));
        write_instructions(notation, body, depth + 1, text);
        if !otherwise.is_empty() {
            *text += &format!("{indent}}} else {{\n");
            write_instructions(notation, otherwise, depth + 1, text);
        }
        *text += &format!("{indent}}}\n");
    }
}

impl Display for Program {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        write_host(self, &self.host, 0, &mut text);
        for kernel in &self.kernels {
            text.push('\n');
            write_kernel(self, kernel, &mut text);
        }
        formatter.write_str(&text)
    }
}

fn write_host(program: &Program, all: &[Host], depth: usize, text: &mut String) {
    let indent = "    ".repeat(depth);
    for one in all {
        match one {
            Host::Launch(index) => *text += &format!("{indent}launch {}\n", program.kernels[*index].name),
            Host::Loop(range, body) => {
                let name = &program.nest.iterators[range.iterator];
                *text += &format!("{indent}for {name} in {} {{\n", display::range(&program.nest, range));
                write_host(program, body, depth + 1, text);
                *text += &format!("{indent}}}\n");
            }
        }
    }
}

fn write_kernel(program: &Program, kernel: &Kernel, text: &mut String) {
    let names = KernelNames { program, kernel };
    let grid: Vec<_> = kernel.grid.iter().map(|extent| names.extent(extent)).collect();
    let [x, y, z] = kernel.block;
    let points = match kernel.points {
        [1, 1, 1] => String::new(),
        [x, y, z] => format!(", {x} × {y} × {z} points a thread"),
    };
    let (name, grid) = (&kernel.name, grid.join(" × "));
    *text += &format!("kernel {name} over {grid} in blocks of {x} × {y} × {z}{points} {{\n");
    for local in &kernel.locals {
        let space = if local.space == Space::Shared { "shared" } else { "register" };
        let number = local.storage.name(program.nest.element);
        *text += &format!("    {space} {}: {number}{:?}\n", local.name, local.shape);
    }
    for caching in &kernel.caching {
        let (reads, writes) = (cached(caching.reads), cached(caching.writes));
        *text += &format!("    {} is read {reads}, written {writes}\n", names.array(caching.array));
    }
    write_instructions(&names, &kernel.body, 1, text);
    *text += "}\n";
}

/// Returns the sign of an operation by which a warp combines registers.
fn operation(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Minimum => "min",
        Binary::Maximum => "max",
    }
}

fn cached(cache: Cache) -> &'static str {
    match cache {
        Cache::Usual => "as usual",
        Cache::Device => "past the multiprocessor's cache",
        Cache::Streaming => "as a stream",
    }
}

impl KernelNames<'_> {
    fn extent(&self, extent: &Extent) -> String {
        let (lower, upper) =
            (display::bound(self, "max", &extent.lower), display::bound(self, "min", &extent.upper));
        let step = if extent.step == 1 { String::new() } else { format!(" by {}", extent.step) };
        format!("{lower}..{upper}{step}")
    }
}

impl Notation for KernelNames<'_> {
    fn lines(&self, instruction: &Instruction) -> Vec<String> {
        vec![match instruction {
            Instruction::Define(iterator, values) => {
                let name = self.variable(Variable::Iterator(*iterator));
                format!("let {name} = {};", display::bound(self, "max", values))
            }
            Instruction::Assign(assignment) => display::assignment(self, assignment),
            Instruction::Fetch { target, source, width } => {
                let [target, source] = [target, source].map(|access| display::access(self, access));
                let of = if *width == 1 { String::new() } else { format!(" and neighbours, {width} in all") };
                format!("fetch {target} = {source}{of};")
            }
            Instruction::Copy { target, source, width } => {
                let [target, source] = [target, source].map(|access| display::access(self, access));
                format!("copy {target} = {source} and neighbours, {width} in all;")
            }
            Instruction::Choose { conditions, target, value } => {
                let [target, value] = [target, value].map(|access| display::access(self, access));
                format!("{target} = {value} where {};", display::conditions(self, conditions))
            }
            Instruction::Commit => "commit;".to_owned(),
            Instruction::Await(0) => "await;".to_owned(),
            Instruction::Await(groups) => format!("await all but {groups};"),
            Instruction::Barrier => "barrier;".to_owned(),
            Instruction::Begin(iterator, value) | Instruction::Set(iterator, value) => {
                let begins = if matches!(instruction, Instruction::Begin(..)) { "let " } else { "" };
                let iterator = self.variable(Variable::Iterator(*iterator));
                format!("{begins}{iterator} = {};", display::affine(self, value))
            }
            Instruction::Divide { quotient, remainder, value, divisor } => {
                let [quotient, remainder] =
                    [quotient, remainder].map(|iterator| self.variable(Variable::Iterator(*iterator)));
                let [value, divisor] = [value, divisor].map(|one| display::affine(self, one));
                format!("let {quotient}, {remainder} = ({value}) / {};", display::factor(&divisor))
            }
            Instruction::Add { target, value, lanes } => {
                let [target, value] = [target, value].map(|access| display::access(self, access));
                let of = if *lanes == 1 { String::new() } else { format!(" of {lanes} lanes") };
                format!("atomic {target} += {value}{of};")
            }
            Instruction::Combine { register, operator, lanes } => {
                let register = display::access(self, register);
                format!("combine {register} of {lanes} lanes by {};", operation(*operator))
            }
            Instruction::Scan { register, operator } => {
                let register = display::access(self, register);
                format!("scan {register} of {LANES} lanes by {};", operation(*operator))
            }
            Instruction::LoadFragment(load) => {
                let [target, row] = [&load.target, &load.row].map(|access| display::access(self, access));
                let transposed = if load.is_transposed { ", transposed" } else { "" };
                format!(
                    "load fragments {target} of {} matrices whose rows begin at {row}{transposed};",
                    load.matrices
                )
            }
            Instruction::Multiply(product) => {
                let [first, ..] = &product.sums;
                let [sums, left, right] =
                    [first, &product.left, &product.right].map(|access| display::access(self, access));
                format!(
                    "multiply fragments {sums} += {left} * {right} on matrix units, {};",
                    product.arithmetic
                )
            }
            Instruction::Split(split) => {
                let [target, source] =
                    [&split.target, &split.source].map(|access| display::access(self, access));
                format!("split {source} and neighbours to {target}, {};", split.arithmetic)
            }
            Instruction::BeginProduct(product) => {
                let [sums, left, right] = [&product.sums[0], product.left.first(), product.right.first()]
                    .map(|one| display::access(self, one));
                let (columns, arithmetic) = (product.columns(), product.arithmetic);
                format!("begin {sums} += {left} * {right}, {columns} columns of four warps, {arithmetic};")
            }
            Instruction::AwaitProduct { sums, but } => {
                let but = if *but == 0 { String::new() } else { format!(" but the last {but}") };
                format!("await product {}{but};", display::access(self, &sums[0]))
            }
            Instruction::AddWide { target, value } => {
                let [target, value] = [target, value].map(|access| display::access(self, access));
                format!("atomic {target} += {value} and neighbours, {WIDE} in all;")
            }
            Instruction::Loop(..) | Instruction::If(..) => unreachable!("others are in it"),
        }]
    }

    fn loop_head(&self, range: &Range, _: Unroll) -> Vec<String> {
        let name = self.variable(Variable::Iterator(range.iterator));
        vec![format!("for {name} in {} {{", display::range(self, range))]
    }

    fn if_head(&self, conditions: &[Condition]) -> String {
        format!("if {} {{", display::conditions(self, conditions))
    }
}
