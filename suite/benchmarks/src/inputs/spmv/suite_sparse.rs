//! Real matrices that are shipped, from the SuiteSparse Matrix Collection; `data/matrices/README.md` names their
//! authors.

use std::path::Path;

use super::matrix_market;
use super::packed::Unpacked;
use crate::inputs::{InputError, NameProblem};
use crate::variants::spmv::Matrix;

/// What the names of the shipped matrices begin with. They are never trained on.
pub(super) const PREFIX: &str = "test/suitesparse/";

macro_rules! shipped {
    ($($name:literal)*) => {
        &[$(($name, include_bytes!(concat!("../../../data/matrices/", $name, ".mtx.gz")))),*]
    };
}

/// Name and compressed Matrix Market file of each shipped matrix.
const SHIPPED: &[(&str, &[u8])] = shipped![
    "494_bus" "Erdos971" "G51" "Pd" "adder_dcop_05" "bcspwr10" "bcsstk13" "bp_1200" "cryg2500" "dwt_992"
    "hangGlider_2" "jagmesh7" "lp_e226" "nnc1374" "olm1000" "rajat01" "reorientation_1"
    "tumorAntiAngiogenesis_2" "watt_2" "west0479" "zenios"
];

/// The names of the shipped matrices.
pub(super) fn names() -> impl Iterator<Item = String> {
    SHIPPED.iter().map(|(name, _)| format!("{PREFIX}{name}"))
}

/// Reads a shipped matrix; `whole` is its name with the prefix.
pub(super) fn load(whole: &str, name: &str) -> Result<Matrix, InputError> {
    match SHIPPED.iter().find(|(shipped, _)| *shipped == name) {
        Some((_, file)) => {
            let unpacked = Unpacked::of(*file);
            let unpacked = unpacked.map_err(|source| InputError::Read { path: whole.into(), source })?;
            matrix_market::parse(Path::new(whole), unpacked.into_text())
        }
        None => {
            let known: Vec<&str> = SHIPPED.iter().map(|(name, _)| *name).collect();
            let problem = NameProblem::Shipped { known: known.join(", ") };
            Err(InputError::Name { name: whole.into(), function: "spmv", problem })
        }
    }
}
