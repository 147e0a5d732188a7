//! The function that was meant, with its variants, features and constraints, free of mistakes.
//!
//! Each rule is one function, named after its demand. A rule looks at what was written and adds to the errors.

mod approximations;
mod attributes;
mod features;
mod free;
mod hints;
mod impl_types;
mod mentions;
mod names;
mod nested;
mod owner;
mod parameters;
mod signature;
mod targets;
mod values;
mod variants;

pub(crate) use approximations::ABOVE_0;
pub(crate) use attributes::conditional;
pub(crate) use free::Effort;
pub(crate) use nested::Nested;
pub(crate) use owner::{Owner, OwnerKind};
pub(crate) use targets::Target;

use std::mem::take;

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::{Attribute, Expr, ExprPath, Ident, LitStr, Path, Signature, Type, Visibility, parse_quote};

use crate::errors::{Errors, quoted};
use crate::parse::{self, Item, Options};

/// The most features, as `nitro_core::MAX_FEATURES`, which `Function::new` asserts.
pub(crate) const MAX_FEATURES: usize = 32;
/// The most variants, as `nitro_core::MAX_VARIANTS`, which `Function::new` asserts.
pub(crate) const MAX_VARIANTS: usize = 64;
/// The units of input features, as `nitro_core::Unit` names them.
pub(crate) const UNITS: [&str; 4] = ["Bytes", "Operations", "Count", "Parallelism"];
/// The most bytes of a name, as `nitro_core::name::MAX_FUNCTION_BYTES`, which `Function::new` asserts.
pub(crate) const MAX_NAME_BYTES: usize = 200;
/// The beginning of the names of generated items and locals.
pub(crate) const RESERVED: &str = "__nitro";

/// A function with its variants.
pub(crate) struct CodeVariant {
    /// The path to the crate `nitro` in generated code.
    pub krate: Path,
    /// The attributes of the function, as written.
    pub attributes: Vec<Attribute>,
    /// The visibility as written; of a trait's method that of its companions.
    pub visibility: Visibility,
    /// The block around it, where it is a method.
    pub owner: Option<Owner>,
    /// The name of the companion module.
    pub module: Ident,
    /// The signature; every argument is a plain identifier.
    pub signature: Signature,
    /// The signature with a named generic parameter for each `impl Trait`.
    pub named: Signature,
    /// The number of these parameters, which are the last.
    pub impl_types: usize,
    /// The names of the arguments.
    pub arguments: Vec<Ident>,
    /// The names of the generic types and constants, without lifetimes.
    pub generics: Vec<Ident>,
    /// True where the types of the arguments and of the result tell all of `generics`.
    pub generics_are_inferred: bool,
    /// The key in stores and models; absent is the path of the function.
    pub name: Option<LitStr>,
    /// The device of calls; absent is the host.
    pub device: Option<Expr>,
    /// The bytes of an embedded model.
    pub model: Option<Expr>,
    /// The function that prepares a choice for its first call.
    pub prepare: Option<Expr>,
    /// The functions with variants whose choices hold for a whole call.
    pub nested: Vec<Nested>,
    /// The largest relative error that a call accepts; given where a variant is approximate.
    pub tolerance: Option<Expr>,
    /// The features, in order.
    pub features: Vec<Feature>,
    /// The variants, in order; at least one.
    pub variants: Vec<Variant>,
    /// Index of the default variant, which has neither a constraint nor a `#[cfg]`.
    pub default: usize,
}

/// A number computed from the arguments.
pub(crate) struct Feature {
    /// A plain identifier, not the name of an argument.
    pub name: Ident,
    /// One of `nitro_core::Unit`.
    pub unit: Option<Ident>,
    /// The number.
    pub value: Expr,
}

impl Feature {
    /// Returns what it takes to have the number.
    pub(crate) fn effort(&self) -> Effort {
        free::effort(&self.value)
    }
}

/// One implementation.
#[derive(Clone)]
pub(crate) struct Variant {
    /// Its `#[cfg]` attributes.
    pub cfgs: Vec<Attribute>,
    /// The function.
    pub path: ExprPath,
    /// The name in stores, models and messages.
    pub name: String,
    /// The name in the enum `Variant`.
    pub arm: Ident,
    /// Its tuning parameters, in order.
    pub parameters: Vec<Parameter>,
    /// The constraint on inputs; absent is none.
    pub constraint: Option<Constraint>,
    /// Index of the feature that is its hint.
    pub hint: Option<usize>,
    /// The number of its `exact(..)` group: variants of one group give the same results, bit for bit.
    pub exact_group: Option<usize>,
    /// The error of its results beside the default's, where it may be more than rounding makes.
    pub approximation: Option<Approximation>,
    /// The names that it had before.
    pub was: Vec<String>,
    /// The digest of its constraint, the features in it, and its parameters.
    pub digest: u64,
    /// The processor that it is compiled for, where it is a clone of another variant.
    pub target: Option<Target>,
}

