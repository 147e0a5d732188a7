//! Arguments of kernels.

use std::marker::PhantomData;

use bytemuck::Pod;

use crate::Buffer;

/// One argument of a launch: a number, or a buffer's address.
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
    /// The value in its first bytes: the driver copies as many as the kernel's parameter has.
    pub(crate) bytes: [u8; 8],
    /// A buffer has to live until the launch; the order of its own stream keeps its memory for what that stream was given before.
    buffer: PhantomData<&'a ()>,
}

impl Argument<'_> {
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
        Self { bytes, buffer: PhantomData }
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

    #[test]
    fn an_argument_begins_with_its_value() {
        assert_eq!(Argument::from(0x0102_0304u32).bytes[..4], 0x0102_0304u32.to_ne_bytes());
        assert_eq!(Argument::from(-1.5f64).bytes, (-1.5f64).to_ne_bytes());
        assert_eq!(Argument::from(7usize).bytes, 7u64.to_ne_bytes());
        assert_eq!(Argument::from(-1i32).bytes[..4], [0xff; 4]);
    }
}
