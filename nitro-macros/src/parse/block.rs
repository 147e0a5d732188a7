//! The item under `#[code_variants]`: an `impl` block or a trait, some of whose functions have variants.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Attribute, ItemImpl, ItemTrait, Meta, Result, Token, Visibility};

use super::item::{self, Item};

/// A block of functions.
pub(crate) struct Block {
    /// The block without its items.
    pub container: Container,
    /// The functions that have variants, in order.
    pub methods: Vec<Method>,
    /// The other items, as they are.
    pub others: Vec<Other>,
}

/// A block itself.
pub(crate) enum Container {
    /// `impl Type { .. }` or `impl Trait for Type { .. }`
    Impl(Box<ItemImpl>),
    /// `trait Name { .. }`
    Trait(Box<ItemTrait>),
}

/// A function of a block that has variants.
pub(crate) struct Method {
    /// The place of its attribute.
    pub at: Span,
    /// The options in `#[code_variant(..)]`.
    pub options: TokenStream,
    /// The function below it.
    pub item: Item,
}

/// An item of a block that the macro leaves alone.
pub(crate) struct Other {
    /// The name, where it is a function.
    pub function: Option<Ident>,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// The item without them.
    pub rest: TokenStream,
}

/// Reads a block; anything else is an error.
pub(crate) fn block(tokens: TokenStream) -> Result<Block> {
    read.parse2(tokens)
}

fn read(input: ParseStream) -> Result<Block> {
    let ahead = input.fork();
    ahead.call(Attribute::parse_outer)?;
    ahead.parse::<Visibility>()?;
    ahead.parse::<Option<Token![unsafe]>>()?;
    let (container, items) = if ahead.peek(Token![trait]) {
        let mut block: ItemTrait = input.parse()?;
        let items = tokens(std::mem::take(&mut block.items));
        (Container::Trait(Box::new(block)), items)
    } else if ahead.peek(Token![impl]) {
        let mut block: ItemImpl = input.parse()?;
        let items = tokens(std::mem::take(&mut block.items));
        (Container::Impl(Box::new(block)), items)
    } else {
        return Err(ahead.error(
            "`#[code_variants]` belongs on an `impl` block or a trait: a function at module level takes \
             `#[code_variant(..)]` alone",
        ));
    };
    let mut block = Block { container, methods: Vec::new(), others: Vec::new() };
    for item in items {
        block.add(item)?;
    }
    Ok(block)
}

fn tokens(items: Vec<impl ToTokens>) -> Vec<TokenStream> {
    items.into_iter().map(ToTokens::into_token_stream).collect()
}

impl Block {
    /// Adds an item: a function that has variants, or any other.
    fn add(&mut self, item: TokenStream) -> Result<()> {
        let (mut attributes, rest) = attributes.parse2(item)?;
        let Some(own) = attributes.iter().position(is_code_variant) else {
            let function = item::item(rest.clone()).ok().map(|function| function.signature.ident);
            self.others.push(Other { function, attributes, rest });
            return Ok(());
        };
        let attribute = attributes.remove(own);
        let options = match &attribute.meta {
            Meta::List(list) => list.tokens.clone(),
            _ => TokenStream::new(),
        };
        let item = item::item(quote!(#(#attributes)* #rest))?;
        self.methods.push(Method { at: attribute.span(), options, item });
        Ok(())
    }
}

/// The attributes of an item, and the item without them.
fn attributes(input: ParseStream) -> Result<(Vec<Attribute>, TokenStream)> {
    Ok((input.call(Attribute::parse_outer)?, input.parse()?))
}

fn is_code_variant(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|last| last.ident == "code_variant")
}
