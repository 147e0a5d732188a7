//! The attribute macro `#[code_variant]` and, beside it, `embedded_model!`. They are documented where users meet
//! them, on their re-exports in the crate `nitro`. With the feature `nest` there is `#[nest]` too, documented in
//! the crate `nitro_nest`.
//!
//! One way through the modules: `parse` reads what was written, `ir` works out what was meant or says what is wrong,
//! `expand` writes the code and cannot fail. All of them speak [`proc_macro2`], so that tests run them in process.
//!
//! Mistakes are gathered in one `Errors` and reported at once, together with items that keep the rest of the user's
//! code compiling.

mod cloneable;
mod digest;
mod embedded_model;
mod errors;
mod expand;
mod expansion;
mod groups;
mod ir;
#[cfg(feature = "nest")]
mod nest;
mod parse;
mod places;
#[cfg(test)]
mod tests;

use expansion::expansion;

/// Makes a function of a signature and its variants. See the documentation of `nitro::code_variant`.
#[proc_macro_attribute]
pub fn code_variant(
    arguments: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    expansion(arguments.into(), item.into()).into()
}

/// Makes methods of their signatures and variants. See the documentation of `nitro::code_variants`.
#[proc_macro_attribute]
pub fn code_variants(
    arguments: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    expansion::expansion_of_block(arguments.into(), item.into()).into()
}

/// Has a function compiled in clones of it for target features. See the documentation of `nitro::cloneable`.
#[proc_macro_attribute]
pub fn cloneable(
    arguments: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    cloneable::expansion(arguments.into(), item.into()).into()
}

/// The bytes of a model's file, none where it is not there yet. See the documentation of `nitro::embedded_model`.
#[proc_macro]
pub fn embedded_model(path: proc_macro::TokenStream) -> proc_macro::TokenStream {
    embedded_model::expansion(path.into(), embedded_model::Package::current().as_ref()).into()
}

/// Keeps a function of loops and gives it as data. See the documentation of `nitro_nest::nest`.
#[cfg(feature = "nest")]
#[proc_macro_attribute]
pub fn nest(arguments: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    nest::expansion(arguments.into(), item.into()).into()
}
