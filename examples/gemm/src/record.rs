//! How the function is called on inputs while its variants are measured.

use nitro_cuda::Buffer;
use nitro_g_adapt::cuda::{differences, filled};
use nitro_train::{BoxError, Session};

use crate::inputs::shape;
use crate::{Factors, GemmError, gemm};

/// Whole numbers, so that no order of additions rounds.
const FACTORS: [f32; 2] = [2.0, -1.0];

/// Records [`gemm()`]: each variant has to give exactly what the default gives, since the numbers are small enough for
/// all formats.
///
/// # Errors
/// When an input's name is no shape, the device fails or the store cannot be written.
pub fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("*x*x*") {
        let [rows, columns, inner] =
            shape(name).ok_or_else(|| format!("`{name}` is no shape: write train/ROWSxCOLUMNSxINNER"))?;
        let area = |down: u32, across: u32| down as usize * across as usize;
        let (a, b) = (filled(area(rows, inner), 1)?, filled(area(inner, columns), 2)?);
        let before = filled(area(rows, columns), 3)?;
        let [alpha, beta] = FACTORS;
        let factors = Factors { rows, columns, inner, alpha, beta, tolerance: 1.0, a: &a, b: &b };
        let mut c = Buffer::uninit(before.len())?;
        let run = || -> Result<Buffer<f32>, GemmError> {
            c.copy_from(&before)?;
            gemm(&factors, &mut c)?;
            let mut result = Buffer::uninit(c.len())?;
            result.copy_from(&c)?;
            Ok(result)
        };
        let same = |expected: &Result<Buffer<f32>, GemmError>, found: &Result<Buffer<f32>, GemmError>| {
            let (Ok(expected), Ok(found)) = (expected, found) else { return false };
            differences(expected, found).is_ok_and(|count| count == 0)
        };
        session.checked_input(name, run, same)?;
    }
    Ok(())
}
