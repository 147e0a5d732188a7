//! Rules for the signature: sizes, scalars and arrays, by which a nest is called.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{
    Attribute, BinOp, Expr, ExprBinary, FnArg, ItemFn, Pat, PatIdent, PatType, Result, ReturnType, Safety,
    Token, Type, TypeReference,
};

use super::integers::affine;
use super::ir::{Affine, Argument, Array, Element, Kind, Storage};
use super::polynomial::polynomial;
use super::scope::{Meaning, Scope, at, bare};
use crate::errors::Errors;

const TYPES: &str = "write `usize` for a size, `f32` for a scalar, and `&Array2<f32>`, `&mut Array2<f32>` or another \
    number of dimensions, `&[f32]` or `&mut [f32]` for an array, with `u32` for one of subscripts, \
    `half::f16` or `half::bf16` for one stored in 16 bits, or `f64` for all `f32`";

const VECS: &str = "a nest takes the elements of a `Vec`, which cannot grow in it: write `&[f32]` or `&mut [f32]`, and \
    call it with `&vec` or `&mut vec`";

/// Reads the arguments, and the type of all numbers; mistakes go to `errors`.
pub(crate) fn arguments(function: &ItemFn, errors: &mut Errors) -> (Vec<Argument>, Element) {
    plain(function, errors);
    let mut scope = Scope::of(&[], element(function, errors));
    names(function, &mut scope);
    let mut found: Vec<Argument> = Vec::new();
    for argument in &function.sig.inputs {
        match read(argument, &scope) {
            Ok(argument) => found.push(argument),
            Err(error) => errors.push(error),
        }
    }
    (found, scope.element)
}

/// The type of all numbers: that of the first argument with one.
fn element(function: &ItemFn, errors: &mut Errors) -> Element {
    let mut first: Option<Element> = None;
    for argument in &function.sig.inputs {
        let FnArg::Typed(argument) = argument else { continue };
        let own = match &*argument.ty {
            Type::Reference(reference) => element_type(&reference.elem),
            plain => Some(plain),
        };
        let Some(own) = own else { continue };
        // What is stored in 16 bits is computed with in single precision.
        let Some(number) = number(own).or_else(|| storage(own).map(|_| Element::F32)) else { continue };
        let first = *first.get_or_insert(number);
        if number != first {
            let (number, first) = (number.name(), first.name());
            errors.at(
                own,
                format!(
                    "all numbers of a nest are of one type, and this one is `{number}` where the first is `{first}`: \
                     write `{first}` here, or `{number}` for all"
                ),
            );
        }
    }
    first.unwrap_or_default()
}

/// The type of 16 bits that this is, however its path begins.
fn storage(r#type: &Type) -> Option<Storage> {
    let Type::Path(path) = r#type else { return None };
    let last = &path.path.segments.last()?.ident;
    [Storage::F16, Storage::Bf16].into_iter().find(|storage| last == storage.name())
}

/// The type of numbers that this is.
fn number(r#type: &Type) -> Option<Element> {
    [Element::F32, Element::F64].into_iter().find(|element| is_named(r#type, element.name()))
}

/// Refuses all but a plain function: whatever else a signature can be has no meaning for a kernel.
fn plain(function: &ItemFn, errors: &mut Errors) {
    let signature = &function.sig;
    let message = "a nest is a plain function: remove this";
    if let Some(token) = &signature.constness {
        errors.at(token, message);
    }
    if let Some(token) = &signature.asyncness {
        errors.at(token, message);
    }
    if !matches!(signature.safety, Safety::Default) {
        errors.at(&signature.safety, message);
    }
    if let Some(abi) = &signature.abi {
        errors.at(abi, message);
    }
    if !signature.generics.params.is_empty() {
        errors.at(
            &signature.generics,
            "a nest has no type parameters: arrays are of `f32` or `f64`, sizes are arguments",
        );
    }
    if let ReturnType::Type(..) = signature.output {
        errors.at(&signature.output, "a nest returns nothing: write results into `&mut` arrays");
    }
}

/// Enters all names first: the shape of an array may name a size that comes after it.
fn names(function: &ItemFn, scope: &mut Scope) {
    for argument in &function.sig.inputs {
        let FnArg::Typed(argument) = argument else { continue };
        let Some(name) = plain_name(&argument.pat) else { continue };
        let meaning = match &*argument.ty {
            r#type if is_named(r#type, "usize") => Meaning::Integer,
            r#type if number(r#type).is_some() => Meaning::Scalar,
            _ => {
                Meaning::Array(Array { shape: Vec::new(), is_written: false, is_slice: false, storage: None })
            }
        };
        if matches!(meaning, Meaning::Integer) {
            scope.facts.note([&Affine::variable(name), &Affine::default()], 1, 0);
        }
        // rustc tells of a name that is taken twice.
        let _ = scope.enter(name, meaning);
    }
}

fn plain_name(pattern: &Pat) -> Option<&Ident> {
    match pattern {
        Pat::Ident(PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. }) => Some(ident),
        _ => None,
    }
}

fn is_named(r#type: &Type, name: &str) -> bool {
    matches!(r#type, Type::Path(path) if path.path.is_ident(name))
}

fn read(argument: &FnArg, scope: &Scope) -> Result<Argument> {
    let argument = match argument {
        FnArg::Typed(argument) => argument,
        FnArg::Receiver(receiver) => {
            return at(receiver, "a nest is a function, no method: write its arrays as arguments");
        }
    };
    let Some(name) = plain_name(&argument.pat) else {
        return at(&argument.pat, "write a plain name for the argument");
    };
    let shape = shape(&argument.attrs, name)?;
    let kind = match &*argument.ty {
        Type::Reference(reference) => array(reference, argument, name, shape, scope)?,
        r#type if is_named(r#type, "usize") => without_shape(shape, Kind::Parameter)?,
        r#type if number(r#type).is_some() => without_shape(shape, Kind::Scalar)?,
        r#type => return at(r#type, if is_vec(r#type) { VECS } else { TYPES }),
    };
    Ok(Argument { name: name.clone(), kind })
}

fn without_shape(shape: Option<&Attribute>, kind: Kind) -> Result<Kind> {
    match shape {
        Some(attribute) => at(attribute, "only an array has a shape: remove this"),
        None => Ok(kind),
    }
}

/// `#[shape(..)]`; other attributes than that and `#[expect]`-like ones are refused by rustc.
fn shape<'a>(attributes: &'a [Attribute], name: &Ident) -> Result<Option<&'a Attribute>> {
    let mut shapes = attributes.iter().filter(|attribute| attribute.path().is_ident("shape"));
    match (shapes.next(), shapes.next()) {
        (_, Some(second)) => at(second, format!("`{name}` has two shapes: keep one")),
        (first, None) => Ok(first),
    }
}

