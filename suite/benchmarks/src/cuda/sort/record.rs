//! Recording of sorting.

use std::cell::RefCell;

use nitro_cuda::Buffer;
use nitro_train::{BoxError, Session};
use rayon::prelude::*;

use super::keys::words;
use super::{Keys, Word, inputs};
use crate::cuda::cuda_sort;
use crate::variants::sort::Key;

/// Measures every variant on the built-in keys, and compares all results with those of the standard library.
///
/// # Errors
/// When keys cannot be made, the device fails, or the store cannot be written.
pub fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        match inputs::load(name)? {
            inputs::Keys::F32(keys) => record_keys(session, name, &keys)?,
            inputs::Keys::F64(keys) => record_keys(session, name, &keys)?,
        }
    }
    Ok(())
}

fn record_keys<K: Key<Bits: Word>>(session: &Session<'_>, name: &str, keys: &[K]) -> Result<(), BoxError> {
    let expected = reference(keys);
    let keys = Keys::new(keys)?;
    let sorted = RefCell::new(Buffer::uninit(keys.len())?);
    let run = || {
        let sorted = &mut *sorted.borrow_mut();
        sorted.fill_bytes(0xa5)?;
        cuda_sort(&keys, sorted)
    };
    let is_right = || sorted.borrow().to_vec().is_ok_and(|found| found == expected);
    Ok(session.checked_input(name, run, |_, found| found.is_ok() && is_right())?)
}

/// Sorts on the CPU.
fn reference<K: Key>(keys: &[K]) -> Vec<K::Bits> {
    let mut words = words(keys);
    words.par_sort_unstable();
    words
}
