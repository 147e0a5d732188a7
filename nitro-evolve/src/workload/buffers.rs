//! From buffers as they are written to what is meant.

use std::collections::BTreeSet;
use std::path::Path;

use toml::Spanned;

use super::element::Element;
use super::expression::Expression;
use super::layout::{Layout, Member};
use super::model::{Buffer, BufferVariable, Comparison, Role, Source};
use super::read::{Reader, Wrong, line, wrong};
use super::written::{Formula, Text, WrittenBuffer, WrittenMember};

/// The most members of a structure, and the most numbers of one.
const MOST_MEMBERS: usize = 256;
const MOST_NUMBERS: usize = 1 << 16;
/// The largest alignment of a member.
const MOST_ALIGNMENT: usize = 128;

impl Reader<'_> {
    /// Reads the buffers, each of another name.
    pub(super) fn buffers(&mut self, written: &[WrittenBuffer]) -> Result<Vec<Buffer>, Wrong> {
        let (mut names, mut variables) = (BTreeSet::new(), BTreeSet::new());
        for buffer in written {
            if !names.insert(buffer.name.get_ref()) {
                let message = format!("there are two buffers `{}`", buffer.name.get_ref());
                return wrong(buffer.name.span(), message);
            }
            if let Some(variable) = &buffer.variable
                && !variables.insert(variable.get_ref())
            {
                let message = format!("another buffer is the variable `{}` already", variable.get_ref());
                return wrong(variable.span(), message);
            }
        }
        written.iter().map(|buffer| self.buffer(buffer)).collect()
    }

    /// Reads a buffer.
    fn buffer(&mut self, written: &WrittenBuffer) -> Result<Buffer, Wrong> {
        let length = self.formula(&written.length)?;
        let variable = written.variable.as_ref().map(|variable| self.variable(variable, written, &length));
        let variable = variable.transpose()?;
        let margin = match &written.margin {
            Some(margin) if written.role == Role::Scratch => {
                return wrong(
                    margin.span(),
                    "nobody looks at scratch, so that writes to a margin would go unseen; \"inout\" fits",
                );
            }
            margin => margin.as_ref().map(|margin| self.formula(margin)).transpose()?,
        };
        let (layout, formulas) = self.elements(written)?;
        let source = match &written.file {
            Some(file) => {
                let has_values = |member: &WrittenMember| member.values.is_some();
                if written.values.is_some() || written.members.iter().any(has_values) {
                    return wrong(file.span(), "a buffer has values or a file, not both");
                }
                let folder = self.file.parent().unwrap_or(Path::new(""));
                Source::File(folder.join(file.get_ref()))
            }
            None => Source::Values(formulas),
        };
        let (name, role) = (written.name.get_ref().clone(), written.role);
        Ok(Buffer { name, layout, length, margin, variable, role, source })
    }

    /// Reads what the elements of a buffer are, and the formula of each member.
    fn elements(&mut self, written: &WrittenBuffer) -> Result<(Layout, Vec<Expression>), Wrong> {
        let WrittenBuffer { name, element, members, values, error, .. } = written;
        match (element, members.is_empty()) {
            (Some(element), true) => {
                let element = *element.get_ref();
                let comparison = error.as_ref().map_or(usual(element), |error| *error.get_ref());
                let values = self.values(values.as_ref(), None)?;
                Ok((Layout::numbers(element, comparison), vec![values]))
            }
            (Some(element), false) => wrong(element.span(), "a buffer has a `type` or members, not both"),
            (None, true) => {
                wrong(name.span(), "a buffer has a `type`, or members of structures, under [[buffer.member]]")
            }
            (None, false) => {
                let misplaced = values.as_ref().map(Spanned::span).or(error.as_ref().map(Spanned::span));
                match misplaced {
                    Some(span) => wrong(span, "`values` and `error` of structures stand with each member"),
                    None => self.structure(name, members),
                }
            }
        }
    }

    /// Reads the members of structures.
    fn structure(
        &mut self,
        buffer: &Text,
        written: &[WrittenMember],
    ) -> Result<(Layout, Vec<Expression>), Wrong> {
        let mut names = BTreeSet::new();
        let (mut members, mut formulas, mut numbers) = (Vec::new(), Vec::new(), 0usize);
        for own in written {
            if !names.insert(own.name.get_ref()) {
                return wrong(own.name.span(), format!("there are two members `{}`", own.name.get_ref()));
            }
            let alignment_bytes = match &own.align {
                Some(align) if !align.get_ref().is_power_of_two() || *align.get_ref() > MOST_ALIGNMENT => {
                    let message = format!("`align` is a power of two up to {MOST_ALIGNMENT}, in bytes");
                    return wrong(align.span(), message);
                }
                align => align.as_ref().map_or(own.element.bytes(), |align| *align.get_ref()),
            };
            formulas.push(self.values(own.values.as_ref(), own.count.as_ref().map(|_| &own.name))?);
            let count = own.count.as_ref().map_or(1, |count| *count.get_ref());
            numbers = numbers.saturating_add(count);
            if count == 0 || numbers > MOST_NUMBERS || members.len() == MOST_MEMBERS {
                let span = own.count.as_ref().map_or(own.name.span(), Spanned::span);
                let message = format!(
                    "a structure has up to {MOST_MEMBERS} members, each of one number or more, and \
                     {MOST_NUMBERS} numbers in all"
                );
                return wrong(span, message);
            }
            let (name, element) = (own.name.get_ref().clone(), own.element);
            let comparison = own.error.unwrap_or(usual(element));
            members.push((Member { name, element, count, offset_bytes: 0, comparison }, alignment_bytes));
        }
        let layout = Layout::structures(members);
        match layout.bytes {
            0 => wrong(buffer.span(), "a structure has members"),
            _ => Ok((layout, formulas)),
        }
    }

    /// Reads the values of a buffer, or of a member, which may be an array of this name. Those that are left out are 0.
    fn values(
        &mut self,
        written: Option<&Spanned<Formula>>,
        array: Option<&Text>,
    ) -> Result<Expression, Wrong> {
        let Some(values) = written else { return Ok(Expression::constant(0.0)) };
        if let Some(array) = array
            && self.names.position("j").is_some()
        {
            let message =
                format!("`j` counts the numbers of `{}`; give the other one another name", array.get_ref());
            return wrong(values.span(), message);
        }
        self.names.push("i");
        if array.is_some() {
            self.names.push("j");
        }
        let formula = self.formula(values);
        if array.is_some() {
            self.names.pop();
        }
        self.names.pop();
        formula
    }

    /// Reads the variable that a buffer is, which has one size.
    fn variable(
        &self,
        variable: &Text,
        written: &WrittenBuffer,
        length: &Expression,
    ) -> Result<BufferVariable, Wrong> {
        let name = variable.get_ref();
        if let Some(margin) = &written.margin {
            return wrong(margin.span(), format!("`{name}` is a variable of the PTX, and has no margin"));
        }
        if !length.positions().is_empty() || length.is_drawn() {
            let message = format!(
                "`{name}` is a variable of the PTX, whose length is the same in all cases; give it in numbers"
            );
            return wrong(written.length.span(), message);
        }
        Ok(BufferVariable { name: name.clone(), line: line(self.text, &variable.span()) })
    }
}

/// Returns the comparison of numbers for which none is written.
fn usual(element: Element) -> Comparison {
    if element.is_float() { Comparison::Relative } else { Comparison::Exact }
}
