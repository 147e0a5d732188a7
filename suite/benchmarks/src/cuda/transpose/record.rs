//! Recording of the transposition.

use std::cell::RefCell;

use nitro_cuda::Buffer;
use nitro_train::{BoxError, Session};

use super::{inputs, reference};
use crate::cuda::cuda_transpose;

/// Measures every variant on the built-in shapes, and compares all results with the CPU's.
///
/// # Errors
/// When a matrix cannot be made, the device fails, or the store cannot be written.
pub fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let inputs::Dense { rows, columns, values } = inputs::load(name)?;
        let expected = reference(&values, rows, columns);
        let original = Buffer::from_slice(&values)?;
        drop(values);
        let values = RefCell::new(Buffer::uninit(original.len())?);
        let run = || {
            let values = &mut *values.borrow_mut();
            values.copy_from(&original)?;
            cuda_transpose(values, rows, columns)
        };
        let is_right = || values.borrow().to_vec().is_ok_and(|found| found == expected);
        session.checked_input(name, run, |_, found| found.is_ok() && is_right())?;
    }
    Ok(())
}