/// The known error of an approximate variant.
#[derive(Clone)]
pub(crate) struct Approximation {
    /// The largest relative error that was seen, a constant.
    pub max_error: Expr,
    /// The inputs over which it was seen.
    pub over: Option<LitStr>,
}

/// A named, finite choice inside a variant.
#[derive(Clone)]
pub(crate) struct Parameter {
    /// True where it is a constant of the variant's type parameters.
    pub is_const: bool,
    /// A plain identifier, not the name of an argument or a feature.
    pub name: Ident,
    /// Its type.
    pub r#type: Type,
    /// The kind of its values.
    pub kind: ParameterKind,
    /// The values as expressions of the type, with their texts; at least one, but of generated code none.
    pub values: Vec<(Expr, String)>,
    /// Index of the default among them.
    pub default: usize,
}

/// The kind of a parameter's values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParameterKind {
    /// Integers.
    Integer,
    /// Floating-point numbers.
    Float,
    /// `false` and `true`.
    Bool,
    /// Anything else.
    Category,
    /// Generated code: its values are not known to the program.
    Artifact,
}

impl ParameterKind {
    /// Returns true where the type is one of Rust's own, whatever else the user calls so.
    pub fn is_primitive(self) -> bool {
        matches!(self, Self::Integer | Self::Float | Self::Bool)
    }
}

/// A rule that forbids a variant for an input.
#[derive(Clone)]
pub(crate) struct Constraint {
    /// The condition under which the variant may run.
    pub condition: Expr,
    /// The part of the condition that names parameters alone.
    pub possible: Option<Expr>,
    /// The first part of the condition that is more than that.
    pub of_the_input: Option<Expr>,
    /// Indices of the features it mentions.
    pub features: Vec<usize>,
}

impl Constraint {
    /// Returns what it takes to have the condition, of a function with these features.
    pub(crate) fn effort(&self, features: &[Feature]) -> Effort {
        let mentioned = self.features.iter().map(|&feature| features[feature].effort());
        mentioned.fold(free::effort(&self.condition), Effort::max)
    }
}

impl CodeVariant {
    /// Returns true where a call is a future.
    pub fn is_async(&self) -> bool {
        self.signature.asyncness.is_some()
    }

    /// Returns `true` if a call on an input that the gate knows may run without anything else. One on a device has the
    /// device to evaluate, and a future its end to tell.
    pub(crate) fn may_decide_at_once(&self) -> bool {
        !self.is_async() && self.device.is_none()
    }

    /// Returns true for the name of a generic type or constant, of the function or of the block around it.
    pub fn is_generic(&self, name: &Ident) -> bool {
        self.generics.contains(name) || self.owner.iter().any(|owner| owner.generics.contains(name))
    }

    /// The path of the function in documentation, without `r#`: `Csr::multiply`.
    pub fn title(&self) -> String {
        let name = self.signature.ident.unraw().to_string();
        self.owner.as_ref().map_or_else(|| name.clone(), |owner| format!("{}::{name}", owner.name))
    }

    /// The variant that a clone is of, or the variant itself.
    pub fn original<'f>(&'f self, variant: &'f Variant) -> &'f Variant {
        variant.target.as_ref().map_or(variant, |target| &self.variants[target.original])
    }

    /// Returns true where the variant is compiled for other processors too.
    pub fn has_clones(&self, variant: &Variant) -> bool {
        let mut clones = self.variants.iter().filter(|own| own.target.is_some());
        variant.target.is_none() && clones.any(|own| self.original(own).name == variant.name)
    }

    /// The variants that are no clones.
    pub fn originals(&self) -> impl Iterator<Item = &Variant> {
        self.variants.iter().filter(|own| own.target.is_none())
    }

    /// Whether a variant has tuning parameters: then `Choice` is a type of its own.
    pub fn has_parameters(&self) -> bool {
        self.variants.iter().any(|variant| !variant.parameters.is_empty())
    }
}

