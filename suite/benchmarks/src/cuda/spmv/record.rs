//! Recording.

use std::cell::RefCell;

use nitro_cuda::Buffer;
use nitro_train::{BoxError, Session};

use super::{Matrix, Reference, inputs, reference};
use crate::cuda::cuda_spmv;

/// Measures the function on every input that is due; each variant's product is compared with the host's.
///
/// # Errors
/// When an input cannot be made, and as [`Session::checked_input`].
pub fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs(crate::inputs::spmv::FILES) {
        let csr = inputs::load(name)?;
        let host_x = reference::x(csr.pattern().columns());
        let expected = Reference::new(&csr, &host_x);
        let (a, x) = (Matrix::new(&csr)?, Buffer::from_slice(&host_x)?);
        let y = RefCell::new(Buffer::uninit(a.rows())?);
        let run = || {
            let mut y = y.borrow_mut();
            y.fill_bytes(0xff)?; // not-a-number, so that a row that is left out shows
            cuda_spmv(&a, &x, &mut y)
        };
        // Only outputs that are compared come to the host.
        let matches = || y.borrow().to_vec().is_ok_and(|found| expected.matches(&found));
        session.checked_input(name, run, |_, _| matches())?;
    }
    Ok(())
}
