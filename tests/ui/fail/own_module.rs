//! The companion module has the function's name, so that a module of variants cannot have it.

use nitro::code_variant;

mod spmv {
    pub fn csr(_: &[f32]) {}
    pub fn ell(_: &[f32]) {}
}

#[code_variant(variants(spmv::csr, self::spmv::ell), default = csr)]
pub fn spmv(x: &[f32]);

fn main() {
    spmv(&[1.0]);
}
