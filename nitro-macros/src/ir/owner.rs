//! The block around a method: an `impl` block or a trait.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Attribute, ExprPath, Generics, Path, PathArguments, Visibility, parse_quote_spanned};

use super::mentions;
use crate::errors::Errors;
use crate::parse::{Block, Container};
use crate::places;

/// The block of a method, as far as its expansion asks.
#[derive(Clone)]
pub(crate) struct Owner {
    /// The kind of the block.
    pub kind: OwnerKind,
    /// The place of the method's attribute.
    pub at: Span,
    /// The type, or the trait.
    pub name: String,
    /// The visibility of a trait.
    pub visibility: Visibility,
    /// The `#[cfg]` of the block.
    pub cfgs: Vec<Attribute>,
    /// The names of its generic types and constants.
    pub generics: Vec<Ident>,
    /// The names of its functions, those with variants among them.
    pub functions: Vec<Ident>,
}

/// The kind of a block.
#[derive(Clone)]
pub(crate) enum OwnerKind {
    /// `impl Type`
    Inherent,
    /// `impl Trait for Type`
    Implementation(Path),
    /// `trait Name`
    Trait,
}

impl Owner {
    /// The block of all its methods; none where nothing gives their companions a name.
    pub fn of(block: &Block, errors: &mut Errors) -> Option<Self> {
        let others = block.others.iter().filter_map(|other| other.function.clone());
        let methods = block.methods.iter().map(|method| method.item.signature.ident.clone());
        let functions = others.chain(methods).collect();
        let (kind, attributes, generics, visibility, named) = match &block.container {
            Container::Impl(block) => {
                let mut named = block.self_ty.to_token_stream();
                let kind = match &block.trait_ {
                    None => OwnerKind::Inherent,
                    Some((path, _)) => {
                        named.extend(path.segments.last().map(|last| last.arguments.to_token_stream()));
                        OwnerKind::Implementation(path.clone())
                    }
                };
                (kind, &block.attrs, &block.generics, Visibility::Inherited, named)
            }
            Container::Trait(block) => {
                let named = block.ident.to_token_stream();
                (OwnerKind::Trait, &block.attrs, &block.generics, block.vis.clone(), named)
            }
        };
        let generics = values_and_types(generics);
        let words = words(named.clone(), &generics);
        if words.is_empty() {
            let message = "the companions of a method are named after its type, and this one has no name: write \
                free functions under `#[code_variant]`, and call them from here";
            errors.at(named, message);
            return None;
        }
        let cfgs = attributes.iter().filter(|own| own.path().is_ident("cfg")).cloned().collect();
        let (at, name) = (Span::call_site(), words.join("::"));
        Some(Self { kind, at, name, visibility, cfgs, generics, functions })
    }

    /// The name of the companion module of a method: `csr_multiply` of `Csr::multiply`.
    pub fn module(&self, method: &Ident) -> Ident {
        let words = self.name.split("::").map(snake_case).collect::<Vec<_>>().join("_");
        Ident::new(&format!("{words}_{}", method.unraw()), places::generated(method.span()))
    }

