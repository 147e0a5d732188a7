//! The attribute macro `#[code_variant]`. It is documented where users meet it, on its re-export in the crate `nitro`.
//!
//! One way through the modules: `parse` reads what was written, `ir` works out what was meant or says what is wrong,
//! `expand` writes the code and cannot fail. All of them speak [`proc_macro2`], so that tests run them in process.
//! Mistakes are gathered in one `Errors` and reported at once, together with items that keep the rest of the user's code
//! compiling.

mod errors;
mod expand;
mod expansion;
mod ir;
mod parse;
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
