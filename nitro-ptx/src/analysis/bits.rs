//! Sets of small numbers.

/// A set of numbers below a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Vec<u64>,
    below: usize,
}

impl Bits {
    pub(crate) fn none(below: usize) -> Self {
        Self { words: vec![0; below.div_ceil(64)], below }
    }

    pub(crate) fn all(below: usize) -> Self {
        let mut all = Self { words: vec![u64::MAX; below.div_ceil(64)], below };
        if let Some(last) = all.words.last_mut().filter(|_| !below.is_multiple_of(64)) {
            *last = (1 << (below % 64)) - 1;
        }
        all
    }

    pub(crate) fn has(&self, number: usize) -> bool {
        self.words[number / 64] >> (number % 64) & 1 == 1
    }

    /// Puts a number into the set, and returns true if it was not there.
    pub(crate) fn insert(&mut self, number: usize) -> bool {
        let new = !self.has(number);
        self.words[number / 64] |= 1 << (number % 64);
        new
    }

    pub(crate) fn intersect(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(own, other)| *own &= other);
    }

    pub(crate) fn unite(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(own, other)| *own |= other);
    }

    /// Those that are there, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        (0..self.below).filter(|&number| self.has(number))
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn sets_hold_what_was_put_in() {
        let mut set = Bits::none(130);
        assert!(set.insert(129) && !set.insert(129) && set.insert(3));
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 129]);
        assert_eq!(Bits::all(130).iter().count(), 130);
        let mut other = Bits::none(130);
        other.insert(129);
        other.insert(5);
        other.intersect(&set);
        assert_eq!(other.iter().collect::<Vec<_>>(), [129]);
        set.unite(&Bits::all(130));
        assert_eq!(set, Bits::all(130));
    }
}
