//! The functions whose choices hold for a whole call: `nested(dot, Matrix::multiply)`.

use quote::{ToTokens, format_ident};
use syn::ext::IdentExt;
use syn::{ExprPath, Signature, parse_quote};

use crate::errors::Errors;
use crate::parse::{self, Options};

/// A function with variants that variants of another one call.
pub(crate) struct Nested {
    /// The path of the function that holds its choice: `dot::hold`, `Matrix::multiply_hold`.
    pub hold: ExprPath,
}

/// Refuses what cannot be held, or means nothing.
pub(super) fn check(options: &Options, signature: &Signature, errors: &mut Errors) {
    let Some(key) = options.given.iter().find(|key| *key == "nested") else { return };
    if options.nested.is_empty() && errors.is_empty() {
        errors.at(key, format!("no function is named: write `{}`", parse::usage("nested")));
    }
    if signature.asyncness.is_some() {
        let message = "a choice is held on one thread, and a future may continue on another: leave `nested(..)` out, \
            or hold the choice between two `.await` by `let held = FUNCTION::hold();`";
        errors.at(key, message);
    }
    let texts: Vec<String> = options.nested.iter().map(|own| own.to_token_stream().to_string()).collect();
    for (index, function) in options.nested.iter().enumerate() {
        if texts[..index].contains(&texts[index]) {
            errors.at(function, "this function is named twice: keep one");
        }
        if function.path.segments.last().is_some_and(|last| !last.arguments.is_none()) {
            let message =
                "a choice is held for all types of a function: write its path without generic arguments";
            errors.at(function, message);
        }
    }
}

/// The functions of the option, as written.
pub(super) fn functions(written: Vec<ExprPath>) -> Vec<Nested> {
    written.into_iter().map(|function| Nested { hold: hold(function) }).collect()
}

/// Returns the path of what holds a function's choice: an item of its companion module, or of a method one beside it.
/// Types are told from modules by their first letter, as readers do.
fn hold(mut function: ExprPath) -> ExprPath {
    let segments = &mut function.path.segments;
    let before = segments.iter().rev().nth(1).map(|own| own.ident.unraw().to_string());
    let is_method =
        function.qself.is_some() || before.is_some_and(|name| name.starts_with(char::is_uppercase));
    if !is_method {
        segments.push(parse_quote!(hold));
    } else if let Some(last) = segments.last_mut() {
        last.ident = format_ident!("{}_hold", last.ident.unraw(), span = last.ident.span());
    }
    function
}
