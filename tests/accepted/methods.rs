//! Methods under lints that speak of no generated code, and as a crate of any form writes them.

#![deny(warnings, missing_docs, unreachable_pub, unused, rust_2018_idioms)]
#![deny(single_use_lifetimes, unused_lifetimes, unused_qualifications, missing_debug_implementations)]
#![deny(clippy::all, clippy::pedantic)]

use nitro::code_variants;

/// Numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Numbers<'a, T>(&'a [T]);

#[cfg(any())]
#[code_variants]
impl Missing {
    #[code_variant(variants(other), default = other)]
    fn missing(&self);
}

#[code_variants]
impl<'a, T: Copy + 'a> Numbers<'a, T> {
    /// Uses one of its arguments for the choice alone.
    #[code_variant(
        features(length = self.0.len(), hint = hint_of_many),
        variants(r#as, last if length > 1),
        default = r#as,
    )]
    #[must_use]
    #[inline]
    pub(crate) fn r#find<'b>(self, unused: Box<u8>, other: &'b [T], hint_of_many: u8) -> Option<&'b T>
    where
        'a: 'b;

    fn r#as<'b>(self, _: Box<u8>, other: &'b [T], _: u8) -> Option<&'b T>
    where
        'a: 'b,
    {
        other.first().filter(|_| !self.0.is_empty())
    }

    fn last<'b>(self, _: Box<u8>, _: &'b [T], _: u8) -> Option<&'b T>
    where
        'a: 'b,
    {
        self.0.last()
    }

    #[cfg(any())]
    #[code_variant(variants(missing), default = missing)]
    fn absent(&self);

    /// # Safety
    /// None is needed.
    #[::nitro::code_variant(variants(plain { const BLOCK in [1, 2] }), default = plain)]
    unsafe fn checked(&self, a: u8, b: u8, c: u8, d: u8, e: u8, f: u8) -> u8;

    unsafe fn plain<const BLOCK: usize>(&self, _: u8, _: u8, _: u8, _: u8, _: u8, f: u8) -> u8 {
        f + u8::try_from(BLOCK + self.0.len()).unwrap_or(0)
    }
}

#[test]
fn strict_lints_are_silent_about_methods() {
    let numbers = Numbers(&[1, 2]);
    assert_eq!(numbers.find(Box::new(1), &[7], 0), Some(&7));
    // SAFETY: nothing is asked.
    assert_eq!(unsafe { numbers.checked(1, 2, 3, 4, 5, 6) }, 9);
}
