//! The arrays and numbers that plans take.

use std::sync::Arc;

use bytemuck::Pod;
use nitro_launch::{Element, Storage};

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

/// A buffer that a plan of numbers `T` takes: of such numbers, of subscripts (`u32` or `i32`), or with the feature
/// `half` of 16 bits an element. Where a call has several kinds, its list is of `&dyn PlanArray<T>`.
pub trait PlanArray<T> {
    /// The number of its elements.
    fn length(&self) -> usize;
    /// Its address on the device.
    fn address(&self) -> u64;
    /// The form of its elements; none for subscripts.
    fn storage(&self) -> Option<Storage>;
}

macro_rules! plan_arrays {
    ($([$($bound:tt)*] $element:ty, $number:ty, $storage:expr;)*) => {$(
        impl<$($bound)*> PlanArray<$number> for Buffer<$element> {
            fn length(&self) -> usize {
                self.len()
            }

            fn address(&self) -> u64 {
                self.pointer()
            }

            fn storage(&self) -> Option<Storage> {
                $storage
            }
        }
    )*};
}
plan_arrays! {
    [] f32, f32, Some(Storage::Number);
    [] f64, f64, Some(Storage::Number);
    [T: PlanNumber] u32, T, None;
    [T: PlanNumber] i32, T, None;
}
#[cfg(feature = "half")]
plan_arrays! {
    [] half::f16, f32, Some(Storage::F16);
    [] half::bf16, f32, Some(Storage::Bf16);
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

            fn storage(&self) -> Option<Storage> {
                (**self).storage()
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
