//! Recording of the histogram.

use std::cell::RefCell;

use nitro_cuda::Buffer;
use nitro_train::{BoxError, Session};

use super::{Image, inputs, reference};
use crate::cuda::cuda_histogram;
use crate::variants::histogram::BINS;

/// Measures every variant on the built-in images, and compares all counts with those of the CPU.
///
/// # Errors
/// When an image cannot be made, the device fails, or the store cannot be written.
pub fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let pixels = inputs::load(name)?;
        let expected = reference(&pixels);
        let image = Image::new(&pixels)?;
        drop(pixels);
        let bins = RefCell::new(Buffer::uninit(BINS)?);
        let run = || {
            let bins = &mut *bins.borrow_mut();
            bins.fill_bytes(0xa5)?;
            cuda_histogram(&image, bins)
        };
        let is_right = || bins.borrow().to_vec().is_ok_and(|found| found == expected);
        session.checked_input(name, run, |_, found| found.is_ok() && is_right())?;
    }
    Ok(())
}
