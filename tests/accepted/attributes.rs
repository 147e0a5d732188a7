//! Attributes of the function: what they say of a function they say of one with variants, and levels of lints reach
//! what is generated.

#![deny(warnings)]

use nitro::code_variant;

fn one() -> u32 {
    1
}

macro_rules! functions {
    ($($(#[$attribute:meta])* $name:ident;)*) => {$(
        $(#[$attribute])*
        #[code_variant(variants(one), default = one)]
        pub fn $name() -> u32;
    )*};
}

functions! {
    #[inline] inlined;
    #[inline(never)] never_inlined;
    #[cold] cold;
    #[must_use] used;
    #[must_use = "it is why one calls"] used_for_a_reason;
    #[unsafe(no_mangle)] not_mangled;
    #[unsafe(export_name = "accepted_attributes_exported")] exported;
    #[deprecated] deprecated;
    #[deprecated(since = "1.0.0", note = "use another")] deprecated_for_a_reason;
    #[doc(hidden)] hidden;
    #[doc(alias = "another")] with_alias;
    #[doc = "Text."] documented;
    #[cfg_attr(all(), inline, allow(non_snake_case), must_use)] CONDITIONAL;
    #[cfg_attr(any(), allow(no_such_lint))] not_conditional;
    #[cfg_attr(true, cfg_attr(all(), deny(unused_variables)))] nested;
    #[expect(non_snake_case, reason = "it is called so")] EXPECTED;
    #[allow(non_snake_case)] ALLOWED;
    #[forbid(unsafe_code)] forbidding;
    #[cfg(any())] absent;
    #[cfg_attr(all(), cfg(any()))] also_absent;
}

/// So has a user's module these names.
fn absent() -> u32 {
    one()
}
fn also_absent() -> u32 {
    one()
}

mod wide {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    pub fn doubled(x: u32) -> u32 {
        2 * x
    }
}

/// What is called in `unsafe` may have what its caller vouches for.
///
/// # Safety
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[code_variant(variants(wide::doubled), default = doubled)]
unsafe fn doubled(x: u32) -> u32;

#[test]
fn attributes_mean_what_they_mean_elsewhere() {
    #[expect(deprecated)]
    let deprecated = [deprecated(), deprecated_for_a_reason()];
    let others = [
        inlined(),
        never_inlined(),
        cold(),
        used(),
        used_for_a_reason(),
        not_mangled(),
        exported(),
        hidden(),
        with_alias(),
        documented(),
        CONDITIONAL(),
        not_conditional(),
        nested(),
        EXPECTED(),
        ALLOWED(),
        forbidding(),
        absent(),
        also_absent(),
    ];
    assert_eq!((deprecated, others), ([1; 2], [1; 18]));
    assert_eq!(CONDITIONAL::call(CONDITIONAL::Variant::One), ALLOWED::select().variant() as u32 + 1);
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") {
        // SAFETY: it has been detected.
        assert_eq!(unsafe { doubled(2) }, 4);
    }
}
