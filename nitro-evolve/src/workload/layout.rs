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
    /// How many it has: more than one where it is an array.
    pub count: usize,
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
        Self { bytes: member.bytes(), members: vec![member] }
    }

    /// Returns the layout of structures with these members, each with the number of bytes of which its address is a
    /// multiple. Offsets are found as C finds them.
    #[must_use]
    pub fn structures(members: Vec<(Member, usize)>) -> Self {
        let (mut end, mut widest, mut placed) = (0usize, 1, Vec::with_capacity(members.len()));
        for (member, alignment_bytes) in members {
            let offset_bytes = end.next_multiple_of(alignment_bytes);
            end = offset_bytes + member.bytes();
            widest = widest.max(alignment_bytes);
            placed.push(Member { offset_bytes, ..member });
        }
        Self { members: placed, bytes: end.next_multiple_of(widest) }
    }

    /// Returns the type of elements that are numbers.
    pub(crate) fn number(&self) -> Option<Element> {
        let [member] = &self.members[..] else { return None };
        (member.name.is_empty() && member.pointer.is_none()).then_some(member.element)
    }

    /// Returns the numbers of an element, in order.
    pub(crate) fn scalars(&self) -> impl Iterator<Item = Scalar> {
        self.members.iter().flat_map(|member| {
            (0..member.count).map(|at| Scalar {
                element: member.element,
                offset_bytes: member.offset_bytes + at * member.element.bytes(),
                pointer: member.pointer,
            })
        })
    }

    /// Returns the member that a byte of a buffer belongs to; none where it pads an element.
    pub(crate) fn member_at(&self, byte: usize) -> Option<&Member> {
        let at = byte % self.bytes;
        self.members
            .iter()
            .find(|member| (member.offset_bytes..member.offset_bytes + member.bytes()).contains(&at))
    }
}

impl Member {
    /// Creates a member of one number, at the beginning.
    #[must_use]
    pub fn new(name: String, element: Element, comparison: Comparison) -> Self {
        Self { name, element, pointer: None, count: 1, offset_bytes: 0, comparison }
    }

    /// Creates a member that points to a buffer, by its position.
    pub(super) fn pointer(name: String, to: usize) -> Self {
        Self { pointer: Some(to), ..Self::new(name, Element::U64, Comparison::Exact) }
    }

    /// Returns the bytes of all its numbers.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.count * self.element.bytes()
    }

    /// Returns its name in messages, as a member of a buffer.
    pub(crate) fn name_in(&self, buffer: &str) -> String {
        if self.name.is_empty() { buffer.to_owned() } else { format!("{buffer}.{}", self.name) }
    }
}
