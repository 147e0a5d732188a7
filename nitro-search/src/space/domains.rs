//! Partial assignments: what each parameter may still be, and what follows from that.

use super::constraint::Constraint;
use super::error::SpaceError;
use crate::Parameter;

/// A constraint is looked at once so few combinations of its parameters are left: before that looking costs more
/// than it rules out.
const COMBINATIONS: usize = 256;

/// The values that each parameter may still have.
///
/// ```
/// use nitro_search::{Constraint, Domains, Parameter, propagate};
///
/// let parameters = [Parameter::linear("a", [1.0, 2.0, 3.0]), Parameter::linear("b", [1.0, 2.0, 3.0])];
/// let mut domains = Domains::all(&parameters);
/// domains.assign(0, 2); // a = 3
/// let sum = Constraint::new(["a", "b"], |values| values[0] + values[1] <= 4.0);
/// propagate(&parameters, &[sum], &mut domains)?.unwrap();
/// assert_eq!(domains.values(1).collect::<Vec<_>>(), [0]); // b = 1
/// # Ok::<(), nitro_search::SpaceError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domains {
    kept: Vec<Vec<bool>>,
}

/// A constraint that nothing can fulfil any more.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nothing is left of {parameter} by the constraint over {names:?}")]
pub struct Conflict {
    /// The parameter without a value.
    pub parameter: String,
    /// The parameters of the constraint.
    pub names: Vec<String>,
}

impl Domains {
    /// Every value of every parameter.
    #[must_use]
    pub fn all(parameters: &[Parameter]) -> Self {
        Self { kept: parameters.iter().map(|parameter| vec![true; parameter.len()]).collect() }
    }

    /// The values that a parameter may still have, ascending.
    pub fn values(&self, parameter: usize) -> impl Iterator<Item = usize> + '_ {
        self.kept[parameter].iter().enumerate().filter_map(|(value, &kept)| kept.then_some(value))
    }

    /// Leaves a parameter this value alone.
    pub fn assign(&mut self, parameter: usize, value: usize) {
        self.kept[parameter].iter_mut().enumerate().for_each(|(at, kept)| *kept &= at == value);
    }

    /// Takes a value away.
    pub fn remove(&mut self, parameter: usize, value: usize) {
        self.kept[parameter][value] = false;
    }

    pub(super) fn count(&self, parameter: usize) -> usize {
        self.kept[parameter].iter().filter(|&&kept| kept).count()
    }
}

/// Takes away every value that a constraint rules out whatever the others are, until nothing follows any more. No
/// value goes that a configuration has which fulfils all constraints, and the order of the constraints does not
/// matter: what remains is the largest fixed point.
///
/// # Errors
/// When a constraint names what is no parameter; within that, a conflict where a parameter has no value left.
pub fn propagate(
    parameters: &[Parameter],
    constraints: &[Constraint],
    domains: &mut Domains,
) -> Result<Result<(), Conflict>, SpaceError> {
    let scopes: Vec<Vec<usize>> =
        constraints.iter().map(|constraint| scope(parameters, constraint)).collect::<Result<_, _>>()?;
    Ok(fixpoint(parameters, constraints, &scopes, domains))
}

/// The positions of a constraint's parameters.
pub(super) fn scope(parameters: &[Parameter], constraint: &Constraint) -> Result<Vec<usize>, SpaceError> {
    let mut scope = Vec::new();
    for name in constraint.names() {
        let found = parameters.iter().position(|parameter| parameter.name() == name);
        scope.push(found.ok_or_else(|| SpaceError::Unknown(name.clone()))?);
    }
    Ok(scope)
}

/// [`propagate`] for scopes that are known.
pub(super) fn fixpoint(
    parameters: &[Parameter],
    constraints: &[Constraint],
    scopes: &[Vec<usize>],
    domains: &mut Domains,
) -> Result<(), Conflict> {
    let mut queue: Vec<usize> = (0..constraints.len()).collect();
    while let Some(next) = queue.pop() {
        let changed = filter(parameters, &constraints[next], &scopes[next], domains)?;
        for (other, scope) in scopes.iter().enumerate() {
            let touched = scope.iter().any(|parameter| changed.contains(parameter));
            if touched && other != next && !queue.contains(&other) {
                queue.push(other);
            }
        }
    }
    Ok(())
}

/// Keeps the values for which the constraint admits some combination; the parameters that lost one.
fn filter(
    parameters: &[Parameter],
    constraint: &Constraint,
    scope: &[usize],
    domains: &mut Domains,
) -> Result<Vec<usize>, Conflict> {
    if scope.is_empty() && !constraint.admits(&[]) {
        return Err(Conflict { parameter: "every parameter".to_owned(), names: Vec::new() });
    }
    let open: Vec<Vec<usize>> = scope.iter().map(|&parameter| domains.values(parameter).collect()).collect();
    let combinations = open.iter().try_fold(1_usize, |product, values| product.checked_mul(values.len()));
    if combinations.is_none_or(|combinations| combinations > COMBINATIONS) {
        return Ok(Vec::new());
    }
    let supported = supported(parameters, constraint, scope, &open);
    let mut changed = Vec::new();
    for ((&parameter, values), supported) in scope.iter().zip(&open).zip(&supported) {
        for (&value, _) in values.iter().zip(supported).filter(|(_, supported)| !**supported) {
            domains.remove(parameter, value);
            changed.push(parameter);
        }
        if domains.count(parameter) == 0 {
            let parameter = parameters[parameter].name().to_owned();
            return Err(Conflict { parameter, names: constraint.names().to_vec() });
        }
    }
    Ok(changed)
}

/// For each open value of each parameter whether some admitted combination has it.
fn supported(
    parameters: &[Parameter],
    constraint: &Constraint,
    scope: &[usize],
    open: &[Vec<usize>],
) -> Vec<Vec<bool>> {
    let mut supported: Vec<Vec<bool>> = open.iter().map(|values| vec![false; values.len()]).collect();
    if open.iter().any(Vec::is_empty) {
        return supported;
    }
    let mut at = vec![0; scope.len()];
    loop {
        let values: Vec<f64> = at
            .iter()
            .zip(scope)
            .zip(open)
            .map(|((&at, &own), open)| parameters[own].number(open[at]))
            .collect();
        if constraint.admits(&values) {
            at.iter().zip(&mut supported).for_each(|(&at, supported)| supported[at] = true);
        }
        let Some(digit) = (0..at.len()).rev().find(|&digit| at[digit] + 1 < open[digit].len()) else {
            return supported;
        };
        at[digit] += 1;
        at[digit + 1..].fill(0);
    }
}
