//! Small sets of values.

/// A set of values of a choice, by their positions: at most 64.
///
/// ```
/// use nitro_decide::Values;
///
/// let open = Values::of([0, 2, 5]);
/// assert_eq!(open.len(), 3);
/// assert!(open.has(2) && !open.has(1));
/// assert_eq!(open.without(Values::of([0])).iter().collect::<Vec<_>>(), [2, 5]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Values(u64);

impl Values {
    /// No value.
    pub const NONE: Self = Self(0);
    /// As many values as a choice may have.
    pub const MOST: usize = 64;

    /// The values at these positions.
    ///
    /// # Panics
    /// If one is 64 or more.
    #[must_use]
    pub fn of(positions: impl IntoIterator<Item = usize>) -> Self {
        positions.into_iter().fold(Self::NONE, |set, position| {
            assert!(position < Self::MOST, "a choice has at most {} values", Self::MOST);
            Self(set.0 | 1 << position)
        })
    }

    /// The first so many values, at most 64.
    #[must_use]
    pub fn first(count: usize) -> Self {
        Self(if count >= Self::MOST { u64::MAX } else { (1 << count) - 1 })
    }

    /// Returns how many there are.
    #[must_use]
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns true if there is none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns true if this one is among them.
    #[must_use]
    pub fn has(self, position: usize) -> bool {
        position < Self::MOST && self.0 >> position & 1 == 1
    }

    /// Those that are in both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Those that are in one or the other.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those that are not in the other.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns true if all of them are in the other.
    #[must_use]
    pub fn within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Their positions, ascending.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let position = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(position)
        })
    }

    /// Each of them alone, ascending.
    pub fn each(self) -> impl Iterator<Item = Self> {
        self.iter().map(|position| Self::of([position]))
    }

    /// The one that there is, if it is alone.
    #[must_use]
    pub fn only(self) -> Option<usize> {
        (self.len() == 1).then(|| self.0.trailing_zeros() as usize)
    }
}
