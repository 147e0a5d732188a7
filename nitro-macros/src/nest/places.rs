//! Places of all tokens of a nest.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::places::generated;

/// Returns the tokens as generated ones, all of whose variables are generated too.
pub fn all(tokens: TokenStream) -> TokenStream {
    let place = |mut tree: TokenTree| match tree {
        TokenTree::Group(group) => delimited(&group, all(group.stream())),
        // It is told by its place which crate it means.
        TokenTree::Ident(ref name) if name == "$crate" => tree,
        _ => {
            tree.set_span(generated(tree.span()));
            tree
        }
    };
    tokens.into_iter().map(place).collect()
}

/// Returns the tokens with generated braces, whatever stands between them: so clippy keeps silent on the form of loops.
pub fn braces(tokens: TokenStream) -> TokenStream {
    let place = |tree: TokenTree| match tree {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
            delimited(&group, braces(group.stream()))
        }
        other => other,
    };
    tokens.into_iter().map(place).collect()
}

fn delimited(group: &Group, content: TokenStream) -> TokenTree {
    let mut delimited = Group::new(group.delimiter(), content);
    delimited.set_span(generated(group.span()));
    delimited.into()
}
