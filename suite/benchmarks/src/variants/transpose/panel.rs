//! Narrow panels of columns, which threads change side by side.

use std::marker::PhantomData;

use rayon::prelude::*;

/// Columns of a panel: one cache line of doubles, so that no line is shared and each row's access moves a whole one.
pub(super) const PANEL_COLUMNS: usize = 8;

/// Some neighbouring columns of a matrix, row by row.
pub(super) struct Panel<'a> {
    /// The panel's first element.
    first: *mut f64,
    rows: usize,
    /// Columns of the panel.
    width: usize,
    /// Columns of the matrix.
    pitch: usize,
    matrix: PhantomData<&'a mut [f64]>,
}

// SAFETY: a panel is the only way to its elements, like the `&mut [f64]` that it stands for.
unsafe impl Send for Panel<'_> {}

/// Cuts a matrix into panels, each with the index of its first column.
pub(super) fn par_panels(
    values: &mut [f64],
    columns: usize,
) -> impl IndexedParallelIterator<Item = (usize, Panel<'_>)> {
    let rows = values.len() / columns;
    let panels = columns.div_ceil(PANEL_COLUMNS);
    let matrix = Matrix(values.as_mut_ptr());
    (0..panels).into_par_iter().map(move |panel| {
        let column = panel * PANEL_COLUMNS;
        let width = PANEL_COLUMNS.min(columns - column);
        let matrix = &matrix;
        // SAFETY: `column` is below `columns`, so the place is in the first row, which exists as there is a panel.
        let first = unsafe { matrix.0.add(column) };
        (column, Panel { first, rows, width, pitch: columns, matrix: PhantomData })
    })
}

/// The address of a matrix, for threads to find their panels.
struct Matrix(*mut f64);

// SAFETY: the address is only used to make panels, which are disjoint: each index of the iterator is taken once.
unsafe impl Sync for Matrix {}
// SAFETY: as above.
unsafe impl Send for Matrix {}

impl Panel<'_> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns, [`PANEL_COLUMNS`] but in the last panel.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The part of a row that lies in the panel. The width is given, not looked up, so that callers who know it when
    /// they are compiled move a row in a few vector instructions.
    #[inline(always)]
    pub fn row(&mut self, row: usize, width: usize) -> &mut [f64] {
        assert!(row < self.rows && width <= self.width);
        // SAFETY: the row exists and the panel's columns lie in it; no other panel has these columns, and the
        // borrow of `self` keeps others of this panel away.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(row * self.pitch), width) }
    }
}