fn array(
    reference: &TypeReference,
    argument: &PatType,
    name: &Ident,
    shape: Option<&Attribute>,
    scope: &Scope,
) -> Result<Kind> {
    if is_vec(&reference.elem) {
        return at(&argument.ty, VECS);
    }
    let is_slice = matches!(&*reference.elem, Type::Slice(_));
    let own = element_type(&reference.elem);
    let is_of_indices = own.is_some_and(|own| is_named(own, "u32"));
    let storage = own.and_then(storage);
    if !is_of_indices && storage.is_none() && own.and_then(number).is_none() {
        return at(&argument.ty, TYPES);
    }
    if let (true, Some(token)) = (is_of_indices, &reference.mutability) {
        return at(token, "an array of integers is only read, as subscripts: remove `mut`");
    }
    let Some(attribute) = shape else {
        return at(
            name,
            format!(
                "the shape of `{name}` is missing: write `#[shape(n, m)]` before it, with the extent of each \
                 dimension"
            ),
        );
    };
    let extents = attribute.parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated)?;
    let shape: Vec<_> = extents.iter().map(|own| extent(own, scope)).collect::<Result<_>>()?;
    if is_slice && shape.is_empty() {
        return at(
            attribute,
            "a slice has a length: write `#[shape(n)]`, or the extents of several dimensions",
        );
    }
    let array = Array { shape, is_written: reference.mutability.is_some(), is_slice, storage };
    Ok(if is_of_indices { Kind::Indices(array) } else { Kind::Array(array) })
}

/// Reads the extent of a dimension.
fn extent(extent: &Expr, scope: &Scope) -> Result<Affine> {
    affine(extent, scope).or_else(|error| match polynomial(extent, scope) {
        Ok(product) if product.affine().is_none() && factors(extent).len() > 1 => {
            let parts: Vec<_> =
                factors(extent).iter().map(|own| own.to_token_stream().to_string()).collect();
            let parts = parts.join(", ");
            at(
                extent,
                format!(
                    "a shape is the extents of its dimensions, not their product: write `#[shape({parts})]`, with the \
                     slowest first"
                ),
            )
        }
        _ => Err(error),
    })
}

/// The factors of a product as written.
fn factors(expression: &Expr) -> Vec<&Expr> {
    match bare(expression) {
        Expr::Binary(ExprBinary { left, op: BinOp::Mul(_), right, .. }) => {
            [factors(left), factors(right)].concat()
        }
        other => vec![other],
    }
}

fn is_vec(r#type: &Type) -> bool {
    let Type::Path(path) = r#type else { return false };
    path.path.segments.last().is_some_and(|last| last.ident == "Vec")
}

/// The elements' type of a slice, or of `Array2<f32>` and its like, whatever they are called.
fn element_type(r#type: &Type) -> Option<&Type> {
    let path = match r#type {
        Type::Slice(slice) => return Some(&slice.elem),
        Type::Path(path) => path,
        _ => return None,
    };
    let syn::PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else {
        return None;
    };
    match arguments.args.first()? {
        syn::GenericArgument::Type(first) => Some(first),
        _ => None,
    }
}
