//! Inputs around the sizes that somebody names.

use nitro_launch::LaunchPlan;

use super::PlannedError;
use crate::Set;

/// Values of scalars: other ones in each input, so that a patch for one of them does not pass.
const SCALARS: [f64; 6] = [1.5, 0.75, 1.25, 2.0, 0.5, 1.75];

/// One input: sizes and scalars in the order of the plan.
pub(super) struct Numbers {
    pub set: Set,
    pub sizes: Vec<i64>,
    pub scalars: Vec<f64>,
}

/// Of a size, by its position: sizes of one input need not have the proportions of those that were named.
type Scaled = fn(i64, usize) -> i64;

/// The inputs: those that were named and half of them for the search, with rows that begin anywhere; between and
/// beyond them for the others.
const INPUTS: [(Set, Scaled); 7] = [
    (Set::Search, |size, _| size),
    (Set::Search, |size, at| if at % 2 == 0 { size / 2 + 1 } else { size * 3 / 4 }),
    (Set::Validation, |size, _| size * 3 / 4),
    (Set::Validation, |size, at| size * 2 / 3 + 1 + (at % 2) as i64),
    (Set::Test, |size, _| size + size / 4),
    (Set::Test, |size, at| if at % 2 == 0 { size * 7 / 8 + 3 } else { size * 5 / 8 + 1 }),
    (Set::Test, |size, at| size.min(33 - 14 * (at % 2) as i64)),
];

/// The inputs around these numbers.
pub(super) fn cases(plan: &LaunchPlan, numbers: &[(String, f64)]) -> Result<Vec<Numbers>, PlannedError> {
    let is_of_plan = |name: &String| plan.sizes.contains(name) || plan.scalars.contains(name);
    let wrong = |message| Err(PlannedError::Numbers(message));
    if let Some((other, _)) = numbers.iter().find(|(name, _)| !is_of_plan(name)) {
        return wrong(format!("`{}` has no size `{other}`; it has {}", plan.name, plan.sizes.join(", ")));
    }
    let given = |name: &String| numbers.iter().find(|(other, _)| other == name).map(|(_, number)| *number);
    let mut sizes = Vec::new();
    for name in &plan.sizes {
        match given(name) {
            Some(size) if size.fract() == 0.0 && (1.0..1e12).contains(&size) => sizes.push(size as i64),
            Some(size) => return wrong(format!("`{name}` is a whole number from 1, and not {size}")),
            None => {
                let all: Vec<String> = plan.sizes.iter().map(|name| format!("{name}=512")).collect();
                let message = format!(
                    "the size `{name}` of `{}` is missing; give all, as in --sizes {}",
                    plan.name,
                    all.join(",")
                );
                return wrong(message);
            }
        }
    }
    let of = |(number, (set, scaled)): (usize, &(Set, Scaled))| {
        let scalar = |(at, name)| given(name).unwrap_or(SCALARS[(number + 2 * at) % SCALARS.len()]);
        Numbers {
            set: *set,
            sizes: sizes.iter().enumerate().map(|(at, size)| scaled(*size, at).max(1)).collect(),
            scalars: plan.scalars.iter().enumerate().map(scalar).collect(),
        }
    };
    Ok(INPUTS.iter().enumerate().map(of).collect())
}
