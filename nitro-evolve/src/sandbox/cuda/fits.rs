//! The arguments of launches beside those that kernels take.

use std::collections::BTreeSet;

use nitro_search::Failure;

use super::loaded::LoadedCode;
use super::stop::Stop;
use crate::workload::{Argument, Launch};

/// The most arguments of a kernel, as many as `nitro-cuda` takes.
const MOST_ARGUMENTS: usize = 64;

/// Checks that the kernels take what the launches give them: the driver reads as much as they take.
pub(super) fn fits(module: &LoadedCode, launches: &[Launch]) -> Result<(), Stop> {
    let mut asked = BTreeSet::new();
    for launch in launches {
        let given: Vec<usize> = launch.arguments.iter().map(Argument::size_bytes).collect();
        if !asked.insert((&launch.kernel, given.clone())) {
            continue;
        }
        let (kernel, _) = module.kernel(&launch.kernel).map_err(Stop::of(Failure::Compile))?;
        let taken = kernel.parameter_bytes().map_err(Stop::of(Failure::Launch))?;
        if let Some(why) = mismatch(&launch.kernel, &taken, &given) {
            return Err(Stop::Failed(Failure::Launch, why));
        }
    }
    Ok(())
}

/// Describes how arguments differ from those of a kernel.
fn mismatch(kernel: &str, taken: &[usize], given: &[usize]) -> Option<String> {
    if taken.len() != given.len() {
        return Some(format!(
            "`{kernel}` takes {} arguments, and the workload gives {}",
            taken.len(),
            given.len()
        ));
    }
    if given.len() > MOST_ARGUMENTS {
        return Some(format!(
            "`{kernel}` takes {} arguments, and at most {MOST_ARGUMENTS} can be given",
            given.len()
        ));
    }
    let wrong = taken.iter().zip(given).position(|(taken, given)| taken != given)?;
    Some(format!(
        "argument {} of `{kernel}` has {} bytes, and the workload gives {}",
        wrong + 1,
        taken[wrong],
        given[wrong]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_have_to_be_the_kernel_s() {
        assert_eq!(mismatch("k", &[8, 4], &[8, 4]), None);
        assert_eq!(mismatch("k", &[8, 4], &[8]).unwrap(), "`k` takes 2 arguments, and the workload gives 1");
        assert_eq!(
            mismatch("k", &[8, 4], &[8, 8]).unwrap(),
            "argument 2 of `k` has 4 bytes, and the workload gives 8"
        );
    }
}
