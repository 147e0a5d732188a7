//! Recording: every choice on every input, its output compared with that of the default choice.

use std::cell::RefCell;

use nitro::CodeChoice;
use nitro_cuda::{Buffer, CudaError};
use nitro_train::{BoxError, Session};

use crate::cuda::{
    RADIUS, convolution, differences, filled, matrix_mul, mv_mul, reduction, scalar_prod,
    transpose_coalesced, transpose_naive,
};
use crate::host::{host_product, host_stencil};
use crate::inputs::{shape, values};

const LEFT: u32 = 1;
const RIGHT: u32 = 2;

/// A byte of which no result consists: numbers of it are none.
const POISON: u8 = 0xff;

/// Measures one input on the device. `default` runs the default choice and `run` the function, both into the given
/// buffer. It is poisoned after each comparison, so that a choice which writes nothing is not taken for right.
fn record_on_device(
    session: &Session<'_>,
    name: &str,
    length: usize,
    default: impl Fn(&mut Buffer<f32>) -> Result<(), CudaError>,
    run: impl Fn(&mut Buffer<f32>) -> Result<(), CudaError>,
) -> Result<(), BoxError> {
    let (mut expected, mut found) = (Buffer::uninit(length)?, Buffer::uninit(length)?);
    default(&mut expected)?;
    found.fill_bytes(POISON)?;
    let found = RefCell::new(found);
    let is_right = || -> Result<bool, CudaError> {
        let found = &mut *found.borrow_mut();
        let same = differences(found, &expected)? == 0;
        found.fill_bytes(POISON)?;
        Ok(same)
    };
    let same =
        |_: &Result<(), CudaError>, ran: &Result<(), CudaError>| ran.is_ok() && is_right().unwrap_or(false);
    Ok(session.checked_input(name, || run(&mut found.borrow_mut()), same)?)
}

/// The default choice of a function, in the type of its calls.
macro_rules! default_of {
    ($function:ident) => {
        <$function::Choice as CodeChoice>::of($function::function().default_choice())
    };
}

/// Records [`reduction()`].
///
/// # Errors
/// When the device fails or the store cannot be written.
pub fn record_reduction(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let [length] = shape(name)?;
        let array = filled(length as usize, LEFT)?;
        let default = |sum: &mut _| reduction::call(default_of!(reduction), &array, sum);
        record_on_device(session, name, 1, default, |sum| reduction(&array, sum))?;
    }
    Ok(())
}

/// Records [`scalar_prod()`].
///
/// # Errors
/// As [`record_reduction`].
pub fn record_scalar_prod(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let [vectors, elements] = shape(name)?;
        let length = vectors as usize * elements as usize;
        let (left, right) = (filled(length, LEFT)?, filled(length, RIGHT)?);
        let choice = default_of!(scalar_prod);
        let default = |to: &mut _| scalar_prod::call(choice, &left, &right, to, vectors, elements);
        let run = |to: &mut _| scalar_prod(&left, &right, to, vectors, elements);
        record_on_device(session, name, vectors as usize, default, run)?;
    }
    Ok(())
}

/// Records [`mv_mul()`].
///
/// # Errors
/// As [`record_reduction`].
pub fn record_mv_mul(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let [rows, columns] = shape(name)?;
        let matrix = filled(rows as usize * columns as usize, LEFT)?;
        let vector = filled(columns as usize, RIGHT)?;
        let choice = default_of!(mv_mul);
        let default = |to: &mut _| mv_mul::call(choice, &matrix, &vector, to, rows, columns);
        let run = |to: &mut _| mv_mul(&matrix, &vector, to, rows, columns);
        record_on_device(session, name, rows as usize, default, run)?;
    }
    Ok(())
}

/// Records [`matrix_mul()`].
///
/// # Errors
/// As [`record_reduction`].
pub fn record_matrix_mul(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let [rows, inner, columns] = shape(name)?;
        let left = filled(rows as usize * inner as usize, LEFT)?;
        let right = filled(inner as usize * columns as usize, RIGHT)?;
        let choice = default_of!(matrix_mul);
        let default = |to: &mut _| matrix_mul::call(choice, &left, &right, to, rows, inner, columns);
        let run = |to: &mut _| matrix_mul(&left, &right, to, rows, inner, columns);
        record_on_device(session, name, rows as usize * columns as usize, default, run)?;
    }
    Ok(())
}

/// Records [`convolution()`].
///
/// # Errors
/// As [`record_reduction`].
pub fn record_convolution(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let [rows, columns] = shape(name)?;
        let area = rows as usize * columns as usize;
        let (image, weights) = (filled(area, LEFT)?, filled(2 * RADIUS as usize + 1, RIGHT)?);
        let between = RefCell::new(Buffer::uninit(area)?);
        let choice = default_of!(convolution);
        let default = |to: &mut _| {
            convolution::call(choice, &image, &weights, &mut between.borrow_mut(), to, rows, columns)
        };
        let run = |to: &mut _| convolution(&image, &weights, &mut between.borrow_mut(), to, rows, columns);
        record_on_device(session, name, area, default, run)?;
    }
    Ok(())
}

/// Records [`transpose_naive()`].
///
/// # Errors
/// As [`record_reduction`].
pub fn record_transpose_naive(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let [rows, columns] = shape(name)?;
        let from = filled(rows as usize * columns as usize, LEFT)?;
        let default =
            |to: &mut _| transpose_naive::call(default_of!(transpose_naive), &from, to, rows, columns);
        record_on_device(session, name, from.len(), default, |to| transpose_naive(&from, to, rows, columns))?;
    }
    Ok(())
}

/// Records [`transpose_coalesced()`].
///
/// # Errors
/// As [`record_reduction`].
pub fn record_transpose_coalesced(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let [rows, columns] = shape(name)?;
        let from = filled(rows as usize * columns as usize, LEFT)?;
        let choice = default_of!(transpose_coalesced);
        let default = |to: &mut _| transpose_coalesced::call(choice, &from, to, rows, columns);
        let run = |to: &mut _| transpose_coalesced(&from, to, rows, columns);
        record_on_device(session, name, from.len(), default, run)?;
    }
    Ok(())
}

/// Records [`host_product()`].
///
/// # Errors
/// When the store cannot be written.
pub fn record_host_product(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let [rows, inner, columns] = shape(name)?.map(|size: u32| size as usize);
        let (left, right) = (values(rows * inner, LEFT), values(inner * columns, RIGHT));
        let product = RefCell::new(vec![f32::NAN; rows * columns]);
        let run = || {
            let product = &mut *product.borrow_mut();
            host_product(&left, &right, product, rows, inner, columns);
            product.clone()
        };
        session.checked_input(name, run, |expected, found| expected == found)?;
    }
    Ok(())
}

/// Records [`host_stencil()`].
///
/// # Errors
/// When the store cannot be written.
pub fn record_host_stencil(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let [rows, columns] = shape(name)?.map(|size: u32| size as usize);
        let from = values(rows * columns, LEFT);
        let to = RefCell::new(vec![f32::NAN; from.len()]);
        let run = || {
            let to = &mut *to.borrow_mut();
            host_stencil(&from, to, rows, columns);
            to.clone()
        };
        session.checked_input(name, run, |expected, found| expected == found)?;
    }
    Ok(())
}
