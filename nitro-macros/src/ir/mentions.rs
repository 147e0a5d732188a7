//! Searches of tokens for a name, as far as tokens tell.

use proc_macro2::{Ident, TokenStream, TokenTree};

/// Returns true where `name` stands as a variable: neither as a field or method nor in a path.
pub(crate) fn as_variable(tokens: TokenStream, name: &Ident) -> bool {
    any(tokens, name, |before, after| !is_member(before) && !is_prefix(after))
}

/// Returns true where `name` stands as a type or constant itself. It does not in `T::Item` or `<T as Trait>::Item`,
/// which do not tell what `T` is.
pub(crate) fn as_type(tokens: TokenStream, name: &Ident) -> bool {
    any(tokens, name, |_, after| {
        !is_prefix(after) && !matches!(after, [TokenTree::Ident(ident), ..] if ident == "as")
    })
}

/// Returns true where `name` stands anywhere so that `counts` holds of the tokens before and after it.
fn any(
    tokens: TokenStream,
    name: &Ident,
    counts: impl Fn(&[TokenTree], &[TokenTree]) -> bool + Copy,
) -> bool {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    trees.iter().enumerate().any(|(index, tree)| match tree {
        TokenTree::Group(group) => any(group.stream(), name, counts),
        TokenTree::Ident(ident) => ident == name && counts(&trees[..index], &trees[index + 1..]),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Returns true after `a.` or `a::`, but not after `0..`.
fn is_member(before: &[TokenTree]) -> bool {
    match before {
        [.., first, second] if is_punct(second, '.') => !is_punct(first, '.'),
        [.., first, second] => is_punct(first, ':') && is_punct(second, ':'),
        _ => false,
    }
}

/// The word `Self` or `self`, wherever it stands first; not that of a path such as `self::limits::MOST`.
pub(crate) fn self_word(tokens: TokenStream) -> Option<Ident> {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    trees.iter().enumerate().find_map(|(index, tree)| match tree {
        TokenTree::Group(group) => self_word(group.stream()),
        TokenTree::Ident(ident) if ident == "self" && is_prefix(&trees[index + 1..]) => None,
        TokenTree::Ident(ident) => (ident == "Self" || ident == "self").then(|| ident.clone()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => None,
    })
}

/// Returns true before `::`.
pub(crate) fn is_prefix(after: &[TokenTree]) -> bool {
    matches!(after, [first, second, ..] if is_punct(first, ':') && is_punct(second, ':'))
}

fn is_punct(tree: &TokenTree, sign: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == sign)
}

#[cfg(test)]
mod tests {
    use proc_macro2::Span;

    use super::*;

    fn check(found: fn(TokenStream, &Ident) -> bool, name: &str, cases: &[(&str, bool)]) {
        for (tokens, expected) in cases {
            let name = Ident::new(name, Span::call_site());
            assert_eq!(found(tokens.parse().unwrap(), &name), *expected, "{tokens}");
        }
    }

    #[test]
    fn a_variable_is_told_from_fields_methods_and_paths() {
        let cases = [
            ("rows > 3", true),
            ("f(a, rows)", true),
            ("(0..rows).any(g)", true),
            ("(0..=rows).any(g)", true),
            ("rows.is_power_of_two()", true),
            ("matches!(rows, 1 | 2)", true),
            ("a.rows > 3", false),
            ("a.rows() > 3", false),
            ("rows::LIMIT > a", false),
            ("limits::rows > a", false),
            ("rows_2 > 3", false),
        ];
        check(as_variable, "rows", &cases);
    }

    #[test]
    fn a_projection_does_not_tell_a_type() {
        let cases = [
            ("x: T", true),
            ("x: &mut [T]", true),
            ("x: Vec<Option<T>>", true),
            ("x: T::Item", false),
            ("x: <T as Iterator>::Item", false),
            ("x: &T::Item", false),
        ];
        check(as_type, "T", &cases);
    }
}
