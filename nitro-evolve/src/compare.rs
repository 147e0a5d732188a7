//! The distance of results from the original's.

use crate::workload::{Comparison, Layout, Member};

/// Returns the error of a buffer, the largest of its members' by their comparisons. What pads structures is none.
///
/// It is infinite where one value is a number and the other is not. The relative one is GEVO's: max |x - g| / |g|, or
/// |x| where g is 0.
pub(crate) fn error(layout: &Layout, found: &[u8], original: &[u8]) -> f64 {
    if found == original {
        return 0.0;
    }
    layout.members.iter().map(|member| of_member(member, layout.bytes, found, original)).fold(0.0, f64::max)
}

/// Returns the error of a member of elements of so many bytes.
fn of_member(member: &Member, bytes: usize, found: &[u8], original: &[u8]) -> f64 {
    let size = member.element.bytes();
    let begins = member.offsets_bytes();
    let elements = found.chunks_exact(bytes).zip(original.chunks_exact(bytes));
    let pairs = elements.flat_map(|(found, original)| {
        begins.clone().map(|begin| (&found[begin..begin + size], &original[begin..begin + size]))
    });
    let differing = pairs.filter(|(found, original)| found != original);
    match member.comparison {
        Comparison::Exact => differing.map(|_| f64::INFINITY).next().unwrap_or(0.0),
        Comparison::Share => differing.count() as f64 / (original.len() / bytes * member.count) as f64,
        Comparison::Relative | Comparison::Absolute => {
            let mut worst = 0.0f64;
            for (found, original) in differing {
                let (found, original) = (member.element.value(found), member.element.value(original));
                worst = worst.max(distance(member.comparison, found, original));
            }
            worst
        }
    }
}

/// Returns the distance of a number from the original's.
fn distance(comparison: Comparison, found: f64, original: f64) -> f64 {
    // Zeros with either sign are the same, and so are all that are not numbers.
    if found == original || (found.is_nan() && original.is_nan()) {
        return 0.0;
    }
    let difference = (found - original).abs();
    let distance = match comparison {
        Comparison::Relative if original != 0.0 => difference / original.abs(),
        _ => difference,
    };
    if distance.is_nan() { f64::INFINITY } else { distance }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::{Element, StructureBuilder};

    fn of(comparison: Comparison, found: &[f32], original: &[f32]) -> f64 {
        let bytes = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
        error(&Layout::numbers(Element::F32, comparison), &bytes(found), &bytes(original))
    }

    #[test]
    fn an_error_is_the_largest_of_all_elements() {
        assert_eq!(of(Comparison::Relative, &[1.0, 3.0, 4.0], &[1.0, 2.0, 8.0]), 0.5);
        assert_eq!(of(Comparison::Relative, &[0.25], &[0.0]), 0.25);
        assert_eq!(of(Comparison::Absolute, &[1.0, 3.0, 4.0], &[1.0, 2.0, 8.0]), 4.0);
        assert_eq!(of(Comparison::Share, &[1.0, 3.0, 4.0, 5.0], &[1.0, 2.0, 4.0, 5.0]), 0.25);
        assert_eq!(of(Comparison::Exact, &[1.0], &[2.0]), f64::INFINITY);
    }

    #[test]
    fn what_is_no_number_stands_against_nothing_but_itself() {
        for comparison in [Comparison::Relative, Comparison::Absolute] {
            assert_eq!(of(comparison, &[f32::NAN], &[1.0]), f64::INFINITY);
            assert_eq!(of(comparison, &[1.0], &[f32::NAN]), f64::INFINITY);
            assert_eq!(of(comparison, &[f32::INFINITY], &[1.0]), f64::INFINITY);
            assert_eq!(of(comparison, &[f32::INFINITY], &[f32::NEG_INFINITY]), f64::INFINITY);
            assert_eq!(of(comparison, &[f32::NAN, -0.0], &[-f32::NAN, 0.0]), 0.0);
        }
    }

    /// Lays out a structure of numbers.
    fn structure(members: &[(&str, Element, Comparison)]) -> Layout {
        let mut structure = StructureBuilder::new();
        for &(name, element, comparison) in members {
            structure.add(Member::new(name.to_owned(), element, comparison), element.bytes());
        }
        structure.finish()
    }

    #[test]
    fn members_are_compared_each_in_its_own_way_and_padding_is_not() {
        let layout = structure(&[
            ("weight", Element::F32, Comparison::Relative),
            ("center", Element::I64, Comparison::Share),
            ("kind", Element::U8, Comparison::Exact),
        ]);
        assert_eq!(layout.bytes, 24);
        let element = |weight: f32, center: i64, kind: u8, padding: u8| {
            let mut bytes = [padding; 24];
            bytes[..4].copy_from_slice(&weight.to_le_bytes());
            bytes[8..16].copy_from_slice(&center.to_le_bytes());
            bytes[16] = kind;
            bytes
        };
        let original = [element(2.0, 7, 1, 0), element(4.0, 8, 2, 0)].concat();
        let error =
            |first: [u8; 24], second: [u8; 24]| super::error(&layout, &[first, second].concat(), &original);
        assert_eq!(error(element(2.0, 7, 1, 9), element(4.0, 8, 2, 3)), 0.0);
        assert_eq!(error(element(2.0, 7, 1, 9), element(4.5, 8, 2, 3)), 0.125);
        assert_eq!(error(element(2.0, 9, 1, 9), element(4.5, 8, 2, 3)), 0.5, "one of two centers");
        assert_eq!(error(element(2.0, 7, 1, 0), element(4.0, 8, 3, 0)), f64::INFINITY);
    }
}
