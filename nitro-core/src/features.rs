//! Features of slices and texts that look at a sample: their time is bounded, however long the slice is.
//!
//! Each looks at at most [`SAMPLE`] elements, or pairs of neighbours, at equal distances. So it takes some ten to some
//! hundred nanoseconds, more where the elements are in no cache. The same slice always gives the same value. What lies
//! between the sampled elements is not seen: few exceptions in a long slice are missed.
//!
//! ```
//! # use nitro_core as nitro;
//! use nitro::features::{distinct, sortedness, span};
//!
//! let keys = [10_u32, 20, 30, 30, 40];
//! assert_eq!((sortedness(&keys), distinct(&keys), span(&keys)), (1.0, 0.8, 30.0));
//! ```

use crate::FeatureValue;

/// The most elements, or pairs of neighbours, that a feature looks at.
pub const SAMPLE: usize = 64;

/// Elements at equal distances.
fn sampled<T>(values: &[T]) -> impl Iterator<Item = &T> {
    values.iter().step_by((values.len() / SAMPLE).max(1)).take(SAMPLE)
}

/// Returns a share of a number of things; 0 of nothing.
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Returns the share of sampled neighbours of which the second is not smaller: 1 of an ascending slice, 0.5 or a little
/// more of one in no order, 0 of a descending one; 1 where there are no two elements.
///
/// ```
/// use nitro_core::features::sortedness;
///
/// assert_eq!(sortedness(&[1, 2, 3, 2, 4]), 0.75);
/// assert_eq!((sortedness(&["b", "a"]), sortedness::<f64>(&[])), (0.0, 1.0));
/// ```
#[must_use]
pub fn sortedness<T: PartialOrd>(values: &[T]) -> f64 {
    let pairs = values.windows(2).step_by((values.len() / SAMPLE).max(1)).take(SAMPLE);
    let (count, smaller) =
        pairs.fold((0, 0), |(count, smaller), pair| (count + 1, smaller + usize::from(pair[1] < pair[0])));
    1.0 - share(smaller, count)
}

/// Returns the share of different elements among the sampled ones: 1 where none repeats; 0 of an empty slice. Of a
/// slice longer than the sample it says how many elements are alike, not how many different ones there are.
///
/// ```
/// use nitro_core::features::distinct;
///
/// assert_eq!(distinct(&[7, 5, 7, 7]), 0.5);
/// ```
#[must_use]
pub fn distinct<T: Ord>(values: &[T]) -> f64 {
    let Some(first) = values.first() else { return 0.0 };
    let mut sample = [first; SAMPLE];
    let count = sampled(values).zip(&mut sample).map(|(value, place)| *place = value).count();
    let sample = &mut sample[..count];
    sample.sort_unstable();
    let repeats = sample.windows(2).filter(|pair| pair[0] == pair[1]).count();
    share(count - repeats, count)
}

/// Returns the difference between the largest and the smallest sampled element; 0 of an empty slice.
///
/// ```
/// use nitro_core::features::span;
///
/// assert_eq!((span(&[3_u8, 250, 5]), span::<i32>(&[])), (247.0, 0.0));
/// ```
#[must_use]
pub fn span<T: FeatureValue + Copy>(values: &[T]) -> f64 {
    let numbers = sampled(values).map(|value| value.to_f64());
    let (least, most) = numbers
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), own| (own.min(least), own.max(most)));
    (most - least).max(0.0)
}

/// The shares of kinds of bytes in a text; together 1, unless it is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ByteClasses {
    /// ASCII letters.
    pub letters: f64,
    /// ASCII digits.
    pub digits: f64,
    /// ASCII spaces and ends of lines.
    pub spaces: f64,
    /// Other ASCII bytes: punctuation and control characters.
    pub others: f64,
    /// Bytes from 128 on: what is not ASCII in UTF-8.
    pub high: f64,
}

/// Returns which kinds of bytes a text has, by a sample.
///
/// ```
/// use nitro_core::features::byte_classes;
///
/// let classes = byte_classes("id: 42 é");
/// assert_eq!((classes.letters, classes.digits, classes.high), (2.0 / 9.0, 2.0 / 9.0, 2.0 / 9.0));
/// ```
#[must_use]
pub fn byte_classes(text: impl AsRef<[u8]>) -> ByteClasses {
    let (mut counts, mut count) = ([0; 5], 0);
    for byte in sampled(text.as_ref()) {
        let class = match byte {
            b'a'..=b'z' | b'A'..=b'Z' => 0,
            b'0'..=b'9' => 1,
            b' ' | b'\t' | b'\n' | b'\r' => 2,
            0..128 => 3,
            _ => 4,
        };
        counts[class] += 1;
        count += 1;
    }
    let [letters, digits, spaces, others, high] = counts.map(|own| share(own, count));
    ByteClasses { letters, digits, spaces, others, high }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However long a slice is, no more elements are looked at.
    #[test]
    fn no_more_than_the_sample_is_looked_at() {
        for length in [1, 63, 64, 65, 127, 128, 129, 1000, 1_000_003] {
            let values = vec![7_u8; length];
            let count = sampled(&values).count();
            assert!(count <= SAMPLE && count >= length.min(SAMPLE / 2), "{count} of {length}");
            assert_eq!((sortedness(&values), span(&values)), (1.0, 0.0));
            assert_eq!(distinct(&values), 1.0 / count as f64);
        }
    }

    #[test]
    fn the_order_of_long_slices_shows() {
        let ascending: Vec<u32> = (0..10_000).collect();
        let descending: Vec<u32> = ascending.iter().rev().copied().collect();
        let mixed: Vec<u32> = ascending.iter().map(|own| own.wrapping_mul(2_654_435_761)).collect();
        assert_eq!((sortedness(&ascending), sortedness(&descending)), (1.0, 0.0));
        assert!((0.3..0.7).contains(&sortedness(&mixed)));
        assert_eq!(distinct(&mixed), 1.0);
    }

    /// What has no order, as NaN, is smaller than nothing.
    #[test]
    fn what_is_no_number_is_in_order_and_has_no_span() {
        assert_eq!(sortedness(&[1.0, f64::NAN, 0.5]), 1.0);
        assert_eq!((span(&[1.0, f64::NAN, 3.0]), span(&[f64::NAN])), (2.0, 0.0));
    }

    #[test]
    fn kinds_of_bytes_add_up() {
        let classes = byte_classes("let x1 = \"ü\";\n".repeat(100));
        let ByteClasses { letters, digits, spaces, others, high } = classes;
        assert!((letters + digits + spaces + others + high - 1.0).abs() < 1e-12);
        assert_eq!(byte_classes(""), ByteClasses::default());
    }
}
