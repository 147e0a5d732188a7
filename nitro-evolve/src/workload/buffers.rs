//! From buffers as they are written to what is meant.

use std::collections::BTreeSet;
use std::path::Path;

use toml::Spanned;

use super::element::Element;
use super::expression::Expression;
use super::layout::{Layout, Member, StructureBuilder};
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
        written.iter().map(|buffer| self.buffer(buffer, written)).collect()
    }

    /// Reads a buffer.
    fn buffer(&mut self, written: &WrittenBuffer, all: &[WrittenBuffer]) -> Result<Buffer, Wrong> {
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
        let (layout, formulas) = self.elements(written, all)?;
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
    fn elements(
        &mut self,
        written: &WrittenBuffer,
        all: &[WrittenBuffer],
    ) -> Result<(Layout, Vec<Expression>), Wrong> {
        let WrittenBuffer { name, element, pointer, members, values, error, .. } = written;
        if members.is_empty() {
            let layout = match Kind::of(element.as_ref(), pointer.as_ref(), name)? {
                Kind::Number(element) => {
                    Layout::numbers(element, error.as_ref().map_or(usual(element), |error| *error.get_ref()))
                }
                Kind::Pointer(to) => Layout::pointers(target(to, written, all)?),
            };
            return Ok((layout, vec![self.values(values.as_ref(), None)?]));
        }
        let spans = [
            element.as_ref().map(Spanned::span),
            pointer.as_ref().map(Spanned::span),
            values.as_ref().map(Spanned::span),
            error.as_ref().map(Spanned::span),
        ];
        match spans.into_iter().flatten().next() {
            Some(span) => {
                let message = "`type`, `pointer`, `values` and `error` of structures stand with each member";
                wrong(span, message)
            }
            None => self.structure(written, all),
        }
    }

    /// Reads the members of structures.
    fn structure(
        &mut self,
        buffer: &WrittenBuffer,
        all: &[WrittenBuffer],
    ) -> Result<(Layout, Vec<Expression>), Wrong> {
        let (mut structure, mut formulas) = (StructureBuilder::new(), Vec::new());
        self.members(&buffer.members, (buffer, all), None, (&mut structure, &mut formulas))?;
        let layout = structure.finish();
        let numbers = layout.members.iter().map(|member| member.count).sum();
        check_extent(&buffer.name, layout.members.len(), numbers)?;
        Ok((layout, formulas))
    }

    /// Adds members to a structure, which may be in one of this name.
    fn members(
        &mut self,
        written: &[WrittenMember],
        (buffer, all): (&WrittenBuffer, &[WrittenBuffer]),
        around: Option<&WrittenMember>,
        (structure, formulas): (&mut StructureBuilder, &mut Vec<Expression>),
    ) -> Result<(), Wrong> {
        check_extent(around.map_or(&buffer.name, |around| &around.name), written.len(), 0)?;
        let mut names = BTreeSet::new();
        for own in written {
            let name = own.name.get_ref();
            if !names.insert(name) {
                return wrong(own.name.span(), format!("there are two members `{name}`"));
            }
            if let (Some(count), Some(_)) = (&own.count, around.and_then(|around| around.count.as_ref())) {
                let message =
                    "an array in an array of structures cannot be said; write its numbers as members";
                return wrong(count.span(), message);
            }
            if own.members.is_empty() {
                let array =
                    own.count.as_ref().map(|_| own).or(around.filter(|around| around.count.is_some()));
                formulas.push(self.values(own.values.as_ref(), array.map(|array| &array.name))?);
                let (mut member, alignment_bytes) = member(own, buffer, all)?;
                if let Some(around) = around {
                    member.name = format!("{}.{name}", around.name.get_ref());
                }
                structure.add(member, alignment_bytes);
                continue;
            }
            let is_number = own.element.is_some() || own.pointer.is_some();
            if around.is_some() || is_number || own.values.is_some() || own.error.is_some() {
                let message = "a structure in a structure has members alone, which are no structures";
                return wrong(own.name.span(), message);
            }
            let mut inner = StructureBuilder::new();
            self.members(&own.members, (buffer, all), Some(own), (&mut inner, formulas))?;
            let alignment_bytes = alignment(own, inner.alignment_bytes)?;
            structure.add_structures(inner.finish(), count(own)?, alignment_bytes);
        }
        Ok(())
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

/// Reads a member, but for its values, with the number of bytes of which its address is a multiple.
fn member(
    own: &WrittenMember,
    buffer: &WrittenBuffer,
    all: &[WrittenBuffer],
) -> Result<(Member, usize), Wrong> {
    let name = own.name.get_ref().clone();
    let member = match Kind::of(own.element.as_ref(), own.pointer.as_ref(), &own.name)? {
        Kind::Number(element) => Member::new(name, element, own.error.unwrap_or(usual(element))),
        Kind::Pointer(to) => Member::pointer(name, target(to, buffer, all)?),
    };
    let alignment_bytes = alignment(own, member.element.bytes())?;
    Ok((Member { count: count(own)?, ..member }, alignment_bytes))
}

/// Checks that the structures of this name are no larger than any person writes.
fn check_extent(name: &Text, members: usize, numbers: usize) -> Result<(), Wrong> {
    if members <= MOST_MEMBERS && numbers <= MOST_NUMBERS {
        return Ok(());
    }
    let message = format!(
        "a structure has up to {MOST_MEMBERS} members and {MOST_NUMBERS} numbers, and `{}` {members} with {numbers}",
        name.get_ref()
    );
    wrong(name.span(), message)
}

/// Reads the number of bytes of which the address of a member is a multiple, where it is usually this.
fn alignment(own: &WrittenMember, usual: usize) -> Result<usize, Wrong> {
    match &own.align {
        Some(align) if !align.get_ref().is_power_of_two() || *align.get_ref() > MOST_ALIGNMENT => {
            wrong(align.span(), format!("`align` is a power of two up to {MOST_ALIGNMENT}, in bytes"))
        }
        align => Ok(align.as_ref().map_or(usual, |align| *align.get_ref())),
    }
}

/// Reads how many a member has.
fn count(own: &WrittenMember) -> Result<usize, Wrong> {
    match &own.count {
        Some(count) if !(1..=MOST_NUMBERS).contains(count.get_ref()) => {
            wrong(count.span(), format!("`count` is a number from 1 to {MOST_NUMBERS}"))
        }
        count => Ok(count.as_ref().map_or(1, |count| *count.get_ref())),
    }
}

/// The kind of what a buffer or a member holds.
enum Kind<'a> {
    Number(Element),
    /// Pointers to a buffer of this name.
    Pointer(&'a Text),
}

impl<'a> Kind<'a> {
    /// Reads the kind of what has this name.
    fn of(element: Option<&Spanned<Element>>, pointer: Option<&'a Text>, name: &Text) -> Result<Self, Wrong> {
        match (element, pointer) {
            (Some(element), None) => Ok(Self::Number(*element.get_ref())),
            (None, Some(pointer)) => Ok(Self::Pointer(pointer)),
            (Some(_), Some(pointer)) => wrong(pointer.span(), "there is a `type` or a `pointer`, not both"),
            (None, None) => {
                let message = format!(
                    "`{}` has no `type`; of structures there are members instead, under [[buffer.member]]",
                    name.get_ref()
                );
                wrong(name.span(), message)
            }
        }
    }
}

/// Returns the position of the buffer that elements of another one point to.
fn target(to: &Text, from: &WrittenBuffer, all: &[WrittenBuffer]) -> Result<usize, Wrong> {
    let name = to.get_ref();
    if from.role != Role::In || from.margin.is_some() || from.file.is_some() {
        let message = "a buffer with pointers has the role \"in\", and neither `margin` nor `file`";
        return wrong(to.span(), message);
    }
    match all.iter().position(|buffer| buffer.name.get_ref() == name) {
        None => wrong(to.span(), format!("there is no buffer `{name}` to point to")),
        Some(at) if all[at].variable.is_some() => {
            wrong(to.span(), format!("`{name}` is a variable of the PTX, to which no pointer can point"))
        }
        Some(at) => Ok(at),
    }
}

/// Returns the comparison of numbers for which none is written.
fn usual(element: Element) -> Comparison {
    if element.is_float() { Comparison::Relative } else { Comparison::Exact }
}
