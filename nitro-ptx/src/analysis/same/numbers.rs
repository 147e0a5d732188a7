//! The numbers of values.

use std::collections::HashMap;

use crate::machine::symbolic::{Opcode, RoundedOnce, WIDENED};

/// The number of a value.
pub(super) type Value = u32;

/// What a value is computed from.
type Origin = (String, Vec<Value>);

/// Numbers of values, each of what it is computed from.
#[derive(Default)]
pub(super) struct Numbers {
    of: HashMap<Origin, Value>,
    origins: Vec<Origin>,
}

impl Numbers {
    pub(super) fn of(&mut self, what: &str, values: &[Value]) -> Value {
        let origin = (what.to_owned(), values.to_vec());
        if let Some(&known) = self.of.get(&origin) {
            return known;
        }
        self.origins.push(origin.clone());
        *self.of.entry(origin).or_insert(self.origins.len() as Value - 1)
    }

    /// Returns a value of 64 bits as the one of 32 bits that it is converted to, where that is rounded once.
    pub(super) fn narrowed(&mut self, wide: Value) -> Option<Value> {
        if let Some(exact) = self.exact(wide) {
            return Some(exact);
        }
        let (opcode, of) = self.origins[wide as usize].clone();
        let narrow = RoundedOnce::of(&opcode)?;
        let (&result, operands) = of.split_first()?;
        if narrow.adds_product && !operands[..2].iter().any(|&value| self.is_power(value)) {
            return None;
        }
        let mut values: Vec<Value> =
            operands.iter().map(|&value| self.exact(value)).collect::<Option<_>>()?;
        if Opcode::of(narrow.opcode).commutes {
            values[..2].sort_unstable();
        }
        Some(self.of(narrow.opcode, &[&[result], &values[..]].concat()))
    }

    /// Returns the float of 32 bits that a value of 64 bits is.
    fn exact(&mut self, wide: Value) -> Option<Value> {
        let (what, of) = &self.origins[wide as usize];
        match &of[..] {
            &[0, narrow] if what == WIDENED => Some(narrow),
            [] => {
                let narrow = self.number(wide).and_then(RoundedOnce::exact)?;
                Some(self.of(&format!("0f{:08X} ", narrow.to_bits()), &[]))
            }
            _ => None,
        }
    }

    /// Returns the number of 64 bits that a value is in all executions.
    fn number(&self, value: Value) -> Option<f64> {
        let digits = self.origins[value as usize].0.strip_prefix("0d")?;
        Some(f64::from_bits(u64::from_str_radix(digits.trim_end(), 16).ok()?))
    }

    fn is_power(&self, value: Value) -> bool {
        self.number(value).is_some_and(RoundedOnce::is_power)
    }
}
