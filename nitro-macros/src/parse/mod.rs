//! The options of the attribute as written, each with its key, and the item below it.
//!
//! After a mistake reading goes on at the next comma, so that one run of the compiler shows all of them.

mod block;
mod item;
mod list;
mod parameter;
mod separated;
mod usage;

pub(crate) use block::{Block, Container, Other, block};
pub(crate) use item::{Item, item};
pub(crate) use list::{Approximation, Feature, Variant};
pub(crate) use parameter::Parameter;
pub(crate) use usage::usage;

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, ExprLit, ExprPath, Ident, Lit, LitStr, Path, Result, Token};

use self::usage::{USAGE, expected};
use crate::errors::{Errors, nearest, quoted};

/// The options as written. Absent is what was not given or could not be read.
#[derive(Default)]
pub(crate) struct Options {
    /// The keys of all options that were given, readable or not.
    pub given: Vec<Ident>,
    /// `features(name = EXPR, ...)`
    pub features: Vec<Feature>,
    /// `variants(path if EXPR, exact(...), ...)`, the groups taken apart.
    pub variants: Vec<Variant>,
    /// True where all that stands in `variants(..)` could be read.
    pub variants_are_known: bool,
    /// `default = NAME`
    pub default: Option<Ident>,
    /// `approximate(name = EXPR over "TEXT", ...)`
    pub approximate: Vec<Approximation>,
    /// `tolerance = EXPR`
    pub tolerance: Option<Expr>,
    /// `name = "..."`
    pub name: Option<LitStr>,
    /// `device = EXPR`
    pub device: Option<Expr>,
    /// `model = EXPR`
    pub model: Option<Expr>,
    /// `prepare = FUNCTION`
    pub prepare: Option<Expr>,
    /// `nested(PATH, ...)`
    pub nested: Vec<ExprPath>,
    /// `crate = PATH`
    pub krate: Option<Path>,
}

/// Reads the options; mistakes go to `errors`.
pub(crate) fn options(arguments: TokenStream, errors: &mut Errors) -> Options {
    let mut options = Options::default();
    let read = Parser::parse2(
        |input: ParseStream| {
            separated::separated(input, errors, |input, errors| options.read(input, errors));
            Ok(())
        },
        arguments,
    );
    if let Err(error) = read {
        errors.push(error);
    }
    options
}

impl Options {
    fn read(&mut self, input: ParseStream, errors: &mut Errors) -> Result<()> {
        let key = input.call(Ident::parse_any).map_err(|error| {
            syn::Error::new(
                error.span(),
                format!("expected an option: {}", quoted(USAGE.map(|(key, _)| key))),
            )
        })?;
        self.give(&key)?;
        match key.to_string().as_str() {
            "features" => self.features = separated::parenthesised(&key, input, errors, list::feature)?,
            "variants" => self.read_variants(&key, input, errors)?,
            "default" => self.default = Some(name_of_variant(value(&key, input)?)?),
            "approximate" => {
                self.approximate = separated::parenthesised(&key, input, errors, list::approximation)?;
            }
            "tolerance" => self.tolerance = Some(value(&key, input)?),
            "name" => self.name = Some(literal(value(&key, input)?)?),
            "device" => self.device = Some(value(&key, input)?),
            "model" => self.model = Some(value(&key, input)?),
            "prepare" => self.prepare = Some(value(&key, input)?),
            "nested" => self.nested = separated::parenthesised(&key, input, errors, list::nested)?,
            "crate" => self.krate = Some(path(value(&key, input)?)?),
            _ => return Err(unknown(&key)),
        }
        separated::end_of_element(input, "after this option")
    }

    fn read_variants(&mut self, key: &Ident, input: ParseStream, errors: &mut Errors) -> Result<()> {
        let before = errors.len();
        self.variants = list::variants(key, input, errors)?;
        self.variants_are_known = errors.len() == before;
        Ok(())
    }

    /// Notes that an option is given, the first time.
    fn give(&mut self, key: &Ident) -> Result<()> {
        if self.given.contains(key) {
            return Err(syn::Error::new(key.span(), format!("the option `{key}` is given twice: keep one")));
        }
        self.given.push(key.clone());
        Ok(())
    }
}

fn unknown(key: &Ident) -> syn::Error {
    let known = USAGE.map(|(key, _)| key);
    let suggestion =
        nearest(&key.to_string(), known).map_or(String::new(), |near| format!(": did you mean `{near}`?"));
    syn::Error::new(
        key.span(),
        format!("unknown option `{key}`{suggestion}\nthe options are {}", quoted(known)),
    )
}

/// `= EXPR` after a key.
fn value(key: &Ident, input: ParseStream) -> Result<Expr> {
    if !input.peek(Token![=]) {
        return Err(expected(key, input));
    }
    input.parse::<Token![=]>()?;
    if input.is_empty() || input.peek(Token![,]) {
        return Err(expected(key, input));
    }
    input.parse()
}

fn name_of_variant(value: Expr) -> Result<Ident> {
    match &value {
        Expr::Path(ExprPath { qself: None, path, .. }) if path.get_ident().is_some() => {
            Ok(path.require_ident()?.clone())
        }
        Expr::Path(ExprPath { path, .. }) => {
            let last = path.segments.last().map_or(String::new(), |segment| segment.ident.to_string());
            Err(syn::Error::new_spanned(
                &value,
                format!("the default is named without its path: write `default = {last}`"),
            ))
        }
        _ => Err(syn::Error::new_spanned(
            &value,
            format!("the default is the name of a variant: write `{}`", usage("default")),
        )),
    }
}

fn literal(value: Expr) -> Result<LitStr> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(literal), .. }) => Ok(literal),
        other => Err(syn::Error::new_spanned(
            other,
            format!("the name is a string literal: write `{}`", usage("name")),
        )),
    }
}

fn path(value: Expr) -> Result<Path> {
    match value {
        Expr::Path(ExprPath { qself: None, path, .. })
            if path.segments.iter().all(|segment| segment.arguments.is_none()) =>
        {
            Ok(path)
        }
        other => Err(syn::Error::new_spanned(
            other,
            format!("this is not the path of a crate or module: write `{}`", usage("crate")),
        )),
    }
}
