//! One value in an entry, as far as anything can be meant by it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use crate::unique::Keys;

/// So many numbers of a list are kept; a run has some dozens of repeats.
const MAX_NUMBERS: usize = 1 << 16;

/// A value; of lists those of numbers are kept, of objects nothing.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Field {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    Numbers(Vec<f64>),
    Other,
}

impl Field {
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => number.as_f64(),
            _ => None,
        }
    }

    /// The numbers of a list, each so many times as large.
    pub(super) fn numbers(&self, factor: f64) -> Vec<f64> {
        match self {
            Self::Numbers(numbers) => numbers.iter().map(|number| number * factor).collect(),
            _ => Vec::new(),
        }
    }

    /// The value of a parameter, as one that may stand in the text of a configuration.
    pub(super) fn text(&self) -> Option<String> {
        match self {
            Self::Null => Some("null".to_owned()),
            Self::Bool(value) => Some(value.to_string()),
            Self::Number(number) => Some(number_text(number)),
            Self::Text(text) => Some(written(text)),
            Self::Numbers(numbers) => {
                let numbers: Vec<_> = numbers.iter().map(f64::to_string).collect();
                Some(format!("[{}]", numbers.join(";")))
            }
            Self::Other => None,
        }
    }
}

/// A text as the value of a parameter: commas, which separate parameters, become semicolons, and what would get lost
/// at the ends, or is nothing at all, stands in quotes.
fn written(text: &str) -> String {
    let has_ends = text.is_empty() || text.trim() != text;
    let own = text.replace(',', ";");
    let quoted = if has_ends { format!("\"{own}\"") } else { own };
    let mut written = String::with_capacity(quoted.len());
    for letter in quoted.chars() {
        match letter.is_control() {
            true => written.extend(letter.escape_default()),
            false => written.push(letter),
        }
    }
    written
}

/// `16.0` is the same value as `16`: which of them is written is up to who called the tuner.
fn number_text(number: &Number) -> String {
    match number.as_f64() {
        Some(value) if number.is_f64() => value.to_string(),
        _ => number.to_string(),
    }
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FieldVisitor)
    }
}

struct FieldVisitor;

impl<'de> Visitor<'de> for FieldVisitor {
    type Value = Field;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Field, E> {
        Ok(Field::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Field, E> {
        Ok(Field::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Field, E> {
        Ok(Field::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Field, E> {
        Ok(Field::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Field, E> {
        Ok(Number::from_f64(value).map_or(Field::Null, Field::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Field, E> {
        Ok(Field::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Field, A::Error> {
        let (mut numbers, mut is_other) = (Vec::new(), false);
        while let Some(field) = list.next_element::<Field>()? {
            match field.number() {
                Some(number) if numbers.len() < MAX_NUMBERS => numbers.push(number),
                _ => is_other = true,
            }
        }
        Ok(if is_other { Field::Other } else { Field::Numbers(numbers) })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Field, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Field::Other)
    }
}

/// An object whose order is kept, and whose names are there once.
pub(super) struct Fields(pub(super) Vec<(String, Field)>);

impl Fields {
    pub(super) fn get(&self, name: &str) -> Option<&Field> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, field)| field)
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let (mut fields, mut names) = (Vec::new(), Keys::default());
                while let Some(name) = map.next_key::<String>()? {
                    names.add(&name)?;
                    fields.push((name, map.next_value()?));
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}
