//! From a workload as it is written to what is meant.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use toml::Spanned;

use super::definitions;
use super::error::WorkloadError;
use super::expression::Expression;
use super::model::{Buffer, Case, Role, Set, Workload};
use super::names::Names;
use super::step::{PlannedArgument, PlannedLaunch, Step};
use super::written::{
    Formula, Text, WrittenArgument, WrittenCase, WrittenCopy, WrittenStep, WrittenWorkload,
};
use crate::words::{is_word, several};

/// The most loops within each other; no person writes more.
const DEEPEST: usize = 4;
const MOST_BYTES: u64 = 1 << 20;

impl Workload {
    /// Reads a workload from a file; files that it names stand beside it.
    ///
    /// # Errors
    /// When the file cannot be read or is none of a workload, with the line and what to change.
    pub fn read(file: &Path) -> Result<Self, WorkloadError> {
        let text = nitro_core::files::read(file, MOST_BYTES).and_then(|bytes| {
            String::from_utf8(bytes).map_err(|error| std::io::Error::other(error.utf8_error()))
        });
        let text = text.map_err(|source| WorkloadError::Read { file: file.to_owned(), source })?;
        Self::parse(file, &text)
    }

    /// Reads a workload from a text; messages and files that it names go by the path that it has.
    ///
    /// # Errors
    /// When it is none of a workload, with the line and what to change.
    pub fn parse(file: &Path, text: &str) -> Result<Self, WorkloadError> {
        let written = toml::from_str(text).map_err(|error| Wrong {
            span: error.span().unwrap_or(0..0),
            message: error.message().replace('\n', "; "),
        });
        let reader = Reader { file, text, names: Names::default() };
        written.and_then(|written| reader.workload(written)).map_err(|Wrong { span, message }| {
            let line = line(text, &span);
            // Names are whatever somebody wrote.
            let message = message.replace(char::is_control, " ");
            WorkloadError::Text { file: file.to_owned(), line, message }
        })
    }
}

/// A mistake, with its place in the text.
pub(super) struct Wrong {
    pub(super) span: Range<usize>,
    pub(super) message: String,
}

/// Fails with a mistake.
pub(super) fn wrong<T>(span: Range<usize>, message: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { span, message: message.into() })
}

/// Returns the line on which a place begins, from 1.
pub(super) fn line(text: &str, span: &Range<usize>) -> usize {
    1 + text.bytes().take(span.start).filter(|&byte| byte == b'\n').count()
}

/// A reader of one text.
pub(super) struct Reader<'a> {
    pub(super) file: &'a Path,
    pub(super) text: &'a str,
    /// The names that a formula may have.
    pub(super) names: Names,
}

