//! Programs that `#[code_variant]` accepts, under conditions that generated code could stumble over: a module each,
//! as what they show is that they compile.

#![deny(future_incompatible)] // with `strict_lints`: rustc asks for it at the root

mod attributes;
mod from_macro_rules;
#[allow(
    clippy::eq_op,
    clippy::nonminimal_bool,
    reason = "what is handed on is told apart by its grouping alone"
)]
#[allow(clippy::multiple_bound_locations, reason = "both places may have one")]
mod grouping;
mod methods;
#[allow(dead_code, reason = "variants are called by name and not through their function")]
#[allow(non_snake_case, reason = "functions have any name")]
mod names;
#[allow(dead_code, reason = "it only stands in the way")]
mod no_prelude;
mod shadowed;
mod smallest;
mod strict_lints;
mod targets;
