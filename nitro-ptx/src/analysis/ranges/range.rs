//! Ranges of numbers.

/// The numbers from one to another, both included; registers hold them as signed ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) low: i128,
    pub(super) high: i128,
}

impl Range {
    pub(super) fn one(number: i128) -> Self {
        Self { low: number, high: number }
    }

    /// Returns all that a register of so many bits may hold.
    pub(super) fn all(bits: u16) -> Self {
        let half = 1i128 << (bits.clamp(1, 64) - 1);
        if bits == 1 { Self { low: 0, high: 1 } } else { Self { low: -half, high: half - 1 } }
    }

    /// Returns the number, if there is but one.
    pub(super) fn number(self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    /// Returns what holds the numbers of both.
    pub(super) fn joined(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Returns the numbers that are in both, if there are some.
    pub(super) fn common(self, other: Self) -> Option<Self> {
        let both = Self { low: self.low.max(other.low), high: self.high.min(other.high) };
        (both.low <= both.high).then_some(both)
    }

    /// Tells whether the same bits are the same number without a sign.
    pub(super) fn is_natural(self) -> bool {
        self.low >= 0
    }

    /// Returns the same where a register of so many bits holds it as it is, or else all that it may hold.
    pub(super) fn held(self, bits: u16) -> Self {
        let all = Self::all(bits);
        if self.common(all) == Some(self) { self } else { all }
    }

    /// Returns what holds all results of an operation that grows, or falls, with each operand.
    pub(super) fn corners(self, other: Self, of: impl Fn(i128, i128) -> i128) -> Self {
        let corners = [
            of(self.low, other.low),
            of(self.low, other.high),
            of(self.high, other.low),
            of(self.high, other.high),
        ];
        let low = corners.iter().copied().min().unwrap_or_default();
        Self { low, high: corners.iter().copied().max().unwrap_or_default() }
    }

    /// Returns what no bits but those below the highest one of either can be.
    pub(super) fn below_highest(self, other: Self) -> Self {
        let highest = self.high.max(other.high);
        Self { low: 0, high: (1i128 << (128 - highest.leading_zeros())) - 1 }
    }
}
