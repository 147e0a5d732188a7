//! The module is as private as its function.

mod sorts {
    use nitro::code_variant;

    fn merge() {}

    #[code_variant(variants(merge), default = merge)]
    fn private();

    pub mod inner {
        use nitro::code_variant;

        use super::merge;

        #[code_variant(variants(merge), default = merge)]
        pub(super) fn restricted();
    }
}

fn main() {
    sorts::private();
    sorts::private::select();
    sorts::inner::restricted();
    sorts::inner::restricted::select();
}
