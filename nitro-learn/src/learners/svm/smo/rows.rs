//! Kernel rows, computed when first asked for and kept while there is room.

use super::problem::Kernel;

/// Memory for rows of one problem; several problems are solved at once, one a core.
const CACHE_BYTES: usize = 192 << 20;

pub(super) struct RowCache<'a> {
    kernel: &'a dyn Kernel,
    /// The place of a sample's row in `rows`.
    slots: Vec<Option<usize>>,
    rows: Vec<Row>,
    capacity: usize,
    /// The slot to give up next once the cache is full: oldest first.
    oldest: usize,
}

struct Row {
    sample: usize,
    values: Box<[f32]>,
}

impl<'a> RowCache<'a> {
    pub(super) fn new(kernel: &'a dyn Kernel) -> Self {
        Self::with_bytes(kernel, CACHE_BYTES)
    }

    pub(super) fn with_bytes(kernel: &'a dyn Kernel, bytes: usize) -> Self {
        let row_bytes = kernel.len().max(1) * size_of::<f32>();
        // Two rows are in use at a time.
        let capacity = (bytes / row_bytes).clamp(2, kernel.len().max(2));
        Self { kernel, slots: vec![None; kernel.len()], rows: Vec::new(), capacity, oldest: 0 }
    }

    pub(super) fn get(&mut self, sample: usize) -> &[f32] {
        let slot = self.slots[sample].unwrap_or_else(|| self.load(sample, None));
        &self.rows[slot].values
    }

    /// Both rows at once.
    pub(super) fn pair(&mut self, first: usize, second: usize) -> (&[f32], &[f32]) {
        let first = self.slots[first].unwrap_or_else(|| self.load(first, None));
        let second = self.slots[second].unwrap_or_else(|| self.load(second, Some(first)));
        (&self.rows[first].values, &self.rows[second].values)
    }

    fn load(&mut self, sample: usize, keep: Option<usize>) -> usize {
        let slot = self.free_slot(keep);
        let row = &mut self.rows[slot];
        row.sample = sample;
        self.kernel.row(sample, &mut row.values);
        self.slots[sample] = Some(slot);
        slot
    }

    fn free_slot(&mut self, keep: Option<usize>) -> usize {
        if self.rows.len() < self.capacity {
            self.rows.push(Row { sample: 0, values: vec![0.0; self.kernel.len()].into() });
            return self.rows.len() - 1;
        }
        if keep == Some(self.oldest) {
            self.oldest = (self.oldest + 1) % self.capacity;
        }
        let slot = self.oldest;
        self.slots[self.rows[slot].sample] = None;
        self.oldest = (slot + 1) % self.capacity;
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Product;

    impl Kernel for Product {
        fn len(&self) -> usize {
            5
        }
        fn row(&self, sample: usize, out: &mut [f32]) {
            out.iter_mut().enumerate().for_each(|(t, value)| *value = (sample * 10 + t) as f32);
        }
    }

    #[test]
    fn a_full_cache_gives_up_rows_but_never_the_one_in_use() {
        let mut rows = RowCache::with_bytes(&Product, 0);
        for (first, second) in [(0, 1), (1, 2), (2, 1), (3, 3), (4, 0), (0, 4), (2, 3)] {
            let (a, b) = rows.pair(first, second);
            assert_eq!((a[4], b[4]), ((first * 10 + 4) as f32, (second * 10 + 4) as f32));
            assert_eq!(rows.get(second)[0], (second * 10) as f32);
        }
        assert_eq!(rows.rows.len(), 2);
    }
}
