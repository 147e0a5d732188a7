//! `impl Trait` in arguments, as a generic parameter with a name. A variant is called through a pointer of the
//! function's type, in which every type has a name.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident};
use syn::{FnArg, GenericArgument, PathArguments, Signature, Type, parse_quote};

/// The signature with a named parameter for each `impl Trait`, and their number. Where a type is of a form in which
/// none is looked for, it keeps its `impl`.
pub(crate) fn named(signature: &Signature) -> (Signature, usize) {
    let (mut signature, mut names) = (signature.clone(), Names::default());
    for argument in &mut signature.inputs {
        if let FnArg::Typed(argument) = argument {
            names.replace(&mut argument.ty);
        }
    }
    for (name, bounds) in &names.0 {
        signature.generics.params.push(parse_quote!(#name: #bounds));
    }
    (signature, names.0.len())
}

/// The parameters made so far, with their bounds.
#[derive(Default)]
struct Names(Vec<(Ident, TokenStream)>);

impl Names {
    fn replace(&mut self, r#type: &mut Type) {
        match r#type {
            Type::ImplTrait(own) => {
                let name = format_ident!("__NitroArgument{}", self.0.len(), span = Span::call_site());
                self.0.push((name.clone(), own.bounds.to_token_stream()));
                *r#type = parse_quote!(#name);
            }
            Type::Reference(own) => self.replace(&mut own.elem),
            Type::Slice(own) => self.replace(&mut own.elem),
            Type::Array(own) => self.replace(&mut own.elem),
            Type::Paren(own) => self.replace(&mut own.elem),
            Type::Tuple(own) => own.elems.iter_mut().for_each(|each| self.replace(each)),
            Type::Path(own) => {
                for segment in &mut own.path.segments {
                    let PathArguments::AngleBracketed(arguments) = &mut segment.arguments else { continue };
                    for argument in &mut arguments.args {
                        if let GenericArgument::Type(each) = argument {
                            self.replace(each);
                        }
                    }
                }
            }
            _ => {}
        }
    }
}
