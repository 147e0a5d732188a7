//! What is computed, part by part.

use std::collections::BTreeMap;

use nitro_learn::evaluate::{LeaveOut, Split};

use crate::Error;
use crate::compute::{
    captured, distance, evaluation, foreign, profiles, slice, splits, spread, trust, vendor,
};
use crate::figures::Remade;
use crate::recordings::{CONVOLUTIONS, GINKGO, ON_GPU, ON_HOST, SORTS, shipped};

/// The names of all parts: each function by its own, and `vendor`, `slice`, `trust`, `splits`, `profiles`,
/// `captured`, `spread`, `foreign` and `distances`, which are the fields of [`Remade`].
pub fn names() -> impl Iterator<Item = &'static str> {
    let functions = ON_HOST.into_iter().chain(ON_GPU).chain([GINKGO]);
    functions.chain([
        "vendor",
        "slice",
        "trust",
        "splits",
        "profiles",
        "captured",
        "spread",
        "foreign",
        "distances",
    ])
}

/// Computes one part anew.
///
/// # Errors
/// When there is no such part, or it cannot be computed.
pub fn remake(part: &str, into: &mut Remade) -> Result<(), Error> {
    eprintln!("{part}");
    match part {
        "vendor" => {
            let each = vendor::FUNCTIONS.into_iter();
            into.vendor = each
                .map(|(name, size)| Ok((name.to_owned(), vendor::vendor(name, size)?)))
                .collect::<Result<_, Error>>()?;
        }
        "slice" => into.slice = slice::slice()?,
        "trust" => (into.trust, into.lost) = trust::trust()?,
        "splits" => into.splits = splits::splits()?,
        "profiles" => {
            let each = ON_GPU.into_iter();
            into.profiles = each
                .map(|name| Ok((name.to_owned(), profiles::profiled(name)?)))
                .collect::<Result<_, Error>>()?;
        }
        "captured" => {
            let each = ON_HOST.into_iter().chain(ON_GPU).chain([GINKGO]);
            into.captured = each
                .map(|name| Ok((name.to_owned(), captured::captured(name)?)))
                .collect::<Result<_, Error>>()?;
        }
        "spread" => into.spread = spread::spread()?,
        "foreign" => {
            for name in [CONVOLUTIONS, SORTS] {
                into.foreign.insert(name.to_owned(), foreign::foreign(name)?);
            }
        }
        "distances" => into.distances = distances(into)?,
        function if names().any(|name| name == function) => {
            into.functions.insert(function.to_owned(), evaluation::function(function)?);
        }
        unknown => {
            let known: Vec<&str> = names().collect();
            return Err(format!("there is no part `{unknown}`: write one of {}", known.join(", ")).into());
        }
    }
    Ok(())
}

/// Returns the distances of the devices of all functions, as they were evaluated.
fn distances(of: &Remade) -> Result<BTreeMap<String, BTreeMap<String, f64>>, Error> {
    let mut distances = BTreeMap::new();
    for (name, function) in &of.functions {
        eprintln!("  {name}");
        let recordings = shipped(name)?;
        let (mode, leave_out) = match &function.machine {
            Some(machine) => (machine, LeaveOut::Machine),
            None => (&function.device, LeaveOut::Device),
        };
        let split = Split::by_name(&recordings);
        distances.insert(name.clone(), distance::distances(&recordings, (&split, leave_out), mode)?);
    }
    for (name, own) in &of.foreign {
        eprintln!("  {name}");
        let recordings = shipped(name)?;
        let left_out = (&foreign::split(&recordings)?, LeaveOut::Machine);
        distances.insert(name.clone(), distance::distances(&recordings, left_out, &own.left_out)?);
    }
    Ok(distances)
}
