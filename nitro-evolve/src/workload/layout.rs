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
}

impl Layout {
    /// Returns the layout of numbers.
    #[must_use]
    pub fn numbers(element: Element, comparison: Comparison) -> Self {
        let member = Member { name: String::new(), element, count: 1, offset_bytes: 0, comparison };
        Self { members: vec![member], bytes: element.bytes() }
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
        (member.name.is_empty() && member.count == 1).then_some(member.element)
    }

    /// Returns the numbers of an element, in order.
    pub(crate) fn scalars(&self) -> impl Iterator<Item = Scalar> {
        self.members.iter().flat_map(|member| {
            (0..member.count).map(|at| Scalar {
                element: member.element,
                offset_bytes: member.offset_bytes + at * member.element.bytes(),
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
