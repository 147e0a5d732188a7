//! Inputs around the sizes that somebody names.

use nitro_launch::LaunchPlan;

use super::error::PlannedError;
use crate::workload::Set;

/// The values of scalars: other ones in each input, so that a patch for one of them does not pass.
const SCALARS: [f64; 6] = [1.5, 0.75, 1.25, 2.0, 0.5, 1.75];

/// An input: sizes and scalars in the order of the plan.
pub(super) struct InputNumbers {
    pub set: Set,
    pub sizes: Vec<i64>,
    pub scalars: Vec<f64>,
}

/// A size made of one that was named, by its position.
///
/// Sizes of one input need not have the proportions of the named ones.
type Scaled = fn(i64, usize) -> i64;

/// The inputs: the named sizes and about half of them for the search, between and beyond them for the others.
const INPUTS: [(Set, Scaled); 7] = [
    (Set::Search, |size, _| size),
    (Set::Search, |size, at| if at % 2 == 0 { size / 2 + 1 } else { size * 3 / 4 }),
    (Set::Validation, |size, _| size * 3 / 4),
    (Set::Validation, |size, at| size * 2 / 3 + 1 + (at % 2) as i64),
    (Set::Test, |size, _| size + size / 4),
    (Set::Test, |size, at| if at % 2 == 0 { size * 7 / 8 + 3 } else { size * 5 / 8 + 1 }),
    (Set::Test, |size, at| size.min(33 - 14 * (at % 2) as i64)),
];

/// Makes the inputs around these numbers.
pub(super) fn cases(plan: &LaunchPlan, numbers: &[(String, f64)]) -> Result<Vec<InputNumbers>, PlannedError> {
    let is_of_numbers = plan.arrays.iter().all(|array| array.storage.is_number());
    if !plan.element.is_single() || !plan.indices.is_empty() || !is_of_numbers {
        return Err(PlannedError::Numbers(format!(
            "`{}` is a plan of `f64`, or with arrays of subscripts or of 16 bits, for which no workload is written by \
             itself: evolve its PTX with a workload of your own",
            plan.name
        )));
    }
    let others = numbers.iter().find(|(name, _)| !plan.sizes.contains(name) && !plan.scalars.contains(name));
    if let Some((other, _)) = others {
        let message = format!("`{}` has no size `{other}`; it has {}", plan.name, plan.sizes.join(", "));
        return Err(PlannedError::Numbers(message));
    }
    let mut sizes = Vec::new();
    for name in &plan.sizes {
        sizes.push(size(plan, numbers, name).map_err(PlannedError::Numbers)?);
    }
    let mut inputs = Vec::new();
    for (number, (set, scaled)) in INPUTS.iter().enumerate() {
        let mut scalars = Vec::new();
        for (at, name) in plan.scalars.iter().enumerate() {
            let other = SCALARS[(number + 2 * at) % SCALARS.len()];
            scalars.push(given(numbers, name).unwrap_or(other));
        }
        let sizes = sizes.iter().enumerate().map(|(at, size)| scaled(*size, at).max(1)).collect();
        inputs.push(InputNumbers { set: *set, sizes, scalars });
    }
    Ok(inputs)
}

/// Returns a number that was given.
fn given(numbers: &[(String, f64)], name: &str) -> Option<f64> {
    numbers.iter().find(|(other, _)| other == name).map(|(_, number)| *number)
}

/// Returns a size that was given, or says what to give.
fn size(plan: &LaunchPlan, numbers: &[(String, f64)], name: &str) -> Result<i64, String> {
    match given(numbers, name) {
        Some(size) if size.fract() == 0.0 && (1.0..1e12).contains(&size) => Ok(size as i64),
        Some(size) => Err(format!("`{name}` is a whole number from 1, and not {size}")),
        None => {
            let all: Vec<String> = plan.sizes.iter().map(|name| format!("{name}=512")).collect();
            Err(format!(
                "the size `{name}` of `{}` is missing; give all, as in --sizes {}",
                plan.name,
                all.join(",")
            ))
        }
    }
}
