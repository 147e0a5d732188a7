//! Arguments of kernels.

use std::marker::PhantomData;

use bytemuck::Pod;

use crate::Buffer;

/// One argument of a launch: a number, a buffer's address, or a structure by its bytes.
///
/// ```no_run
/// use nitro_cuda::{Argument, Buffer, CudaError, Grid, Program};
///
/// # static SCALE: Program = Program::new("scale.cu", r#"
/// #     extern "C" __global__ void scale(float* x, float factor, unsigned n) {
/// #         unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
/// #         if (i < n) x[i] *= factor;
/// #     }"#);
/// // Of eight elements the upper four.
/// let x = Buffer::from_slice(&[1.0f32; 8])?;
/// let upper = Argument::pointer(x.pointer() + 4 * size_of::<f32>() as u64);
/// // SAFETY: the arguments are of the kernel's types, and it stays within four elements.
/// unsafe { SCALE.kernel("scale")?.launch(Grid::linear(1, 4), &[upper, 2.0f32.into(), 4u32.into()])? };
/// assert_eq!(x.to_vec()?, [1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0]);
/// # Ok::<(), CudaError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Argument<'a> {
    value: Value<'a>,
    /// A buffer has to live until the launch. The order of its own stream keeps its memory for what that stream was
    /// given before.
    buffer: PhantomData<&'a ()>,
}

/// The driver copies as many bytes as the kernel's parameter has.
#[derive(Clone, Copy)]
enum Value<'a> {
    /// In its first bytes.
    Number([u8; 8]),
    Bytes(&'a [u8]),
}

impl<'a> Argument<'a> {
    /// A structure, laid out as the kernel has it: as many bytes as the parameter takes.
    #[must_use]
    pub fn bytes(bytes: &'a [u8]) -> Self {
        Self { value: Value::Bytes(bytes), buffer: PhantomData }
    }
}

impl Argument<'_> {
    /// The place of the value, as long as the argument stays where it is.
    pub(crate) fn start(&self) -> *const u8 {
        match &self.value {
            Value::Number(bytes) => bytes.as_ptr(),
            Value::Bytes(bytes) => bytes.as_ptr(),
        }
    }

    /// An address on the device.
    #[must_use]
    pub fn pointer(address: u64) -> Self {
        address.into()
    }

    /// A number of at most eight bytes.
    fn number(value: impl Pod) -> Self {
        let mut bytes = [0; 8];
        let value = bytemuck::bytes_of(&value);
        bytes[..value.len()].copy_from_slice(value);
        Self { value: Value::Number(bytes), buffer: PhantomData }
    }
}

macro_rules! arguments {
    ($($number:ty)*) => {$(
        impl From<$number> for Argument<'_> {
            fn from(value: $number) -> Self {
                Self::number(value)
            }
        }
    )*};
}
arguments!(u8 i8 u16 i16 u32 i32 u64 i64 usize isize f32 f64);

impl<'a, T: Pod> From<&'a Buffer<T>> for Argument<'a> {
    fn from(buffer: &'a Buffer<T>) -> Self {
        buffer.pointer().into()
    }
}

impl<'a, T: Pod> From<&'a mut Buffer<T>> for Argument<'a> {
    fn from(buffer: &'a mut Buffer<T>) -> Self {
        buffer.pointer().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first<const N: usize>(argument: &Argument<'_>) -> [u8; N] {
        // SAFETY: numbers have eight bytes, and what is tested here has as many as are read.
        unsafe { argument.start().cast::<[u8; N]>().read() }
    }

    #[test]
    fn an_argument_begins_with_its_value() {
        assert_eq!(first(&0x0102_0304u32.into()), 0x0102_0304u32.to_ne_bytes());
        assert_eq!(first(&(-1.5f64).into()), (-1.5f64).to_ne_bytes());
        assert_eq!(first(&7usize.into()), 7u64.to_ne_bytes());
        assert_eq!(first(&(-1i32).into()), [0xff; 4]);
        assert_eq!(first(&Argument::bytes(&[1, 2, 3, 4, 5, 6, 7, 8, 9])), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }
}
