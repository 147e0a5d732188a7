//! Functions whose choices cannot be held for a whole call.

use nitro::code_variant;

fn plain(_: &[u8]) {}

#[code_variant(variants(plain), default = plain)]
fn helper(bytes: &[u8]);

async fn later(_: &[u8]) {}

#[code_variant(variants(later), default = later, nested(helper))]
async fn future(bytes: &[u8]);

#[code_variant(variants(plain), default = plain, nested())]
fn nothing(bytes: &[u8]);

#[code_variant(variants(plain), default = plain, nested = helper)]
fn as_a_value(bytes: &[u8]);

#[code_variant(variants(plain), default = plain, nested(helper, helper))]
fn twice(bytes: &[u8]);

#[code_variant(variants(plain), default = plain, nested(helper::<u8>))]
fn generic(bytes: &[u8]);

#[code_variant(variants(plain), default = plain, nested(|bytes| helper(bytes)))]
fn closure(bytes: &[u8]);

fn main() {}
