//! The arrays and numbers that plans take.

use std::sync::Arc;

use bytemuck::Pod;
use nitro_launch::Element;

use crate::Buffer;

/// The floating-point numbers that plans compute with: `f32` and `f64`.
pub trait PlanNumber: Pod + private::Sealed {
    /// The type, as plans name it.
    const ELEMENT: Element;

    /// The bits of the number, in the lowest places.
    fn bits(self) -> u64;
}

impl PlanNumber for f32 {
    const ELEMENT: Element = Element::F32;

    fn bits(self) -> u64 {
        self.to_bits().into()
    }
}

impl PlanNumber for f64 {
    const ELEMENT: Element = Element::F64;

    fn bits(self) -> u64 {
        self.to_bits()
    }
}

/// A buffer that a plan of numbers `T` takes: of such numbers, or of subscripts, `u32` or `i32`. Where a call has both,
/// its list is of `&dyn PlanArray<T>`.
pub trait PlanArray<T> {
    /// The number of its elements.
    fn length(&self) -> usize;
    /// Its address on the device.
    fn address(&self) -> u64;
    /// True for subscripts.
    fn has_indices(&self) -> bool;
}

macro_rules! plan_arrays {
    ($([$($bound:tt)*] $element:ty, $number:ty, $has_indices:literal;)*) => {$(
        impl<$($bound)*> PlanArray<$number> for Buffer<$element> {
            fn length(&self) -> usize {
                self.len()
            }

            fn address(&self) -> u64 {
                self.pointer()
            }

            fn has_indices(&self) -> bool {
                $has_indices
            }
        }
    )*};
}
plan_arrays! {
    [] f32, f32, false;
    [] f64, f64, false;
    [T: PlanNumber] u32, T, true;
    [T: PlanNumber] i32, T, true;
}

macro_rules! references {
    ($($reference:ty),*) => {$(
        impl<T, A: PlanArray<T> + ?Sized> PlanArray<T> for $reference {
            fn length(&self) -> usize {
                (**self).length()
            }

            fn address(&self) -> u64 {
                (**self).address()
            }

            fn has_indices(&self) -> bool {
                (**self).has_indices()
            }
        }
    )*};
}
references!(&A, &mut A, Box<A>, Arc<A>);

mod private {
    /// Kernels are written for these numbers alone.
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}
