//! Names that users give, and names of generated items.

use proc_macro2::Ident;

use super::RESERVED;
use crate::errors::Errors;

/// The name of a variant as a name in an enum: `csr_scalar` becomes `CsrScalar`.
///
/// An underscore between digits stays, as rustc's lint on such names has it: `block_8_16` becomes `Block8_16`.
pub(crate) fn camel_case(name: &str) -> String {
    let mut camel = String::new();
    for word in name.split('_').filter(|word| !word.is_empty()) {
        let ends_in_digit = camel.ends_with(|last: char| last.is_ascii_digit());
        if ends_in_digit && word.starts_with(|first: char| first.is_ascii_digit()) {
            camel.push('_');
        }
        let mut letters = word.chars();
        camel.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        camel.push_str(letters.as_str());
    }
    // `_8` and `self_` would otherwise be no identifiers.
    if camel.is_empty() || camel.starts_with(|first: char| first.is_ascii_digit()) {
        camel.insert(0, '_');
    } else if camel == "Self" || camel == "ALL" {
        // `Variant::ALL` is the list of all.
        camel.push('_');
    }
    camel
}

/// Refuses what is no plain identifier: a name is a key in stores and models and, in constraints, a variable.
pub(crate) fn is_plain(what: &str, example: &str, name: &Ident, errors: &mut Errors) -> bool {
    let text = name.to_string();
    if text.starts_with(RESERVED) {
        let message = format!(
            "names that begin with `{RESERVED}` are reserved for generated code: name this {what} otherwise"
        );
        errors.at(name, message);
        return false;
    }
    // A keyword, `_`, or a raw identifier: what syn does not read as an identifier, or does not print as one.
    let plain = syn::parse_str::<Ident>(&text).is_ok() && !text.starts_with("r#");
    if !plain {
        errors.at(
            name,
            format!("`{text}` cannot be the name of a {what}: write a plain identifier such as `{example}`"),
        );
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::camel_case;

    #[test]
    fn camel_case_is_always_an_identifier() {
        for (name, expected) in [
            ("csr_scalar", "CsrScalar"),
            ("ell", "Ell"),
            ("__sort__", "Sort"),
            ("SortFast", "SortFast"),
            ("v8", "V8"),
            ("block_8_16", "Block8_16"),
            ("_8", "_8"),
            ("self_", "Self_"),
            ("ALL", "ALL_"),
            ("all", "All"),
            ("übung_eins", "ÜbungEins"),
        ] {
            assert_eq!(camel_case(name), expected);
            assert!(syn::parse_str::<syn::Ident>(expected).is_ok(), "{expected}");
        }
    }
}