    /// The path of a variant. The name of a function of the block alone means that function.
    pub fn resolved(&self, path: ExprPath) -> ExprPath {
        let own = path.path.segments.first().filter(|only| {
            path.qself.is_none()
                && path.path.leading_colon.is_none()
                && path.path.segments.len() == 1
                && self.functions.contains(&only.ident)
        });
        match (own, &self.kind) {
            (None, _) => path,
            // An error about it is one at the name that the user wrote.
            (Some(own), OwnerKind::Implementation(of)) => {
                parse_quote_spanned!(places::located(own)=> <Self as #of>::#own)
            }
            (Some(own), OwnerKind::Inherent | OwnerKind::Trait) => {
                parse_quote_spanned!(places::located(own)=> Self::#own)
            }
        }
    }

    /// Returns true for the path of a function of the block.
    pub fn declares(&self, path: &ExprPath) -> bool {
        let last = path.path.segments.last();
        last.is_some_and(|last| self.functions.contains(&last.ident) && self.is_own(path, &last.ident))
    }

    /// Returns true for the path of a method of this name on `Self`.
    pub fn is_own(&self, path: &ExprPath, method: &Ident) -> bool {
        let mut segments = path.path.segments.iter().rev();
        let is_named = segments.next().is_some_and(|last| last.ident == *method);
        let of_self = match &path.qself {
            Some(own) => own.ty.to_token_stream().to_string() == "Self",
            None => segments.next().is_some_and(|first| first.ident == "Self") && segments.next().is_none(),
        };
        is_named && of_self
    }

    /// A signature of the trait's as it may stand outside the implementation, where `Self::Item` alone is not known.
    pub fn outside(&self, tokens: TokenStream) -> TokenStream {
        match &self.kind {
            OwnerKind::Implementation(of) => with_trait(tokens, of),
            OwnerKind::Inherent | OwnerKind::Trait => tokens,
        }
    }

    /// Brings the trait into scope, whose items the user's expressions may name.
    pub fn import(&self) -> Option<TokenStream> {
        let OwnerKind::Implementation(of) = &self.kind else { return None };
        let mut of = of.clone();
        for segment in &mut of.segments {
            segment.arguments = PathArguments::None;
        }
        Some(quote!(#[allow(unused_imports)] use #of as _;))
    }
}

/// Refuses `Self` and `self` in what stands beside the block.
pub(crate) fn names_no_self(owner: Option<&Owner>, tokens: impl ToTokens, errors: &mut Errors) {
    let Some(owner) = owner else { return };
    if let Some(word) = mentions::self_word(tokens.to_token_stream()) {
        let message = format!(
            "this is evaluated beside the block, where there is no `{word}`: name the type, such as `{}`",
            owner.name.split("::").next().unwrap_or("Type")
        );
        errors.at(word, message);
    }
}

/// The names of generic types and constants, in order.
fn values_and_types(generics: &Generics) -> Vec<Ident> {
    let types = generics.type_params().map(|own| own.ident.clone());
    types.chain(generics.const_params().map(|own| own.ident.clone())).collect()
}

/// The names in a type that say what it is: of paths the last, and no generic parameter.
fn words(tokens: TokenStream, generics: &[Ident]) -> Vec<String> {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut words = Vec::new();
    for (index, tree) in trees.iter().enumerate() {
        let is_lifetime =
            index > 0 && matches!(&trees[index - 1], TokenTree::Punct(sign) if sign.as_char() == '\'');
        match tree {
            TokenTree::Group(group) => words.extend(self::words(group.stream(), generics)),
            TokenTree::Ident(ident) if !is_lifetime && !generics.contains(ident) => {
                let is_keyword = syn::parse2::<Ident>(tree.to_token_stream()).is_err();
                if !is_keyword && !mentions::is_prefix(&trees[index + 1..]) {
                    words.push(ident.unraw().to_string());
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    words
}

/// `Self::Item` as `<Self as Trait>::Item`.
fn with_trait(tokens: TokenStream, of: &Path) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut written = TokenStream::new();
    for (index, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => {
                let mut group = proc_macro2::Group::new(group.delimiter(), with_trait(group.stream(), of));
                group.set_span(tree.span());
                written.extend([TokenTree::Group(group)]);
            }
            TokenTree::Ident(ident) if ident == "Self" && mentions::is_prefix(&trees[index + 1..]) => {
                written.extend(quote!(<#ident as #of>));
            }
            other => written.extend([other.clone()]),
        }
    }
    written
}

/// `CsrMatrix` as `csr_matrix`.
fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (index, letter) in letters.iter().enumerate() {
        let begins = letter.is_uppercase()
            && index > 0
            && letters[index - 1] != '_'
            && (!letters[index - 1].is_uppercase()
                || letters.get(index + 1).is_some_and(|next| next.is_lowercase()));
        if begins {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_named_in_snake_case() {
        for (name, expected) in [
            ("Csr", "csr"),
            ("CsrMatrix", "csr_matrix"),
            ("CSR", "csr"),
            ("GPUPlan2", "gpu_plan2"),
            ("u8", "u8"),
            ("A_B", "a_b"),
        ] {
            assert_eq!(snake_case(name), expected);
        }
    }

    #[test]
    fn a_type_is_named_by_what_is_no_parameter_of_its_block() {
        for (r#type, expected) in [
            ("crate::sparse::Csr<'a, T, N>", "Csr"),
            ("Csr<f32>", "Csr f32"),
            ("[Vec<T>; N]", "Vec"),
            ("&'a mut dyn Kernel", "Kernel"),
            ("(T, N)", ""),
        ] {
            let generics = ["T", "N"].map(|name| Ident::new(name, Span::call_site()));
            assert_eq!(words(r#type.parse().unwrap(), &generics).join(" "), expected, "{type}");
        }
    }
}
