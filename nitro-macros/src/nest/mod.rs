//! `#[nest]`: a function of loops over arrays stays as it is, and beside it stands the same as data.
//!
//! As for `#[code_variant]` there is one way: `parse` reads what was written, `signature`, `body`, `integers`,
//! `elements`, `flat`, `values` and `choices` work out what was meant (`ir`) or say what is wrong, `expand` writes the
//! code and cannot fail.

mod body;
mod choices;
mod conditions;
mod elements;
mod expand;
mod facts;
mod flat;
mod integers;
mod ir;
mod joined;
mod lets;
mod parse;
mod places;
mod polynomial;
mod quotients;
mod ranges;
mod scope;
mod signature;
mod subscripts;
#[cfg(test)]
mod tests;
mod values;
mod variables;
mod writes;

use proc_macro2::TokenStream;

use crate::errors::Errors;
use crate::groups;

/// Expands the attribute: tokens become tokens.
pub(crate) fn expansion(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let (arguments, item) = (groups::visible(arguments), groups::visible(item));
    let mut errors = Errors::default();
    let options = parse::options(arguments, &mut errors);
    let function = match parse::function(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            errors.push(error);
            return expand::refused(&errors, item);
        }
    };
    let (arguments, element) = signature::arguments(&function, &mut errors);
    // Nothing can be said of a body whose arguments are not known.
    let are_known = arguments.len() == function.sig.inputs.len();
    let (body, variables) = if are_known {
        body::nodes(&function.block, &arguments, element, &mut errors)
    } else {
        Default::default()
    };
    if errors.is_empty() {
        expand::nest(&ir::Nest { options, function, arguments, element, body, variables })
    } else {
        let salvage = expand::salvage(&options, element, function);
        expand::refused(&errors, salvage)
    }
}
