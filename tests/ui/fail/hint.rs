//! Hints.

use nitro::code_variant;

#[code_variant(variants(merge, radix prefer if keys.len() > 3 prefer if keys.len() < 9), default = merge)]
fn twice(keys: &mut [u32]);

#[code_variant(variants(merge, radix prefer keys.len() > 3), default = merge)]
fn without_if(keys: &mut [u32]);

#[code_variant(variants(merge, radix prefer if), default = merge)]
fn without_condition(keys: &mut [u32]);

#[code_variant(variants(merge, radix prefer if keys.len() > 3 if keys.len() > 1), default = merge)]
fn before_the_constraint(keys: &mut [u32]);

#[code_variant(variants(merge prefer if keys.len() > 3, radix), default = merge)]
fn on_the_default(keys: &mut [u32]);

#[code_variant(features(length = keys.len()), variants(merge, radix prefer if length > 3), default = merge)]
fn of_a_feature(keys: &mut [u32]);

#[code_variant(variants(merge, buckets { count in [4, 8] } prefer if keys.len() > count), default = merge)]
fn of_a_parameter(keys: &mut [u32]);

#[code_variant(features(prefer_radix = keys.len()), variants(merge, radix prefer if keys.len() > 3), default = merge)]
fn with_the_name_of_a_feature(keys: &mut [u32]);

fn merge(_: &mut [u32]) {}
fn radix(_: &mut [u32]) {}
fn buckets(_: of_a_parameter::Buckets, _: &mut [u32]) {}

fn main() {}
