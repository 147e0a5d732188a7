//! Bytes of memory, and which of them have been written.

/// Some memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bytes {
    pub(crate) data: Vec<u8>,
    /// A bit for each byte; none where all count as written.
    written: Option<Vec<u64>>,
}

impl Bytes {
    /// Memory that all has been written.
    pub(crate) fn written(data: Vec<u8>) -> Self {
        Self { data, written: None }
    }

    /// Memory that nobody has written.
    pub(crate) fn unwritten(data: Vec<u8>) -> Self {
        let written = Some(vec![0; data.len().div_ceil(64)]);
        Self { data, written }
    }

    /// Returns true if these bytes are there.
    pub(crate) fn has(&self, at: u64, length: u64) -> bool {
        at.checked_add(length).is_some_and(|end| end <= self.data.len() as u64)
    }

    pub(crate) fn is_written(&self, at: usize, length: usize) -> bool {
        self.written
            .as_ref()
            .is_none_or(|bits| (at..at + length).all(|byte| bits[byte / 64] >> (byte % 64) & 1 != 0))
    }

    pub(crate) fn note_written(&mut self, at: usize, length: usize) {
        if let Some(bits) = &mut self.written {
            (at..at + length).for_each(|byte| bits[byte / 64] |= 1 << (byte % 64));
        }
    }

    /// Up to eight bytes as a number.
    #[inline]
    pub(crate) fn get(&self, at: usize, length: usize) -> u64 {
        let mut bytes = [0; 8];
        bytes[..length].copy_from_slice(&self.data[at..at + length]);
        u64::from_le_bytes(bytes)
    }

    #[inline]
    pub(crate) fn set(&mut self, at: usize, length: usize, value: u64) {
        self.data[at..at + length].copy_from_slice(&value.to_le_bytes()[..length]);
        self.note_written(at, length);
    }

    /// Longer or shorter; what is new has not been written, and holds `filler`.
    pub(crate) fn resize(&mut self, length: usize, filler: u8) {
        let before = self.data.len();
        self.data.resize(length, filler);
        if let Some(bits) = &mut self.written {
            bits.resize(length.div_ceil(64), 0);
            // Bytes of an earlier frame that lay there do not count as written.
            for byte in before.min(length)..length.next_multiple_of(64).min(bits.len() * 64) {
                bits[byte / 64] &= !(1 << (byte % 64));
            }
        }
    }
}
