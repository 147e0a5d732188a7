//! Rules for target features, and the clones of a variant that are compiled with them.

use std::collections::BTreeSet;

use proc_macro2::Span;
use syn::{Ident, LitStr, Signature, parse_quote};

use super::{Owner, OwnerKind, Variant, names};
use crate::errors::{Errors, quoted};
use crate::parse;

/// The architectures whose features the standard library can detect.
const ARCHITECTURES: [&str; 3] = ["x86_64", "x86", "aarch64"];

/// A processor that a clone is compiled for.
#[derive(Clone)]
pub(crate) struct Target {
    /// One of `ARCHITECTURES`.
    pub architecture: String,
    /// The names of its features, at least one, in order.
    pub features: Vec<String>,
    /// The place where it is written.
    pub span: Span,
    /// Index of the variant that the clone is of.
    pub original: usize,
}

impl Target {
    /// Returns true for the same processor, in whatever order its features are named.
    fn is_same(&self, other: &Self) -> bool {
        let sets = [self, other].map(|own| own.features.iter().collect::<BTreeSet<_>>());
        self.architecture == other.architecture && sets[0] == sets[1]
    }
}

/// The clones of a variant, which is at this index.
pub(crate) fn clones(
    written: &[LitStr],
    original: &Variant,
    index: usize,
    (signature, owner): (&Signature, Option<&Owner>),
    errors: &mut Errors,
) -> Vec<Variant> {
    let Some(first) = written.first() else { return Vec::new() };
    is_no_future(first, signature, errors);
    is_compiled_here(first, original, errors);
    is_not_overridden(first, original, owner, errors);
    let mut clones: Vec<Variant> = Vec::new();
    for literal in written {
        let Some(target) = target(literal, index, errors) else { continue };
        if clones.iter().flat_map(|own| &own.target).any(|own| own.is_same(&target)) {
            errors.at(literal, "this target is given twice: keep one");
        } else {
            clones.push(clone(original, target));
        }
    }
    clones
}

/// Refuses `async`: the body runs when the future is polled, which is in no clone.
fn is_no_future(first: &LitStr, signature: &Signature, errors: &mut Errors) {
    if signature.asyncness.is_some() {
        let message = "the body of an `async fn` runs when it is polled, in no clone: remove `targets(..)`, and give \
            them to a function without `async` that does the work";
        errors.at(first, message);
    }
}

/// Refuses generated code: whoever generates it compiles it.
fn is_compiled_here(first: &LitStr, original: &Variant, errors: &mut Errors) {
    if original.artifact().is_some() {
        errors.at(first, "generated code is not compiled with the program: remove `targets(..)`");
    }
}

/// Refuses a method of a trait: an implementation may have another one, which the macro does not see.
fn is_not_overridden(first: &LitStr, original: &Variant, owner: Option<&Owner>, errors: &mut Errors) {
    let of_trait = owner.filter(|owner| matches!(owner.kind, OwnerKind::Trait));
    if of_trait.is_some_and(|owner| owner.declares(&original.path)) {
        let message = format!(
            "`{}` may be overridden where the trait is implemented, and is not cloned then: make it a function beside \
             the trait, under `#[cloneable]`",
            original.name
        );
        errors.at(first, message);
    }
}

/// Reads `x86_64+avx2+fma`.
fn target(literal: &LitStr, original: usize, errors: &mut Errors) -> Option<Target> {
    const USAGE: &str =
        "a target is written `x86_64+avx2+fma`, an architecture and features of its processors";
    let text = literal.value();
    let mut parts = text.split('+').map(str::to_owned);
    let architecture = parts.next().unwrap_or_default();
    let features: Vec<String> = parts.collect();
    let is_name = |name: &String| !name.is_empty() && name.chars().all(is_of_feature);
    if !ARCHITECTURES.contains(&&*architecture) {
        let known = quoted(ARCHITECTURES);
        errors.at(
            literal,
            format!("`{architecture}` is no architecture whose features can be detected, which are {known}: {USAGE}"),
        );
        return None;
    }
    if features.is_empty() || !features.iter().all(is_name) {
        errors.at(literal, USAGE);
        return None;
    }
    Some(Target { architecture, features, span: literal.span(), original })
}

/// Returns true for a letter of the name of a target feature, such as `sse4.2`.
fn is_of_feature(letter: char) -> bool {
    letter.is_ascii_lowercase() || letter.is_ascii_digit() || matches!(letter, '.' | '-' | '_')
}

/// The variant compiled for a target.
fn clone(original: &Variant, target: Target) -> Variant {
    let suffix = target.features.join("+");
    let words = format!("{}_{}", original.name, suffix.replace(['+', '.', '-'], "_"));
    let arm = Ident::new(&names::camel_case(&words), original.arm.span());
    let mut cfgs = original.cfgs.clone();
    let architecture = &target.architecture;
    cfgs.push(parse_quote!(#[cfg(target_arch = #architecture)]));
    Variant {
        name: format!("{}@{suffix}", original.name),
        arm,
        cfgs,
        was: original.was.iter().map(|own| format!("{own}@{suffix}")).collect(),
        target: Some(target),
        hint: None, // that of the original, which runs where nothing was learned
        ..original.clone()
    }
}

/// The number of variants, clones among them.
pub(crate) fn count(written: &[parse::Variant]) -> usize {
    written.iter().map(|own| 1 + own.targets.len()).sum()
}