impl Reader<'_> {
    /// Reads the whole text.
    fn workload(mut self, written: WrittenWorkload) -> Result<Workload, Wrong> {
        let sets =
            [(Set::Search, written.search), (Set::Validation, written.validation), (Set::Test, written.test)];
        let cases = self.cases(sets)?;
        let definitions = self.definitions(written.definitions)?;
        let buffers = self.buffers(&written.buffers)?;
        let steps = self.steps(&written.steps, &buffers, 0)?;
        if steps.is_empty() {
            return wrong(0..0, "nothing is launched; say what, under [[step]]");
        }
        let judge = self.steps(&written.judge, &buffers, 0)?;
        if !judge.iter().all(Step::launches_alone) {
            return wrong(0..0, "[[judge]] has launches alone, and neither `while` nor `copy` nor `clear`");
        }
        if !buffers.iter().any(|buffer| matches!(buffer.role, Role::Out | Role::InOut)) {
            return wrong(0..0, "no buffer is a result; give at least one the role \"out\" or \"inout\"");
        }
        let max_error = match written.max_error {
            Some(error) if !(error.get_ref() >= &0.0 && error.get_ref().is_finite()) => {
                return wrong(error.span(), "max_error is a number from 0");
            }
            error => error.map_or(0.0, Spanned::into_inner),
        };
        let (file, text) = (self.file.to_owned(), self.text.into());
        let names = self.names.listed().to_vec();
        Ok(Workload {
            file,
            text,
            max_error,
            names,
            definitions,
            buffers,
            steps,
            judge,
            cases,
            deadline: None,
        })
    }

    /// Reads the cases, all of which have the same numbers.
    fn cases(&mut self, sets: [(Set, Vec<Spanned<WrittenCase>>); 3]) -> Result<Vec<Case>, Wrong> {
        let mut cases = Vec::new();
        for (set, written) in sets {
            if written.is_empty() {
                let name = format!("{set:?}").to_lowercase();
                return wrong(
                    0..0,
                    format!("there is no input for the {name}; add [[{name}]] with its sizes"),
                );
            }
            for case in written {
                let (span, mut numbers) = (case.span(), case.into_inner());
                let seed = numbers.remove("seed").unwrap_or(0.0) as u64;
                let names: Vec<String> = numbers.keys().cloned().collect();
                match cases.is_empty() {
                    true => names.iter().try_for_each(|name| self.declare(name, span.clone()))?,
                    false if names != self.names.listed() => {
                        let message = format!(
                            "this case has {}, and the first {}",
                            listed(&names),
                            listed(self.names.listed())
                        );
                        return wrong(span, message);
                    }
                    false => {}
                }
                cases.push(Case { set, values: numbers.into_values().collect(), seed });
            }
        }
        Ok(cases)
    }

    /// Reads what follows from the numbers of a case, each behind those that it names: a table has no order.
    fn definitions(
        &mut self,
        written: BTreeMap<String, Spanned<Formula>>,
    ) -> Result<Vec<(usize, Expression)>, Wrong> {
        let first = self.names.len();
        for (name, formula) in &written {
            self.declare(name, formula.span())?;
        }
        let formulas = written.values().map(|formula| self.formula(formula));
        let mut formulas = formulas.collect::<Result<Vec<_>, _>>()?;
        let order = definitions::sorted(&formulas, first).or_else(|circle| {
            let mut names: Vec<&String> =
                circle.iter().filter_map(|&at| self.names.listed().get(first + at)).collect();
            names.extend(names.first().copied());
            let span = circle.first().and_then(|&at| written.values().nth(at)).map_or(0..0, Spanned::span);
            wrong(span, format!("each of these needs the next one: {}", several(&names)))
        })?;
        let mut sorted = Vec::with_capacity(order.len());
        for at in order {
            sorted.push((first + at, std::mem::replace(&mut formulas[at], Expression::constant(0.0))));
        }
        Ok(sorted)
    }

    /// Gives a name to the next value.
    fn declare(&mut self, name: &str, span: Range<usize>) -> Result<(), Wrong> {
        if !is_word(name) || name == "i" {
            return wrong(
                span,
                format!(
                    "`{name}` is no name for a number; letters, digits and _, and not `i`, which counts elements"
                ),
            );
        }
        if self.names.position(name).is_some() {
            return wrong(span, format!("`{name}` has a value already; give this another name"));
        }
        self.names.push(name);
        Ok(())
    }

    /// Reads a formula.
    pub(super) fn formula(&self, written: &Spanned<Formula>) -> Result<Expression, Wrong> {
        Expression::parse(&written.get_ref().text(), &self.names)
            .or_else(|message| wrong(written.span(), message))
    }

    /// Reads steps within so many loops.
    fn steps(
        &mut self,
        written: &[Spanned<WrittenStep>],
        buffers: &[Buffer],
        depth: usize,
    ) -> Result<Vec<Step>, Wrong> {
        written.iter().map(|step| self.step(step, buffers, depth)).collect()
    }

    /// Reads a launch or a loop.
    fn step(
        &mut self,
        written: &Spanned<WrittenStep>,
        buffers: &[Buffer],
        depth: usize,
    ) -> Result<Step, Wrong> {
        let step = written.get_ref();
        match (&step.kernel, &step.times) {
            (Some(kernel), None) => {
                Ok(Step::Launch(Box::new(self.launch(written.span(), kernel, step, buffers)?)))
            }
            (None, Some(_)) if depth == DEEPEST => {
                wrong(written.span(), format!("loops may be {DEEPEST} deep"))
            }
            (None, Some(times)) => self.repeat(times, step, buffers, depth),
            (None, None) if step.clear.is_some() || step.copy.is_some() => self.between(written, buffers),
            (None, None) if step.flag.is_some() => {
                wrong(written.span(), "a loop that ends by a flag needs `times` too, the most rounds")
            }
            _ => {
                wrong(written.span(), "a step has either a `kernel` or `times`, or is a `copy` or a `clear`")
            }
        }
    }

    /// Reads what the host does between launches.
    fn between(&self, written: &Spanned<WrittenStep>, buffers: &[Buffer]) -> Result<Step, Wrong> {
        match written.get_ref() {
            WrittenStep { clear: Some(name), copy: None, .. } => Ok(Step::Clear(changed(name, buffers)?)),
            WrittenStep { copy: Some(WrittenCopy { from, to, at }), clear: None, .. } => {
                let (source, to) = (position(from, buffers)?, changed(to, buffers)?);
                let of = [source, to].map(|at| &buffers[at].layout.bytes);
                if source == to || of[0] != of[1] {
                    let message = "a copy goes to another buffer, whose elements have as many bytes";
                    return wrong(from.span(), message);
                }
                if [source, to].iter().all(|&at| buffers[at].variable.is_some()) {
                    return wrong(
                        from.span(),
                        "a variable of the PTX is copied to one by way of another buffer",
                    );
                }
                let at = at.as_ref().map(|at| self.formula(at)).transpose()?;
                Ok(Step::Copy { from: source, to, at: at.unwrap_or(Expression::constant(0.0)) })
            }
            _ => wrong(written.span(), "a step is a `copy` or a `clear`, not both"),
        }
    }

    /// Reads a loop.
    fn repeat(
        &mut self,
        times: &Spanned<Formula>,
        step: &WrittenStep,
        buffers: &[Buffer],
        depth: usize,
    ) -> Result<Step, Wrong> {
        let times = self.formula(times)?;
        let flag = step.flag.as_ref().map(|name| changed(name, buffers)).transpose()?;
        let index = self.names.len();
        match &step.index {
            Some(name) => self.declare(name.get_ref(), name.span())?,
            // No formula can name it.
            None => self.names.push(""),
        }
        let steps = self.steps(&step.steps, buffers, depth + 1)?;
        // Another loop may have an index of this name.
        self.names.hide(index);
        Ok(Step::Repeat { times, flag, index, steps })
    }

    /// Reads a launch.
    fn launch(
        &self,
        span: Range<usize>,
        kernel: &Text,
        step: &WrittenStep,
        buffers: &[Buffer],
    ) -> Result<PlannedLaunch, Wrong> {
        let arguments = step.arguments.iter().map(|argument| self.argument(argument, buffers));
        Ok(PlannedLaunch {
            kernel: kernel.get_ref().clone(),
            grid: self.dimensions(&span, "grid", &step.grid)?,
            block: self.dimensions(&span, "block", &step.block)?,
            shared_bytes: step.shared_bytes.as_ref().map(|bytes| self.formula(bytes)).transpose()?,
            arguments: arguments.collect::<Result<_, _>>()?,
        })
    }

    /// Reads the dimensions of a grid or a block.
    fn dimensions(
        &self,
        span: &Range<usize>,
        name: &str,
        formulas: &[Spanned<Formula>],
    ) -> Result<Vec<Expression>, Wrong> {
        match formulas.len() {
            1..=3 => formulas.iter().map(|formula| self.formula(formula)).collect(),
            _ => wrong(span.clone(), format!("`{name}` has one to three numbers")),
        }
    }

    /// Reads an argument.
    fn argument(
        &self,
        written: &Spanned<WrittenArgument>,
        buffers: &[Buffer],
    ) -> Result<PlannedArgument, Wrong> {
        self.value(written.get_ref(), buffers, 0).or_else(|message| wrong(written.span(), message))
    }

    /// Reads an argument within so many structures.
    fn value(
        &self,
        written: &WrittenArgument,
        buffers: &[Buffer],
        depth: usize,
    ) -> Result<PlannedArgument, String> {
        match written {
            WrittenArgument::Buffer(name) => match buffers.iter().position(|buffer| buffer.name == *name) {
                Some(at) => {
                    let margin = buffers[at].margin.clone().map(|margin| (buffers[at].layout.bytes, margin));
                    Ok(PlannedArgument::Buffer(at, margin))
                }
                None => Err(format!("there is no buffer `{name}`; a number is {{ i32 = \"{name}\" }}")),
            },
            WrittenArgument::Scalar(typed) => match typed.iter().next() {
                Some((&element, formula)) if typed.len() == 1 => {
                    Ok(PlannedArgument::Scalar(element, Expression::parse(&formula.text(), &self.names)?))
                }
                _ => Err("a number has one type, such as { f32 = 0.5 }".to_owned()),
            },
            WrittenArgument::Struct(members) if members.is_empty() || depth == DEEPEST => {
                Err(format!("a structure has members, and is at most {DEEPEST} deep"))
            }
            WrittenArgument::Struct(members) => {
                let members = members.iter().map(|member| self.value(member, buffers, depth + 1));
                Ok(PlannedArgument::Struct(members.collect::<Result<_, _>>()?))
            }
        }
    }
}

/// Returns the position of a buffer.
fn position(name: &Text, buffers: &[Buffer]) -> Result<usize, Wrong> {
    let found = buffers.iter().position(|buffer| buffer.name == *name.get_ref());
    found.map_or_else(|| wrong(name.span(), format!("there is no buffer `{}`", name.get_ref())), Ok)
}

/// Returns the position of a buffer that the host changes.
fn changed(name: &Text, buffers: &[Buffer]) -> Result<usize, Wrong> {
    match position(name, buffers)? {
        at if buffers[at].role == Role::In => wrong(
            name.span(),
            format!("the host changes `{}`, so that it is no input; \"scratch\" fits", name.get_ref()),
        ),
        at => Ok(at),
    }
}

/// Lists sizes.
fn listed(names: &[String]) -> String {
    match names.is_empty() {
        true => "no sizes".to_owned(),
        false => names.join(", "),
    }
}
