//! Programs that `#[code_variant]` accepts, under conditions that generated code could stumble over: a module each, as what they show is
//! that they compile.

#![deny(future_incompatible)] // with `strict_lints`: rustc asks for it at the root

mod attributes;
mod from_macro_rules;
mod grouping;
mod names;
#[allow(dead_code, reason = "it only stands in the way")]
mod no_prelude;
mod shadowed;
mod smallest;
mod strict_lints;
