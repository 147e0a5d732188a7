//! Methods that break a rule, in blocks under `#[code_variants]`.

use nitro::code_variants;

struct Keys(Vec<u32>);

#[code_variants]
impl Keys {
    const MODEL: &'static [u8] = &[];

    #[code_variant(variants(merge, radix), default = merge)]
    fn with_a_body(&mut self) {}

    #[code_variant(variants(merge, radix), default = merge)]
    fn with_mut(mut self);

    #[code_variant(variants(merge, radix), default = merge)]
    fn with_an_attribute(#[cfg(unix)] &mut self);

    #[code_variant(variants(merge, itself, Self::itself), default = merge)]
    fn itself(&mut self);

    #[code_variant(variants(merge, keys_companion::radix), default = merge)]
    fn companion(&mut self);

    #[code_variant(variants(merge, radix), default = merge, model = Self::MODEL)]
    fn model_of_self(&mut self);

    #[code_variant(
        variants(merge, tiled { tile in [Self::TILE, 8], lanes: Self in [1, 2] = Self::LANES }),
        default = merge,
    )]
    fn values_of_self(&mut self);

    #[code_variant(
        variants(merge, radix),
        default = merge,
        approximate(radix = Self::ERROR),
        tolerance = self.0.len() as f64,
    )]
    fn error_of_self(&mut self);

    #[code_variant]
    fn without_options(&mut self);

    fn merge(&mut self) {}
    fn radix(&mut self) {}
}

fn main() {
    // Whatever is wrong with them, methods are there.
    let mut keys = Keys(vec![]);
    keys.with_a_body();
    keys.itself();
    keys.model_of_self();
    keys.error_of_self_call(keys_error_of_self::Variant::Merge);
    let _ = Keys::values_of_self_variants();
}
