//! The layout of a buffer's elements: numbers, or structures as C has them.

use super::element::Element;
use super::model::Comparison;

/// The layout of a buffer's elements: a number is a structure with one member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The members, in order.
    pub members: Vec<Member>,
    /// The bytes of an element, with what pads it.
    pub bytes: usize,
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name; empty where the element is a number.
    pub name: String,
    /// The type of its numbers.
    pub element: Element,
    /// The buffer to an element of which each of them points, by its position; none where they are plain numbers.
    pub pointer: Option<usize>,
    /// How many it has: more than one where it is an array, or in one of structures.
    pub count: usize,
    /// The distance of each of them from the one before.
    pub stride_bytes: usize,
    /// The offset of the first one.
    pub offset_bytes: usize,
    /// The comparison of its numbers, where the buffer is a result.
    pub comparison: Comparison,
}

/// A number in an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scalar {
    pub(crate) element: Element,
    pub(crate) offset_bytes: usize,
    /// The buffer that it points to, by its position.
    pub(crate) pointer: Option<usize>,
}

impl Layout {
    /// Returns the layout of numbers.
    #[must_use]
    pub fn numbers(element: Element, comparison: Comparison) -> Self {
        Self::of_one(Member::new(String::new(), element, comparison))
    }

    /// Returns the layout of pointers to a buffer, by its position.
    pub(super) fn pointers(to: usize) -> Self {
        Self::of_one(Member::pointer(String::new(), to))
    }

    fn of_one(member: Member) -> Self {
        Self { bytes: member.element.bytes(), members: vec![member] }
    }

    /// Returns the type of elements that are numbers.
    pub(crate) fn number(&self) -> Option<Element> {
        let [member] = &self.members[..] else { return None };
        (member.name.is_empty() && member.pointer.is_none()).then_some(member.element)
    }

    /// Returns the numbers of an element, in order.
    pub(crate) fn scalars(&self) -> impl Iterator<Item = Scalar> {
        self.members.iter().flat_map(|member| {
            let Member { element, pointer, .. } = *member;
            member.offsets_bytes().map(move |offset_bytes| Scalar { element, offset_bytes, pointer })
        })
    }

    /// Returns the member that a byte of a buffer belongs to; none where it pads an element.
    pub(crate) fn member_at(&self, byte: usize) -> Option<&Member> {
        let at = byte % self.bytes;
        self.members.iter().find(|member| {
            let from = at.checked_sub(member.offset_bytes);
            from.is_some_and(|from| {
                from / member.stride_bytes < member.count
                    && from % member.stride_bytes < member.element.bytes()
            })
        })
    }
}

/// A structure that gets its members one after the other, each where C has it.
#[derive(Debug)]
pub(crate) struct StructureBuilder {
    members: Vec<Member>,
    end: usize,
    /// The number of bytes of which its address is a multiple.
    pub(super) alignment_bytes: usize,
}

impl StructureBuilder {
    /// Creates a structure without members.
    pub(crate) fn new() -> Self {
        Self { members: Vec::new(), end: 0, alignment_bytes: 1 }
    }

    /// Takes so many bytes at the next address that is such a multiple. Returns the offset.
    fn take(&mut self, bytes: usize, alignment_bytes: usize) -> usize {
        let begin = self.end.next_multiple_of(alignment_bytes);
        self.end = begin + bytes;
        self.alignment_bytes = self.alignment_bytes.max(alignment_bytes);
        begin
    }

    /// Adds a member.
    pub(crate) fn add(&mut self, member: Member, alignment_bytes: usize) {
        let offset_bytes = self.take(member.count * member.element.bytes(), alignment_bytes);
        self.members.push(Member { offset_bytes, ..member });
    }

    /// Adds so many structures, of which each member becomes one: with as many numbers, unless there is one structure.
    pub(super) fn add_structures(&mut self, of: Layout, count: usize, alignment_bytes: usize) {
        let begin = self.take(count * of.bytes, alignment_bytes);
        self.members.extend(of.members.into_iter().map(|member| {
            let offset_bytes = begin + member.offset_bytes;
            match count {
                1 => Member { offset_bytes, ..member },
                _ => Member { offset_bytes, count, stride_bytes: of.bytes, ..member },
            }
        }));
    }

    /// Returns the layout, with what pads the end.
    pub(crate) fn finish(self) -> Layout {
        Layout { members: self.members, bytes: self.end.next_multiple_of(self.alignment_bytes) }
    }
}

impl Member {
    /// Creates a member of one number, at the beginning.
    #[must_use]
    pub fn new(name: String, element: Element, comparison: Comparison) -> Self {
        Self {
            name,
            element,
            pointer: None,
            count: 1,
            stride_bytes: element.bytes(),
            offset_bytes: 0,
            comparison,
        }
    }

    /// Creates a member that points to a buffer, by its position.
    pub(super) fn pointer(name: String, to: usize) -> Self {
        Self { pointer: Some(to), ..Self::new(name, Element::U64, Comparison::Exact) }
    }

    /// Returns the offset of each of its numbers.
    pub(crate) fn offsets_bytes(&self) -> impl Iterator<Item = usize> + Clone + use<> {
        let Self { offset_bytes, stride_bytes, .. } = *self;
        (0..self.count).map(move |at| offset_bytes + at * stride_bytes)
    }

    /// Returns its name in messages, as a member of a buffer.
    pub(crate) fn name_in(&self, buffer: &str) -> String {
        if self.name.is_empty() { buffer.to_owned() } else { format!("{buffer}.{}", self.name) }
    }
}
