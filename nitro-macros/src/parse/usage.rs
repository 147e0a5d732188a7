//! The way in which each option is written.

use syn::parse::ParseStream;
use syn::{Ident, Token};

/// Every option with what to write.
pub(super) const USAGE: [(&str, &str); 11] = [
    ("features", "features(name = EXPRESSION, ...)"),
    (
        "variants",
        "variants(first, path::second if CONSTRAINT prefer if HINT, third { PARAMETER in VALUES, ... }, ...)",
    ),
    ("default", "default = NAME_OF_A_VARIANT"),
    ("approximate", "approximate(NAME_OF_A_VARIANT = LARGEST_RELATIVE_ERROR, ...)"),
    ("tolerance", "tolerance = EXPRESSION"),
    ("name", "name = \"key_in_stores_and_models\""),
    ("device", "device = EXPRESSION"),
    ("model", "model = EXPRESSION"),
    ("prepare", "prepare = FUNCTION_OF_A_CHOICE"),
    ("nested", "nested(FUNCTION_WITH_VARIANTS, Type::METHOD_WITH_VARIANTS, ...)"),
    ("crate", "crate = ::path::to::nitro"),
];

/// The text that says how a known option is written.
pub(crate) fn usage(key: &str) -> &'static str {
    USAGE.iter().find(|(known, _)| *known == key).map_or("", |(_, usage)| usage)
}

/// The mistake that an option goes on otherwise than it should. It is at the next token, or at the key when there is
/// none.
pub(super) fn expected(key: &Ident, input: ParseStream) -> syn::Error {
    let nothing_follows = input.is_empty() || input.peek(Token![,]);
    let span = if nothing_follows { key.span() } else { input.span() };
    syn::Error::new(span, format!("write `{}`", usage(&key.to_string())))
}
