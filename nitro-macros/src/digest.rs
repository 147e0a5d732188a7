//! Digests of what was written: the same however it is laid out, another where it says something else.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;

/// Returns the digest of what stands in these expressions, in their order.
pub(crate) fn digest<'a>(parts: impl IntoIterator<Item = &'a dyn ToTokens>) -> u64 {
    let mut text = String::new();
    for part in parts {
        write(&part.to_token_stream(), &mut text);
        text.push('\n');
    }
    fnv1a(text.as_bytes())
}

/// Writes the tokens with one blank between them, but not within an operator.
fn write(tokens: &TokenStream, text: &mut String) {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    // A comma at the end of several is a matter of layout; of a single one it may make a tuple.
    let commas = tokens.iter().filter(|token| is_comma(token)).count();
    let ends_in_comma = commas > 1 && tokens.last().is_some_and(is_comma);
    let mut is_joined = false;
    for token in &tokens[..tokens.len() - usize::from(ends_in_comma)] {
        if !is_joined {
            text.push(' ');
        }
        is_joined = false;
        match token {
            TokenTree::Group(group) => write_group(group.delimiter(), &group.stream(), text),
            TokenTree::Punct(own) => {
                text.push(own.as_char());
                is_joined = own.spacing() == Spacing::Joint;
            }
            TokenTree::Ident(own) => text.push_str(&own.to_string()),
            TokenTree::Literal(own) => text.push_str(&own.to_string()),
        }
    }
}

fn is_comma(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(own) if own.as_char() == ',')
}

/// Writes a group. One without brackets, of a macro's argument, is in parentheses where it is more than one token.
fn write_group(delimiter: Delimiter, tokens: &TokenStream, text: &mut String) {
    let is_one = tokens.clone().into_iter().count() == 1;
    let [open, close] = match delimiter {
        Delimiter::Parenthesis => ["(", ")"],
        Delimiter::Brace => ["{", "}"],
        Delimiter::Bracket => ["[", "]"],
        Delimiter::None if is_one => ["", ""],
        Delimiter::None => ["(", ")"],
    };
    text.push_str(open);
    write(tokens, text);
    text.push_str(close);
}

/// The 64-bit FNV-1a hash, as that of the run time.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> u64 {
        let expression: syn::Expr = syn::parse_str(text).expect("an expression");
        digest([&expression as &dyn ToTokens])
    }

    #[test]
    fn layout_is_nothing_and_meaning_is_all() {
        let one = of("f(a.len(), b) * 8 - -1");
        for same in ["f(a . len(),b)*8- -1", "f(\n  a.len(), // the length\n  b,\n) * 8 - -1"] {
            assert_eq!(one, of(same), "{same}");
        }
        let others = [
            "f(a.len(), b) * 9 - -1",
            "f(b, a.len()) * 8 - -1",
            "f(a.len(), b) * (8 - -1)",
            "f(a.len(), b) * 8 - 1",
            "f(a.len()) * 8 - -1",
        ];
        others.into_iter().for_each(|other| assert_ne!(one, of(other), "{other}"));
        assert_ne!(of("(a,)"), of("(a)"));
        assert_ne!(of("a & &b"), of("a && b"));
    }
}
