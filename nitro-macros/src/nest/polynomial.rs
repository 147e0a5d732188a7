//! Polynomials of sizes and iterators: subscripts of slices that have several dimensions.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};

use proc_macro2::Ident;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{BinOp, Expr, Lit, Result, UnOp};

use super::elements::index;
use super::integers::quasi;
use super::ir::{Access, Affine};
use super::scope::{Meaning, Scope, at, bare, name};

/// The most factors of a product: an array with more dimensions than that has no kernel.
const MOST_FACTORS: usize = 8;

/// The most products of a sum.
const MOST_TERMS: usize = 1_000;

const TOO_LARGE: &str = "integers of a nest have 64 bits with a sign, and products have at most 8 factors: this is beyond \
    that";

const PRODUCTS: &str = "a product of sizes or iterators needs no cast: write it without `as`";

/// A factor of a product.
#[derive(Clone)]
pub(crate) enum Factor {
    /// A size or an iterator.
    Name(Ident),
    /// An integer of an array, with how it is written.
    Index(String, Access),
}

impl Factor {
    fn text(&self) -> String {
        match self {
            Factor::Name(name) => name.unraw().to_string(),
            Factor::Index(text, _) => text.clone(),
        }
    }
}

/// Factors in the order of their texts. Products of fewer factors come first, and multiplied by the same they keep
/// their order.
#[derive(Clone, Default)]
struct Product(Vec<Factor>);

impl Product {
    fn texts(&self) -> Vec<String> {
        self.0.iter().map(Factor::text).collect()
    }

    fn times(&self, other: &Product) -> Product {
        let mut factors = [&self.0[..], &other.0[..]].concat();
        factors.sort_by_key(Factor::text);
        Product(factors)
    }

    /// The other factors, if these are among them.
    fn without(&self, divisor: &Product) -> Option<Product> {
        let mut left = self.0.clone();
        for factor in &divisor.0 {
            let place = left.iter().position(|own| own.text() == factor.text())?;
            left.remove(place);
        }
        Some(Product(left))
    }
}

impl Ord for Product {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.texts().cmp(&other.texts()))
    }
}

impl PartialOrd for Product {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Product {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Product {}

/// A sum of multiples of products; no multiple is zero.
#[derive(Clone, Default)]
pub(crate) struct Polynomial(BTreeMap<Product, i64>);

impl Polynomial {
    /// A number alone.
    pub fn number(number: i64) -> Self {
        Self(
            BTreeMap::from([(Product::default(), number)]).into_iter().filter(|(_, own)| *own != 0).collect(),
        )
    }

    /// An integer of an array alone.
    fn index(expression: &Expr, access: Access) -> Self {
        let text = expression.to_token_stream().to_string().replace(" [", "[");
        Self(BTreeMap::from([(Product(vec![Factor::Index(text, access)]), 1)]))
    }

    /// Returns true where it is zero.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    fn add(&mut self, product: Product, coefficient: i64) -> Option<()> {
        let sum = self.0.get(&product).copied().unwrap_or(0).checked_add(coefficient)?;
        if sum == 0 {
            self.0.remove(&product)
        } else {
            self.0.insert(product, sum)
        };
        Some(())
    }

    /// The sum with so many times another one, where it fits.
    pub fn plus(mut self, other: &Self, factor: i64) -> Option<Self> {
        for (product, coefficient) in &other.0 {
            self.add(product.clone(), coefficient.checked_mul(factor)?)?;
        }
        Some(self)
    }

    /// The product, where it fits.
    pub fn times(&self, other: &Self) -> Option<Self> {
        let mut all = Self::default();
        for (left, one) in &self.0 {
            for (right, another) in &other.0 {
                let product = left.times(right);
                if product.0.len() > MOST_FACTORS || all.0.len() > MOST_TERMS {
                    return None;
                }
                all.add(product, one.checked_mul(*another)?)?;
            }
        }
        Some(all)
    }

    /// The quotient and the remainder, in which no product is a multiple of the divisor's last one. A number is divided
    /// towards zero.
    pub fn divided(mut self, divisor: &Self) -> Option<[Self; 2]> {
        let (last, number) = divisor.0.last_key_value()?;
        let (mut quotient, mut remainder) = (Self::default(), Self::default());
        while let Some((product, coefficient)) = self.0.pop_last() {
            let times = coefficient.checked_div(*number)?;
            let Some(part) = product.without(last).filter(|_| times != 0) else {
                remainder.add(product, coefficient)?;
                continue;
            };
            let rest = coefficient.checked_rem(*number)?;
            remainder.add(product.clone(), rest)?;
            self.add(product, coefficient - rest)?;
            let part = Self(BTreeMap::from([(part, times)]));
            self = self.plus(&part.times(divisor)?, -1)?;
            quotient = quotient.plus(&part, 1)?;
        }
        Some([quotient, remainder])
    }

    /// It as a sum, if it has no products and no integers of arrays.
    pub fn affine(&self) -> Option<Affine> {
        let mut affine = Affine::default();
        for (product, coefficient) in &self.0 {
            match &product.0[..] {
                [] => affine.constant = *coefficient,
                [Factor::Name(name)] => affine.terms.push((name.clone(), *coefficient)),
                _ => return None,
            }
        }
        Some(affine)
    }

