//! Recording.

use std::cell::RefCell;

use nitro_cuda::Buffer;
use nitro_train::{BoxError, Session};

use super::{SolveError, System, TOLERANCE, Workspace, inputs, relative_residual};
use crate::cuda::cuda_solver;

/// How much greater than asked for the residual computed on the host may be: the methods update theirs from step to
/// step, and the two drift apart by rounding.
const DRIFT: f64 = 100.0;

/// Measures the function on every input that is due; each variant's solution is judged by its residual on the host.
///
/// An input that the default variant cannot solve is left out.
///
/// # Errors
/// When an input cannot be made, and as [`Session::checked_input`].
pub fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let problem = inputs::load(name)?;
        let system = System::new(&problem.matrix, problem.positive_definite)?;
        let (b, mut workspace) = (Buffer::from_slice(&problem.b)?, Workspace::new(&system)?);
        let x = RefCell::new(Buffer::uninit(system.rows())?);
        let by_default =
            super::bicgstab_approximate_inverse(&system, &b, &mut x.borrow_mut(), &mut workspace);
        match by_default {
            Ok(_) => {}
            Err(SolveError::Cuda(error)) => return Err(error.into()),
            Err(error) => {
                tracing::warn!(input = name, %error, "left out: the default variant cannot solve it");
                continue;
            }
        }
        let run = || {
            let mut x = x.borrow_mut();
            x.fill_bytes(0xff)?; // not-a-number, so that what is left out shows
            cuda_solver(&system, &b, &mut x, &mut workspace)
        };
        let solves = || {
            let found = x.borrow().to_vec();
            found.is_ok_and(|x| relative_residual(&problem.matrix, &x, &problem.b) <= DRIFT * TOLERANCE)
        };
        session.checked_input(name, run, |_, _| solves())?;
    }
    Ok(())
}
