//! An index of measurements by input.

use std::collections::HashMap;

use nitro_store::recordings::{Measurement, Recordings};

/// Measurements by input and variant. Spaces that were measured whole have so many that they are looked through
/// once, not once an input.
#[derive(Debug)]
pub struct ByInput {
    positions: HashMap<(usize, usize), Vec<usize>>,
}

impl ByInput {
    /// Creates the index of a function's recordings.
    pub fn new(recordings: &Recordings) -> Self {
        let mut positions: HashMap<_, Vec<usize>> = HashMap::new();
        for (at, one) in recordings.measurements.iter().enumerate() {
            positions.entry((one.input, one.variant)).or_default().push(at);
        }
        Self { positions }
    }

    /// In the order of the recordings, which are those that this was made of.
    pub fn of<'r>(
        &self,
        recordings: &'r Recordings,
        input: usize,
        variant: usize,
    ) -> impl Iterator<Item = &'r Measurement> {
        let positions = self.positions.get(&(input, variant)).map(Vec::as_slice).unwrap_or_default();
        positions.iter().map(|&at| &recordings.measurements[at])
    }
}
