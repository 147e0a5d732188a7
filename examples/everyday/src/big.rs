//! Products of big integers.

use std::fmt;

use dashu_int::UBig;
use nitro::code_variant;
use num_bigint::BigUint;

/// A natural number, in the form of each crate. They are made beforehand: an application has its numbers in one of
/// them, and would not convert them for a product.
#[derive(Clone, Debug)]
pub struct Natural {
    limbs: Vec<u64>,
    num: BigUint,
    dashu: UBig,
}

impl Natural {
    /// Makes a number of its 64-bit digits, the lowest first.
    #[must_use]
    pub fn new(limbs: Vec<u64>) -> Self {
        let bytes = to_bytes(&limbs);
        Self { num: BigUint::from_bytes_le(&bytes), dashu: UBig::from_le_bytes(&bytes), limbs }
    }

    /// Returns the number of 64-bit digits.
    #[must_use]
    pub fn digits(&self) -> usize {
        self.limbs.len()
    }
}

fn to_bytes(limbs: &[u64]) -> Vec<u8> {
    limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect()
}

/// A product in the form of the crate that made it.
pub enum Product {
    /// 64-bit digits, the lowest first.
    Limbs(Vec<u64>),
    /// Of `num-bigint`.
    Num(BigUint),
    /// Of `dashu-int`.
    Dashu(UBig),
}

impl Product {
    /// Returns the bytes of the number, the lowest first, none of them for zero.
    #[must_use]
    pub fn to_le_bytes(&self) -> Vec<u8> {
        let mut bytes = match self {
            Self::Limbs(limbs) => to_bytes(limbs),
            Self::Num(number) => number.to_bytes_le(),
            Self::Dashu(number) => number.to_le_bytes().into_vec(),
        };
        bytes.truncate(bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
        bytes
    }
}

impl PartialEq for Product {
    fn eq(&self, other: &Self) -> bool {
        self.to_le_bytes() == other.to_le_bytes()
    }
}

impl fmt::Debug for Product {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a number of {} bytes", self.to_le_bytes().len())
    }
}

/// Multiplies two natural numbers.
///
/// ```
/// use nitro_everyday::{Natural, big_product};
///
/// let (a, b) = (Natural::new(vec![0, 3]), Natural::new(vec![5]));
/// assert_eq!(big_product(&a, &b).to_le_bytes(), [0, 0, 0, 0, 0, 0, 0, 0, 15]);
/// ```
#[code_variant(
    name = "everyday::big_product",
    features(
        shorter = a.digits().min(b.digits()),
        longer = a.digits().max(b.digits()),
    ),
    variants(num, dashu, schoolbook),
    default = num,
    model = nitro::embedded_model!("models/everyday.big_product.model"),
)]
pub fn big_product(a: &Natural, b: &Natural) -> Product;

fn num(a: &Natural, b: &Natural) -> Product {
    Product::Num(&a.num * &b.num)
}

fn dashu(a: &Natural, b: &Natural) -> Product {
    Product::Dashu(&a.dashu * &b.dashu)
}

/// As at school: each digit of one number by all of the other.
fn schoolbook(a: &Natural, b: &Natural) -> Product {
    let (short, long) = if a.digits() < b.digits() { (&a.limbs, &b.limbs) } else { (&b.limbs, &a.limbs) };
    let mut sums = vec![0; short.len() + long.len()];
    for (place, digit) in short.iter().enumerate() {
        let mut carry = 0;
        for (sum, other) in sums[place..].iter_mut().zip(long) {
            let term = u128::from(*digit) * u128::from(*other) + u128::from(*sum) + u128::from(carry);
            (*sum, carry) = (term as u64, (term >> 64) as u64);
        }
        sums[place + long.len()] = carry;
    }
    Product::Limbs(sums)
}
