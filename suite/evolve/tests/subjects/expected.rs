//! What a reference gives, and how near a kernel has to come to it.

use nitro_evolve::workload::{Element, Role};

use crate::case::{Case, f32s, f64s, i32s};

pub enum Expected {
    Exactly(Vec<i32>),
    /// But for this share of the elements, where a number that is rounded otherwise leads to another decision.
    Mostly(Vec<i32>, f64),
    /// Each within `relative` of its size and `absolute`.
    Near {
        values: Vec<f32>,
        relative: f32,
        absolute: f32,
    },
    /// Each within this share of its size.
    Doubles(Vec<f64>, f64),
}

/// The results by the names of their buffers.
pub type Results = Vec<(&'static str, Expected)>;

/// Compares what the buffers hold after a run.
pub fn compare(case: &Case, expected: &Results, found: &[Vec<u8>]) {
    for (buffer, bytes) in case.inputs.buffers.iter().zip(found) {
        let expected = expected.iter().find(|(name, _)| *name == buffer.name);
        match (buffer.role, expected) {
            (Role::Out | Role::InOut, Some((name, expected))) => {
                let [member] = &buffer.layout.members[..] else { panic!("{name} has structures") };
                expected.compare(&format!("{}: {name}", case.name), member.element, bytes);
            }
            (Role::Out | Role::InOut, None) => panic!("{}: nothing is known of {}", case.name, buffer.name),
            (Role::In, _) => assert_eq!(&buffer.bytes, bytes, "{}: {} is an input", case.name, buffer.name),
            (Role::Scratch, _) => {}
        }
    }
}

impl Expected {
    fn compare(&self, what: &str, element: Element, bytes: &[u8]) {
        match self {
            Self::Exactly(values) => {
                assert!(matches!(element, Element::I32 | Element::U32), "{what}");
                let found = i32s(bytes);
                assert_eq!(found.len(), values.len(), "{what}");
                let other = values.iter().zip(&found).position(|(value, found)| value != found);
                if let Some(at) = other {
                    panic!("{what}[{at}] is {} and not {}", found[at], values[at]);
                }
            }
            Self::Mostly(values, share) => {
                let found = i32s(bytes);
                assert_eq!(found.len(), values.len(), "{what}");
                let others = values.iter().zip(&found).filter(|(value, found)| value != found).count();
                assert!(
                    others as f64 <= share * values.len() as f64,
                    "{what}: {others} of {} are others",
                    values.len()
                );
            }
            Self::Doubles(values, relative) => {
                assert_eq!(element, Element::F64, "{what}");
                let found = f64s(bytes);
                assert_eq!(found.len(), values.len(), "{what}");
                for (at, (value, found)) in values.iter().zip(&found).enumerate() {
                    let is_near = (value - found).abs() <= relative * value.abs();
                    assert!(is_near, "{what}[{at}] is {found} and not {value}");
                }
            }
            Self::Near { values, relative, absolute } => {
                assert_eq!(element, Element::F32, "{what}");
                let found = f32s(bytes);
                assert_eq!(found.len(), values.len(), "{what}");
                for (at, (value, found)) in values.iter().zip(&found).enumerate() {
                    let is_near = (value - found).abs() <= relative * value.abs() + absolute;
                    assert!(is_near, "{what}[{at}] is {found} and not {value}");
                }
            }
        }
    }
}
