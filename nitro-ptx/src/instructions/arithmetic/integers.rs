//! Functions of integers of all types.

/// A function of integers for each of their types: values are of `$t`, and bits above the result's are zero.
macro_rules! integers {
    ($kind:expr, $t:ident, |$a:ident, $b:ident, $c:ident| $value:expr) => {{
        macro_rules! one {
            ($own:ty, $bits:ty) => {{
                #[allow(dead_code)]
                type $t = $own;
                Some(
                    (|a: u64, b: u64, c: u64, _| {
                        let ($a, $b, $c) = (a as $own, b as $own, c as $own);
                        let _ = ($a, $b, $c);
                        let value: $own = $value;
                        u64::from(value as $bits)
                    }) as crate::machine::compute::Function,
                )
            }};
        }
        use crate::text::types::Type;
        match $kind {
            Type::Unsigned(2) | Type::Bits(2) => one!(u16, u16),
            Type::Unsigned(4) | Type::Bits(4) => one!(u32, u32),
            Type::Unsigned(8) | Type::Bits(8) => one!(u64, u64),
            Type::Signed(2) => one!(i16, u16),
            Type::Signed(4) => one!(i32, u32),
            Type::Signed(8) => one!(i64, u64),
            _ => None,
        }
    }};
}
pub(in crate::instructions) use integers;
