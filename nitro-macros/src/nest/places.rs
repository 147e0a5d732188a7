//! Places of all tokens of a nest.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::places::generated;

/// Returns the tokens as generated ones, all of whose variables are generated too.
pub(crate) fn all(tokens: TokenStream) -> TokenStream {
    let mut placed = TokenStream::new();
    for mut tree in tokens {
        match tree {
            TokenTree::Group(group) => tree = delimited(&group, all(group.stream())),
            // It is told by its place which crate it means.
            TokenTree::Ident(ref name) if name == "$crate" => {}
            _ => tree.set_span(generated(tree.span())),
        }
        placed.extend([tree]);
    }
    placed
}

/// Returns the tokens with generated braces, whatever stands between them: so clippy says nothing of the form of
/// loops.
pub(crate) fn braces(tokens: TokenStream) -> TokenStream {
    let trees = tokens.into_iter().map(|tree| match tree {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
            delimited(&group, braces(group.stream()))
        }
        other => other,
    });
    trees.collect()
}

fn delimited(group: &Group, content: TokenStream) -> TokenTree {
    let mut delimited = Group::new(group.delimiter(), content);
    delimited.set_span(generated(group.span()));
    delimited.into()
}
