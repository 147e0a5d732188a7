//! What rustc says of methods' variants, at their paths and in their block.

use nitro::code_variants;

struct Keys(Vec<u32>);

#[code_variants]
impl Keys {
    #[code_variant(
        features(length = self.1.len()),
        variants(merge, radix, shared, missing, of_another if length),
        default = merge,
    )]
    fn sort(&mut self, from: usize) -> usize;

    fn merge(&mut self, from: usize) -> usize {
        from
    }

    fn radix(&mut self, from: u32) -> usize {
        from as usize
    }

    fn shared(&self, from: usize) -> usize {
        from
    }

    fn without_attribute(&self);
}

fn of_another(_: &mut Vec<u32>, from: usize) -> usize {
    from
}

fn main() {}