    /// The factors of the only product that it is, not times a number.
    pub fn factors(&self) -> Option<&[Factor]> {
        match self.0.first_key_value() {
            Some((product, 1)) if self.0.len() == 1 => Some(&product.0),
            _ => None,
        }
    }

    /// The product of most factors.
    pub fn highest(&self) -> String {
        self.0.last_key_value().map_or(String::new(), |(product, _)| product.texts().join(" * "))
    }

    /// Its value, without integers of arrays.
    #[cfg(test)]
    pub fn evaluated(&self, values: &BTreeMap<String, i64>) -> i64 {
        let product = |(product, number): (&Product, &i64)| {
            number * product.texts().iter().map(|name| values[name]).product::<i64>()
        };
        self.0.iter().map(product).sum()
    }

    /// Returns true where there is an integer of an array in it.
    pub fn has_index(&self) -> bool {
        self.0.keys().any(|product| product.0.iter().any(|factor| matches!(factor, Factor::Index(..))))
    }

    /// The condition that this is greater than zero, or not less than that, without differences.
    pub fn compared(&self, relation: &str) -> String {
        let mut sides = [Self::default(), Self::default()];
        for (product, coefficient) in &self.0 {
            sides[usize::from(*coefficient < 0)].0.insert(product.clone(), coefficient.saturating_abs());
        }
        let [more, less] = sides;
        if relation == ">" { format!("{less} < {more}") } else { format!("{more} {relation} {less}") }
    }
}

impl From<Affine> for Polynomial {
    fn from(affine: Affine) -> Self {
        let names =
            affine.terms.into_iter().map(|(name, number)| (Product(vec![Factor::Name(name)]), number));
        let mut all = Self::number(affine.constant);
        for (product, coefficient) in names {
            // What does not fit is refused where the sum is read.
            let _ = all.add(product, coefficient);
        }
        all
    }
}

impl Display for Polynomial {
    /// Writes it as Rust does, products first.
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() {
            return f.write_str("0");
        }
        let by_sign =
            |negative: bool| self.0.iter().rev().filter(move |(_, number)| (**number < 0) == negative);
        for (at, (product, number)) in by_sign(false).chain(by_sign(true)).enumerate() {
            f.write_str(match (at, *number < 0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            })?;
            let number = (number.unsigned_abs() != 1 || product.0.is_empty())
                .then(|| number.unsigned_abs().to_string());
            let parts: Vec<String> = number.into_iter().chain(product.texts()).collect();
            f.write_str(&parts.join(" * "))?;
        }
        Ok(())
    }
}

/// Reads a polynomial.
pub(crate) fn polynomial(expression: &Expr, scope: &Scope) -> Result<Polynomial> {
    let expression = bare(expression);
    if let Some(read) = index(expression, scope) {
        return read.map(|access| Polynomial::index(expression, access));
    }
    let read = match expression {
        Expr::Binary(binary) => {
            let factor = match binary.op {
                BinOp::Add(_) => Some(1),
                BinOp::Sub(_) => Some(-1),
                BinOp::Mul(_) => None,
                _ => return quasi(expression, scope).map(Polynomial::from),
            };
            let [left, right] = [polynomial(&binary.left, scope)?, polynomial(&binary.right, scope)?];
            factor.map_or_else(|| left.times(&right), |factor| left.clone().plus(&right, factor))
        }
        Expr::Cast(cast) => match polynomial(&cast.expr, scope) {
            // What a product of sizes and iterators is, is not known.
            Ok(sum) if sum.affine().is_none() && !sum.has_index() => return at(cast, PRODUCTS),
            _ => return quasi(expression, scope).map(Polynomial::from),
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            Polynomial::default().plus(&polynomial(&unary.expr, scope)?, -1)
        }
        _ => match name(expression).map(|name| scope.meaning(name)) {
            Some(Ok(Meaning::Sum(sum))) => Some(sum.clone()),
            _ => return quasi(expression, scope).map(Polynomial::from),
        },
    };
    read.map_or_else(|| at(expression, TOO_LARGE), Ok)
}

/// Returns true where what is written names integers and nothing else that is known.
pub(crate) fn is_of_integers(expression: &Expr, scope: &Scope) -> bool {
    fn kinds(expression: &Expr, scope: &Scope, found: &mut [bool; 2]) {
        match bare(expression) {
            Expr::Binary(binary) => {
                kinds(&binary.left, scope, found);
                kinds(&binary.right, scope, found);
            }
            Expr::Unary(unary) => kinds(&unary.expr, scope, found),
            Expr::Cast(cast) if index(expression, scope).is_none() => {
                found[1] |= matches!(&*cast.ty.to_token_stream().to_string(), "f32" | "f64");
                kinds(&cast.expr, scope, found);
            }
            Expr::Lit(literal) => found[1] |= !matches!(literal.lit, Lit::Int(_)),
            other => match name(other).map(|name| scope.meaning(name)) {
                Some(Ok(Meaning::Integer | Meaning::Number(_) | Meaning::Sum(_))) => found[0] = true,
                Some(Err(_)) => {}
                _ => found[1] |= index(other, scope).is_none(),
            },
        }
    }
    let mut found = [false; 2];
    kinds(expression, scope, &mut found);
    found == [true, false]
}