impl Variant {
    /// Its parameter of generated code, which is the only one then.
    pub fn artifact(&self) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.kind == ParameterKind::Artifact)
    }

    /// Returns true where it takes a value of its configuration's type: for parameters that are no constants.
    pub fn takes_configuration(&self) -> bool {
        self.parameters.iter().any(|parameter| !parameter.is_const)
    }

    /// Its constraint, if it asks anything of an input. A configuration that parameters alone forbid never gets that
    /// far.
    pub fn input_constraint(&self) -> Option<&Constraint> {
        self.constraint.as_ref().filter(|constraint| constraint.of_the_input.is_some())
    }

    /// Returns true where the input or the call's tolerance may forbid it.
    pub fn is_conditional(&self) -> bool {
        self.input_constraint().is_some() || self.approximation.is_some()
    }
}

/// The mistakes, and what can be kept so that the rest of the user's code still compiles.
pub(crate) struct Refusal {
    /// The mistakes, at least one.
    pub errors: Errors,
    /// The part that can be kept.
    pub salvage: Salvage,
}

/// The rest of an input with mistakes.
pub(crate) enum Salvage {
    /// The function and a companion module; neither may be run.
    Companion(Box<CodeVariant>),
    /// The function alone.
    Function(Box<Item>),
    /// Not even the function.
    Nothing,
}

/// Checks what was written, beyond the mistakes already found in reading it. A method has a block around it.
pub(crate) fn check(
    mut options: Options,
    item: Item,
    owner: Option<Owner>,
    mut errors: Errors,
) -> Result<CodeVariant, Refusal> {
    let before = errors.len();
    signature::check(&item, owner.as_ref(), &mut errors);
    let signature_is_sound = errors.len() == before;
    attributes::check(&item, &mut errors);
    given(&options, owner.as_ref(), &mut errors);
    beside_the_block(&options, owner.as_ref(), &mut errors);
    approximations::one_with_the_other(&options.given, &mut errors);
    name_is_a_functions(options.name.as_ref(), &mut errors);
    nested::check(&options, &item.signature, &mut errors);

    let (signature, written) = (&item.signature, take(&mut options.variants));
    let mut features = features::check(take(&mut options.features), signature, &mut errors);
    hints::add(&written, &mut features, signature, &mut errors);
    let mut variants = variants::check(written, &features, signature, owner.as_ref(), &mut errors);
    let are_known = options.variants_are_known && !variants.is_empty();
    let default = options.default.take().filter(|_| are_known);
    let default =
        default.and_then(|default| default_is_a_variant(&default, (&variants, &features), &mut errors));
    if are_known {
        approximations::check(take(&mut options.approximate), &mut variants, default, &mut errors);
    }
    if !signature::could_have_a_body(&item.signature) {
        return Err(Refusal { errors, salvage: Salvage::Nothing });
    }
    if !signature_is_sound || variants.is_empty() {
        return Err(Refusal { errors, salvage: Salvage::Function(Box::new(item)) });
    }
    let function = function(options, item, owner, (features, variants, default.unwrap_or(0)));
    if errors.is_empty() {
        Ok(function)
    } else {
        Err(Refusal { errors, salvage: Salvage::Companion(Box::new(function)) })
    }
}

/// The function of what obeys the rules, its features, variants and default among it.
fn function(
    options: Options,
    item: Item,
    owner: Option<Owner>,
    (features, variants, default): (Vec<Feature>, Vec<Variant>, usize),
) -> CodeVariant {
    let module = owner
        .as_ref()
        .map_or_else(|| item.signature.ident.clone(), |owner| owner.module(&item.signature.ident));
    let generics_are_inferred = signature::generics_are_inferred(&item.signature);
    let (arguments, generics) = (signature::arguments(&item.signature), signature::generics(&item.signature));
    let signature = signature::outside(item.signature, owner.as_ref());
    let (named, impl_types) = impl_types::named(&signature);
    let (attributes, visibility) = around(owner.as_ref(), item.attributes, item.visibility);
    CodeVariant {
        krate: options.krate.unwrap_or_else(|| parse_quote!(::nitro)),
        arguments,
        generics,
        generics_are_inferred,
        attributes,
        visibility,
        signature,
        named,
        impl_types,
        owner,
        module,
        name: options.name,
        device: options.device,
        model: options.model,
        prepare: options.prepare,
        nested: nested::functions(options.nested),
        tolerance: options.tolerance,
        features,
        variants,
        default,
    }
}

