//! The code: the function as it was, and a type of its name, which has the nest. A module could not call the
//! function where both are inside of another one.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{FnArg, ItemFn, Path, parse_quote};

use super::ir::{
    Argument, Array, Assignment, Condition, Element, Kind, Loop, Nest, Node, Operation, Options, Storage,
    Value, Variable,
};
use super::places::{all, braces};
use super::subscripts::{access, affine, gather, quasi};
use crate::errors::Errors;
use crate::places;

/// The errors, and what is left of the function.
pub(crate) fn refused(errors: &Errors, salvage: TokenStream) -> TokenStream {
    let errors = errors.to_compile_errors();
    quote!(#errors #salvage)
}

/// The function and a companion, neither of which may be run. What uses them compiles, and nothing is said twice of
/// the body.
pub(crate) fn salvage(options: &Options, element: Element, mut function: ItemFn) -> TokenStream {
    without_shapes(&mut function);
    let body = quote!(::core::panic!("the nest does not compile"));
    function.block = parse_quote!({ #body });
    function.sig = places::without_names(function.sig);
    // In an `impl` block there can be no companion.
    let companion =
        function.sig.receiver().is_none().then(|| companion(options, element, &function, &body, &body));
    quote!(#function #companion)
}

/// The function and its companion.
pub(crate) fn nest(nest: &Nest) -> TokenStream {
    let mut function = nest.function.clone();
    without_shapes(&mut function);
    use_extents(nest, &mut function);
    let (built, reference) = (all(built(nest)), reference(nest));
    let companion = companion(&nest.options, nest.element, &function, &built, &reference);
    let function = with_loops(function);
    quote!(#function #companion)
}

/// The most arguments of which clippy says nothing.
const MAX_ARGUMENTS: usize = 7;

/// Loops over subscripts are what a nest is made of, and clippy is not to see them. A kernel has many arguments:
/// that is allowed where there are many, as no place of tokens hides it.
fn with_loops(mut function: ItemFn) -> TokenStream {
    if function.sig.inputs.len() > MAX_ARGUMENTS {
        function.attrs.push(parse_quote!(#[allow(clippy::too_many_arguments)]));
    }
    function.vis = places::visibility(function.vis);
    function.sig.fn_token.span = places::located(function.sig.fn_token);
    braces(quote!(#function))
}

/// Removes `#[shape(..)]`, which is ours.
fn without_shapes(function: &mut ItemFn) {
    for argument in &mut function.sig.inputs {
        if let FnArg::Typed(argument) = argument {
            argument.attrs.retain(|attribute| !attribute.path().is_ident("shape"));
        }
    }
}

/// Sizes of what is read where an array says may be in shapes alone: they are in use all the same.
fn use_extents(nest: &Nest, function: &mut ItemFn) {
    if !nest.arguments.iter().any(|argument| matches!(argument.kind, Kind::Indices(_))) {
        return;
    }
    for (argument, input) in nest.arguments.iter().zip(&mut function.sig.inputs) {
        if let (Kind::Parameter, FnArg::Typed(input)) = (&argument.kind, input) {
            input.attrs.push(parse_quote!(#[allow(unused_variables)]));
        }
    }
}

fn companion(
    options: &Options,
    element: Element,
    function: &ItemFn,
    nest: &TokenStream,
    reference: &TokenStream,
) -> TokenStream {
    let (krate, visibility, name) =
        (&options.krate, places::visibility(function.vis.clone()), places::item(&function.sig.ident));
    let cfgs: Vec<_> = function.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect();
    let others = cfgs.clone();
    let numbers = (element == Element::F64).then(|| quote!(<::core::primitive::f64>));
    let about = format!("What [`{name}`](fn@{name}) does, as data.");
    quote! {
        #(#cfgs)*
        #[doc = #about]
        #[derive(::core::fmt::Debug)]
        #visibility enum #name {}

        #(#others)*
        impl #name {
            /// The loops of the function.
            #[must_use]
            pub fn nest() -> #krate::Nest {
                #nest
            }

            /// Runs the function itself on the data.
            ///
            /// # Panics
            /// When the data are not of this nest.
            pub fn reference(data: &mut #krate::Data #numbers) {
                #reference
            }
        }
    }
}

fn built(nest: &Nest) -> TokenStream {
    let krate = &nest.options.krate;
    let name = nest.function.sig.ident.unraw().to_string();
    let arguments = declarations(krate, &nest.arguments);
    let double =
        (nest.element == Element::F64).then(|| quote!(__nitro_builder.element(#krate::Element::F64);));
    let reassociate = nest.options.reassociates.then(|| quote!(__nitro_builder.reassociate();));
    let variables = variables(krate, nest);
    let body = nodes(krate, &nest.body);
    quote! {
        let mut __nitro_builder = #krate::Builder::new(#name);
        #double
        #arguments
        #variables
        #reassociate
        #body
        __nitro_builder.finish().unwrap_or_else(|error| ::core::unreachable!("`#[nest]` has checked it: {error}"))
    }
}

/// Declares the arguments. The sizes come first, since shapes name them.
fn declarations(krate: &Path, arguments: &[Argument]) -> TokenStream {
    let (sizes, others): (Vec<_>, Vec<_>) =
        arguments.iter().partition(|argument| matches!(argument.kind, Kind::Parameter));
    let mut declared = TokenStream::new();
    for Argument { name, kind } in sizes.into_iter().chain(others) {
        let text = name.unraw().to_string();
        declared.extend(match kind {
            Kind::Parameter => quote!(let #name = __nitro_builder.parameter(#text);),
            Kind::Scalar => quote!(let #name = __nitro_builder.scalar(#text);),
            Kind::Array(array) | Kind::Indices(array) => {
                let shape = array.shape.iter().map(|extent| affine(krate, extent));
                let method = match kind {
                    Kind::Indices(_) => quote!(indices),
                    _ if array.is_written => quote!(in_out),
                    _ => quote!(input),
                };
                let store = array.storage.map(|storage| {
                    let storage = format_ident!("{}", if storage == Storage::F16 { "F16" } else { "Bf16" });
                    quote!(__nitro_builder.store_as(#name, #krate::Storage::#storage);)
                });
                quote!(let #name = __nitro_builder.#method(#text, [#(#shape),*]); #store)
            }
        });
    }
    declared
}

/// Declares the variables, behind all arguments. None has the name of anything else.
fn variables(krate: &Path, nest: &Nest) -> TokenStream {
    let mut taken: BTreeSet<String> = nest.arguments.iter().map(|own| own.name.unraw().to_string()).collect();
    nest.body.iter().for_each(|node| iterators(node, &mut taken));
    let variables = nest.variables.iter().map(|Variable { array, name, shape }| {
        let mut text = name.unraw().to_string();
        while !taken.insert(text.clone()) {
            text.push('_');
        }
        let shape = shape.iter().map(|extent| affine(krate, extent));
        quote!(let #array = __nitro_builder.temporary(#text, [#(#shape),*]);)
    });
    variables.collect()
}

fn iterators(node: &Node, found: &mut BTreeSet<String>) {
    match node {
        Node::Loop(Loop { iterator, body, .. }) => {
            found.insert(iterator.unraw().to_string());
            body.iter().for_each(|node| iterators(node, found));
        }
        Node::If(_, body) => body.iter().for_each(|node| iterators(node, found)),
        Node::Assign(_) => {}
    }
}

fn nodes(krate: &Path, nodes: &[Node]) -> TokenStream {
    let nodes = nodes.iter().map(|node| match node {
        Node::Loop(repeated) => self::repeated(krate, repeated),
        Node::If(conditions, body) => {
            let conditions = conditions.iter().map(|condition| self::condition(krate, condition));
            let body = self::nodes(krate, body);
            quote!(__nitro_builder.only_if([#(#conditions),*], |__nitro_builder| { #body });)
        }
        Node::Assign(assignment) => self::assignment(krate, assignment),
    });
    nodes.collect()
}

fn repeated(krate: &Path, repeated: &Loop) -> TokenStream {
    let Loop { iterator, lower, upper, step, is_reversed, body } = repeated;
    let text = iterator.unraw().to_string();
    let (first_lower, first_upper) = (affine(krate, &lower[0]), affine(krate, &upper[0]));
    let lower = lower[1..].iter().map(|bound| affine(krate, bound));
    let upper = upper[1..].iter().map(|bound| affine(krate, bound));
    let step = (*step != 1).then(|| quote!(.step_by(#step)));
    let reversed = is_reversed.then(|| quote!(.reversed()));
    let body = nodes(krate, body);
    quote! {
        __nitro_builder.repeat(
            #text,
            #krate::Bounds::new(#first_lower, #first_upper)
                #(.and_from(#lower))* #(.and_below(#upper))* #step #reversed,
            |__nitro_builder, #iterator| { #body },
        );
    }
}

fn condition(krate: &Path, condition: &Condition) -> TokenStream {
    let (left, right) = (affine(krate, &condition.left), affine(krate, &condition.right));
    let relation = format_ident!("{}", condition.relation);
    quote!(#krate::Condition { relation: #krate::Relation::#relation, left: #left, right: #right })
}

fn assignment(krate: &Path, assignment: &Assignment) -> TokenStream {
    let (target, value) = (access(krate, &assignment.target), value(krate, &assignment.value));
    let value = match assignment.operation {
        None => value,
        Some(operation) => binary(krate, operation, &quote!(#krate::Expression::from(#target)), &value),
    };
    // A value may add products of sizes to the nest.
    quote!({ let __nitro_value = #value; __nitro_builder.assign(#target, __nitro_value); })
}

fn values(krate: &Path, values: &[Value]) -> Vec<TokenStream> {
    values.iter().map(|own| value(krate, own)).collect()
}

fn value(krate: &Path, value: &Value) -> TokenStream {
    match value {
        Value::Constant(number) => constant(krate, *number),
        Value::Scalar(name) => quote!(::core::clone::Clone::clone(&#name)),
        Value::Integer(integer) => {
            let integer = affine(krate, integer);
            quote!(#krate::Expression::from(#integer))
        }
        Value::Quasi(own) => {
            let own = quasi(krate, own);
            quote!(#krate::Expression::from(#own))
        }
        Value::Product(sizes) => quote!(#krate::Expression::from(__nitro_builder.product([#(#sizes),*]))),
        Value::Load(load) => {
            let load = access(krate, load);
            quote!(#krate::Expression::from(#load))
        }
        Value::Gather(own) => gather(krate, own),
        Value::Negate(operand) => {
            let operand = self::value(krate, operand);
            quote!((-#operand))
        }
        Value::Method(name, parts) => {
            let (name, parts) = (format_ident!("{name}"), values(krate, parts));
            let (receiver, arguments) = (&parts[0], &parts[1..]);
            quote!(#receiver.#name(#(#arguments),*))
        }
        Value::Power(base, exponent) => {
            let base = self::value(krate, base);
            quote!(#base.powi(#exponent))
        }
        Value::Binary(operation, parts) => {
            let parts = values(krate, &parts[..]);
            binary(krate, *operation, &parts[0], &parts[1])
        }
        Value::Select(relation, parts) => {
            let relation = format_ident!("{relation}");
            let parts = values(krate, &parts[..]);
            let (compared, cases) = parts.split_at(2);
            quote!(#krate::Expression::select(#krate::Relation::#relation, [#(#compared),*], [#(#cases),*]))
        }
    }
}

/// A number that single precision has is written so: it is the same number in both. Its bits are written, since clippy
/// takes some numbers for constants of mathematics.
fn constant(krate: &Path, number: f64) -> TokenStream {
    let single = number as f32;
    if f64::from(single) != number {
        let bits = number.to_bits();
        return quote!(#krate::Expression::double(::core::primitive::f64::from_bits(#bits)));
    }
    let bits = single.to_bits();
    quote!(#krate::Expression::from(::core::primitive::f32::from_bits(#bits)))
}

fn binary(krate: &Path, operation: Operation, left: &TokenStream, right: &TokenStream) -> TokenStream {
    let operation = format_ident!(
        "{}",
        match operation {
            Operation::Add => "Add",
            Operation::Subtract => "Subtract",
            Operation::Multiply => "Multiply",
            Operation::Divide => "Divide",
        }
    );
    quote! {
        #krate::Expression::Binary(
            #krate::Binary::#operation, ::std::boxed::Box::new(#left), ::std::boxed::Box::new(#right)
        )
    }
}

/// Calls the function on the data.
fn reference(nest: &Nest) -> TokenStream {
    let name = &nest.function.sig.ident;
    let (mut sizes, mut scalars, mut arrays, mut indices) = (0_usize.., 0_usize.., 0_usize.., 0_usize..);
    let (mut taken, mut arguments, mut given) = (Vec::new(), Vec::new(), Vec::new());
    for argument in &nest.arguments {
        arguments.push(match &argument.kind {
            Kind::Parameter => {
                let index = sizes.next();
                quote!(data.size(#index))
            }
            Kind::Scalar => {
                let index = scalars.next();
                quote!(data.scalars[#index])
            }
            Kind::Array(array) => {
                let index = arrays.next().unwrap_or_default();
                let local = format_ident!("array_{index}");
                let dimensions = array.shape.len();
                if array.storage.is_some() {
                    taken.push(quote!(let mut #local = data.take_stored::<_, #dimensions>(&nest, #index);));
                    given.push(quote!(data.give_stored(#index, #local);));
                } else {
                    taken.push(quote!(let mut #local = data.take::<#dimensions>(&nest, #index);));
                    given.push(quote!(data.give(#index, #local);));
                }
                passed(array, &local)
            }
            Kind::Indices(array) => {
                let index = indices.next().unwrap_or_default();
                let local = format_ident!("indices_{index}");
                let dimensions = array.shape.len();
                taken.push(quote!(let #local = data.take_indices::<#dimensions>(&nest, #index);));
                given.push(quote!(data.give_indices(#index, #local);));
                passed(array, &local)
            }
        });
    }
    quote! {
        let nest = Self::nest();
        #(#taken)*
        #name(#(#arguments),*);
        #(#given)*
    }
}

/// An array as the function takes it.
fn passed(array: &Array, local: &Ident) -> TokenStream {
    match (array.is_slice, array.is_written) {
        (true, true) => quote!(#local.as_mut_slice()),
        (true, false) => quote!(#local.as_slice()),
        (false, true) => quote!(&mut #local),
        (false, false) => quote!(&#local),
    }
}
