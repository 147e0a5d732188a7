//! Relations: the combinations of the values of one to three choices that are allowed.

use std::sync::Arc;

use super::values::Values;

/// The allowed combinations of a [`Rule::Table`](super::Rule::Table). Cheap to clone: many tables share one.
///
/// ```
/// use nitro_decide::Relation;
///
/// let smaller = Relation::new(&[3, 3], |values| values[0] < values[1]);
/// assert!(smaller.allows(&[0, 2]) && !smaller.allows(&[1, 1]));
/// ```
#[derive(Clone, Debug)]
pub struct Relation {
    pub(super) sizes: Vec<usize>,
    /// For each pair of values of the first two the values of the third; what is missing of three has one value.
    pub(super) thirds: Arc<[Values]>,
}

impl Relation {
    /// Creates the relation of choices with so many values; `allows` is asked once for each combination.
    ///
    /// # Panics
    /// Unless there are one to three sizes, each 1 to 64.
    #[must_use]
    pub fn new(sizes: &[usize], allows: impl Fn(&[usize]) -> bool) -> Self {
        assert!((1..=3).contains(&sizes.len()), "a relation is over one to three choices");
        assert!(sizes.iter().all(|size| (1..=Values::MOST).contains(size)), "a choice has 1 to 64 values");
        // A choice that is not there has one value.
        let mut three = [1; 3];
        three[..sizes.len()].copy_from_slice(sizes);
        let mut thirds = Vec::with_capacity(three[0] * three[1]);
        for (first, second) in
            (0..three[0]).flat_map(|first| (0..three[1]).map(move |second| (first, second)))
        {
            let allowed = (0..three[2]).filter(|&third| allows(&[first, second, third][..sizes.len()]));
            thirds.push(Values::of(allowed));
        }
        Self { sizes: sizes.to_vec(), thirds: thirds.into() }
    }

    /// The combinations of this list.
    ///
    /// # Panics
    /// As [`Relation::new`].
    #[must_use]
    pub fn rows(sizes: &[usize], rows: &[&[usize]]) -> Self {
        Self::new(sizes, |values| rows.contains(&values))
    }

    /// Returns true if a combination is allowed.
    #[must_use]
    pub fn allows(&self, values: &[usize]) -> bool {
        let [first, second, third] = [0, 1, 2].map(|place| values.get(place).copied().unwrap_or(0));
        self.thirds.get(first * self.second() + second).is_some_and(|thirds| thirds.has(third))
    }

    /// Returns the values of each of the three for which there is a combination with what is open of the others.
    pub(super) fn supported(&self, open: [Values; 3]) -> [Values; 3] {
        let (mut firsts, mut seconds, mut thirds) = (Values::NONE, Values::NONE, Values::NONE);
        for first in open[0].iter() {
            for second in open[1].iter() {
                let found = self.thirds[first * self.second() + second].and(open[2]);
                if !found.is_empty() {
                    firsts = firsts.or(Values::of([first]));
                    seconds = seconds.or(Values::of([second]));
                    thirds = thirds.or(found);
                }
            }
        }
        [firsts, seconds, thirds]
    }

    fn second(&self) -> usize {
        self.sizes.get(1).copied().unwrap_or(1)
    }
}