/// Refuses options without variants, from which to choose, or without a default, on which to fall back.
fn given(options: &Options, owner: Option<&Owner>, errors: &mut Errors) {
    for key in ["variants", "default"] {
        if !options.given.iter().any(|given| given == key) {
            let message = format!("the option `{key}` is missing: write `{}`", parse::usage(key));
            errors.push(syn::Error::new(owner.map_or_else(Span::call_site, |owner| owner.at), message));
        }
    }
    if options.variants_are_known && options.variants.is_empty() {
        let key = options.given.iter().find(|key| *key == "variants");
        errors.at(key, "there are no variants: write `variants(first, second)`");
    }
}

/// Refuses `Self` in options that are evaluated beside a method's block.
fn beside_the_block(options: &Options, owner: Option<&Owner>, errors: &mut Errors) {
    let values = options.model.iter().chain(&options.prepare);
    values.for_each(|value| owner::names_no_self(owner, value, errors));
    options.approximate.iter().for_each(|own| owner::names_no_self(owner, &own.max_error, errors));
}

/// The attributes and the visibility of a function, with those of the block around it.
fn around(
    owner: Option<&Owner>,
    mut attributes: Vec<Attribute>,
    visibility: Visibility,
) -> (Vec<Attribute>, Visibility) {
    let Some(owner) = owner else { return (attributes, visibility) };
    attributes.splice(..0, owner.cfgs.iter().cloned());
    match owner.kind {
        OwnerKind::Trait => (attributes, owner.visibility.clone()),
        OwnerKind::Inherent | OwnerKind::Implementation(_) => (attributes, visibility),
    }
}

/// Checks the name as `nitro_core::name::check_function` does. It is a key in stores and `NITRO_FORCE`, and the name
/// of the model's file.
fn name_is_a_functions(name: Option<&LitStr>, errors: &mut Errors) {
    let Some(literal) = name else { return };
    let name = literal.value();
    if name.is_empty() {
        errors.at(literal, "the name is empty: write what stores and models should call the function");
    } else if name.len() > MAX_NAME_BYTES {
        errors.at(literal, format!("the name has {} bytes: write at most {MAX_NAME_BYTES}", name.len()));
    } else if let Some(sign) = name.replace("::", "").chars().find(|&letter| !is_of_name(letter)) {
        let message = format!(
            "the name contains {sign:?}: write it with letters, digits, `_`, `-`, and `::` between its parts"
        );
        errors.at(literal, message);
    } else if name.split("::").any(str::is_empty) {
        errors.at(literal, "the name has an empty part: write `::` between two parts only");
    }
}

/// Returns true for a letter of a name. Beyond ASCII that is everything that is seen: Rust's identifiers have
/// marks that are no letters.
fn is_of_name(letter: char) -> bool {
    match letter.is_ascii() {
        true => letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '#'),
        false => !letter.is_control() && !letter.is_whitespace(),
    }
}

/// Finds the default among the variants. It may run always, on every input and in every build, though not in every
/// configuration.
fn default_is_a_variant(
    default: &Ident,
    (variants, features): (&[Variant], &[Feature]),
    errors: &mut Errors,
) -> Option<usize> {
    let name = default.unraw().to_string();
    let Some(index) = variants.iter().position(|variant| variant.name == name) else {
        let known = quoted(variants.iter().filter(|own| own.target.is_none()).map(|own| &own.name));
        errors.at(default, format!("the default `{name}` is not a variant; the variants are {known}"));
        return None;
    };
    if let Some(own) = variants[index].artifact() {
        let message = format!(
            "the default `{name}` must be able to run in every program, and not every program has generated code: \
             choose another default"
        );
        errors.at(&own.name, message);
        return Some(index);
    }
    if let Some(condition) = variants[index].constraint.as_ref().and_then(|own| own.of_the_input.as_ref()) {
        let message = format!(
            "the default `{name}` must be admissible for every input: remove its constraint, or choose another default"
        );
        errors.at(condition, message);
    }
    if let Some(hint) = variants[index].hint {
        let message = format!(
            "the default `{name}` runs wherever no hint holds: remove its `prefer if`, or make the condition a feature"
        );
        errors.at(&features[hint].name, message);
    }
    if let Some(cfg) = variants[index].cfgs.first() {
        let message = format!(
            "the default `{name}` must exist in every build: remove its `#[cfg]`, or choose another default"
        );
        errors.at(cfg, message);
    }
    Some(index)
}
