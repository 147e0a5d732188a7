//! Programs as text, for people. What a compiler reads is in `cuda`.

use std::fmt::{self, Display, Formatter, Write};

use super::{Cache, Host, Instruction, Kernel, Program, Space, WIDE};
use crate::nest::affine::Variable;
use crate::nest::display::{self, Names};

/// What variables, scalars and arrays of a kernel are called.
pub struct KernelNames<'a> {
    /// Whose names they are.
    pub program: &'a Program,
    /// Whose arrays come after those of the nest.
    pub kernel: &'a Kernel,
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
}

impl Display for Program {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        host(self, &self.host, 0, &mut text)?;
        for kernel in &self.kernels {
            writeln!(text)?;
            self::kernel(self, kernel, &mut text)?;
        }
        formatter.write_str(&text)
    }
}

fn host(program: &Program, all: &[Host], depth: usize, text: &mut String) -> fmt::Result {
    let indent = "    ".repeat(depth);
    for one in all {
        match one {
            Host::Launch(index) => writeln!(text, "{indent}launch {}", program.kernels[*index].name)?,
            Host::Loop(range, body) => {
                let name = &program.nest.iterators[range.iterator];
                writeln!(text, "{indent}for {name} in {} {{", display::range(&program.nest, range))?;
                host(program, body, depth + 1, text)?;
                writeln!(text, "{indent}}}")?;
            }
        }
    }
    Ok(())
}

fn kernel(program: &Program, kernel: &Kernel, text: &mut String) -> fmt::Result {
    let names = KernelNames { program, kernel };
    let covers = |extent: &super::Extent| {
        let [lower, upper] =
            [("max", &extent.lower), ("min", &extent.upper)].map(|(of, all)| display::bound(&names, of, all));
        let step = if extent.step == 1 { String::new() } else { format!(" by {}", extent.step) };
        format!("{lower}..{upper}{step}")
    };
    let grid: Vec<_> = kernel.grid.iter().map(covers).collect();
    let [x, y, z] = kernel.block;
    let points = match kernel.points {
        [1, 1, 1] => String::new(),
        [x, y, z] => format!(", {x} × {y} × {z} points a thread"),
    };
    writeln!(
        text,
        "kernel {} over {} in blocks of {x} × {y} × {z}{points} {{",
        kernel.name,
        grid.join(" × ")
    )?;
    for local in &kernel.locals {
        let space = if local.space == Space::Shared { "shared" } else { "register" };
        writeln!(text, "    {space} {}: f32{:?}", local.name, local.shape)?;
    }
    for caching in &kernel.caching {
        let name = names.array(caching.array);
        let [reads, writes] = [caching.reads, caching.writes].map(|cache| match cache {
            Cache::Usual => "as usual",
            Cache::Device => "past the multiprocessor's cache",
            Cache::Streaming => "as a stream",
        });
        writeln!(text, "    {name} is read {reads}, written {writes}")?;
    }
    instructions(&names, &kernel.body, 1, text)?;
    writeln!(text, "}}")
}

fn instructions(
    names: &KernelNames<'_>,
    all: &[Instruction],
    depth: usize,
    text: &mut String,
) -> fmt::Result {
    let indent = "    ".repeat(depth);
    for instruction in all {
        let body = match instruction {
            Instruction::Define(iterator, values) => {
                let name = names.variable(Variable::Iterator(*iterator));
                writeln!(text, "{indent}let {name} = {};", display::bound(names, "max", values))?;
                continue;
            }
            Instruction::Assign(assignment) => {
                writeln!(text, "{indent}{}", display::assignment(names, assignment))?;
                continue;
            }
            Instruction::Fetch { target, source, width } => {
                let [target, source] = [target, source].map(|access| display::access(names, access));
                let of = if *width == 1 { String::new() } else { format!(" and neighbours, {width} in all") };
                writeln!(text, "{indent}fetch {target} = {source}{of};")?;
                continue;
            }
            Instruction::Copy { target, source } => {
                let [target, source] = [target, source].map(|access| display::access(names, access));
                writeln!(text, "{indent}copy {target} = {source} and neighbours, {WIDE} in all;")?;
                continue;
            }
            Instruction::Commit => {
                writeln!(text, "{indent}commit;")?;
                continue;
            }
            Instruction::Await(0) => {
                writeln!(text, "{indent}await;")?;
                continue;
            }
            Instruction::Await(groups) => {
                writeln!(text, "{indent}await all but {groups};")?;
                continue;
            }
            Instruction::Barrier => {
                writeln!(text, "{indent}barrier;")?;
                continue;
            }
            Instruction::Divide { quotient, remainder, value, divisor } => {
                let [quotient, remainder] =
                    [quotient, remainder].map(|iterator| names.variable(Variable::Iterator(*iterator)));
                let value = display::affine(names, value);
                writeln!(text, "{indent}let {quotient}, {remainder} = ({value}) / {divisor};")?;
                continue;
            }
            Instruction::Add { target, value, lanes } => {
                let [target, value] = [target, value].map(|access| display::access(names, access));
                let of = if *lanes == 1 { String::new() } else { format!(" of {lanes} lanes") };
                writeln!(text, "{indent}atomic {target} += {value}{of};")?;
                continue;
            }
            Instruction::AddWide { target, value } => {
                let [target, value] = [target, value].map(|access| display::access(names, access));
                writeln!(text, "{indent}atomic {target} += {value} and neighbours, {WIDE} in all;")?;
                continue;
            }
            Instruction::Loop(range, _, body) => {
                let name = names.variable(Variable::Iterator(range.iterator));
                writeln!(text, "{indent}for {name} in {} {{", display::range(names, range))?;
                body
            }
            Instruction::If(conditions, body, otherwise) => {
                writeln!(text, "{indent}if {} {{", display::conditions(names, conditions))?;
                if otherwise.is_empty() {
                    body
                } else {
                    instructions(names, body, depth + 1, text)?;
                    writeln!(text, "{indent}}} else {{")?;
                    otherwise
                }
            }
        };
        instructions(names, body, depth + 1, text)?;
        writeln!(text, "{indent}}}")?;
    }
    Ok(())
}
