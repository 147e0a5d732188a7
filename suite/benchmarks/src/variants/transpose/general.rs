//! The decomposition for any shape: rows one at a time, columns in panels of a cache line.

use rayon::prelude::*;

use super::check_length;
use super::decomposition::Decomposition;
use super::panel::{PANEL_COLUMNS, Panel, par_panels};

/// Elements that one thread shuffles at least: fewer would not pay for waking another.
const TASK_ELEMENTS: usize = 16 * 1024;

/// One row of a panel, copied aside.
type PanelRow = [f64; PANEL_COLUMNS];

/// Columns to rows: the grid of the decomposition is the matrix as it is.
///
/// # Panics
/// If there are not rows times columns values.
pub fn c2r(values: &mut [f64], rows: usize, columns: usize) {
    check_length(values, rows, columns);
    if rows <= 1 || columns <= 1 {
        return;
    }
    let grid = Decomposition::new(rows, columns);
    if !grid.is_coprime() {
        for_each_panel(values, columns, |place, panel, copy| {
            rotate(&grid, place, panel, copy, Direction::Forth)
        });
    }
    let targets = grid.targets();
    for_each_row(values, columns, |index, row, copy| {
        copy.copy_from_slice(row);
        grid.for_each_target(&targets, index, |column, target| row[target] = copy[column]);
    });
    let sources = grid.row_sources();
    for_each_panel(values, columns, |place, panel, copy| shuffle(&sources, place, panel, copy));
}

/// Rows to columns: the grid of the decomposition is the transposed matrix, and its steps are undone.
///
/// # Panics
/// If there are not rows times columns values.
pub fn r2c(values: &mut [f64], rows: usize, columns: usize) {
    check_length(values, rows, columns);
    if rows <= 1 || columns <= 1 {
        return;
    }
    let grid = Decomposition::new(columns, rows);
    let sources = grid.row_sources();
    for_each_panel(values, rows, |place, panel, copy| shuffle_back(&sources, place, panel, copy));
    let targets = grid.targets();
    for_each_row(values, rows, |index, row, copy| {
        copy.copy_from_slice(row);
        grid.for_each_target(&targets, index, |column, target| row[column] = copy[target]);
    });
    if !grid.is_coprime() {
        for_each_panel(values, rows, |place, panel, copy| rotate(&grid, place, panel, copy, Direction::Back));
    }
}

/// Changes each row, given its index and room for a copy, on all threads of the pool.
fn for_each_row(values: &mut [f64], columns: usize, change: impl Fn(usize, &mut [f64], &mut [f64]) + Sync) {
    let rows = values.len() / columns;
    let task_rows = (TASK_ELEMENTS / columns).max(rows.div_ceil(8 * rayon::current_num_threads())).max(1);
    let change_all = |first: usize, rows: &mut [f64]| {
        let mut copy = vec![0.0; columns];
        for (index, row) in rows.chunks_exact_mut(columns).enumerate() {
            change(first + index, row, &mut copy);
        }
    };
    if rows <= task_rows || rayon::current_num_threads() == 1 {
        return change_all(0, values);
    }
    let tasks = values.par_chunks_mut(task_rows * columns).enumerate();
    tasks.for_each(|(task, rows)| change_all(task * task_rows, rows));
}

/// Changes each panel, given its first column, its width and room for a copy, on all threads of the pool.
fn for_each_panel(
    values: &mut [f64],
    columns: usize,
    change: impl Fn((usize, usize), &mut Panel<'_>, &mut [PanelRow]) + Sync,
) {
    let rows = values.len() / columns;
    let change = |copy: &mut Vec<PanelRow>, (first, mut panel): (usize, Panel<'_>)| match panel.width() {
        // Compiled once for the usual width, which is then a constant, and once for the last panel.
        PANEL_COLUMNS => change((first, PANEL_COLUMNS), &mut panel, copy),
        width => change((first, width), &mut panel, copy),
    };
    let min_panels = (TASK_ELEMENTS / (rows * PANEL_COLUMNS)).max(1);
    let panels = par_panels(values, columns).with_min_len(min_panels);
    panels.for_each_init(|| vec![[0.0; PANEL_COLUMNS]; rows], change);
}

/// Which way columns rotate.
#[derive(Clone, Copy)]
enum Direction {
    /// Each row receives a later one.
    Forth,
    /// Each row receives an earlier one.
    Back,
}

/// Rotates each column by its own amount.
#[inline(always)]
fn rotate(
    grid: &Decomposition,
    (first, width): (usize, usize),
    panel: &mut Panel<'_>,
    copy: &mut [PanelRow],
    direction: Direction,
) {
    let rows = panel.rows();
    for (row, copy) in copy.iter_mut().enumerate() {
        copy[..width].copy_from_slice(panel.row(row, width));
    }
    let mut sources: [usize; PANEL_COLUMNS] = std::array::from_fn(|lane| match direction {
        Direction::Forth => grid.rotation(first + lane) % rows,
        Direction::Back => (rows - grid.rotation(first + lane) % rows) % rows,
    });
    let mut row = 0;
    while row < rows {
        // As far as no column comes to its end, all go on side by side.
        let run = sources[..width].iter().map(|source| rows - source).fold(rows - row, usize::min);
        for step in 0..run {
            let part = panel.row(row + step, width);
            for lane in 0..width {
                part[lane] = copy[sources[lane] + step][lane];
            }
        }
        row += run;
        sources = sources.map(|source| if source + run == rows { 0 } else { source + run });
    }
}

/// Rotates each column by its index and then moves whole rows to where they belong.
///
/// Within the panel, columns rotate by a few rows more than its first one: that part keeps to neighbouring rows. What
/// all columns have in common is left to the move of whole rows.
#[inline(always)]
fn shuffle(sources: &[u32], (first, width): (usize, usize), panel: &mut Panel<'_>, copy: &mut [PanelRow]) {
    let rows = panel.rows();
    for row in 0..rows {
        let part = panel.row(row, width);
        for lane in 0..width {
            copy[earlier(row, lane, rows)][lane] = part[lane];
        }
    }
    let common = first % rows;
    for (row, &source) in sources.iter().enumerate() {
        panel.row(row, width).copy_from_slice(&copy[later(source as usize, common, rows)][..width]);
    }
}

/// Undoes [`shuffle`].
#[inline(always)]
fn shuffle_back(
    sources: &[u32],
    (first, width): (usize, usize),
    panel: &mut Panel<'_>,
    copy: &mut [PanelRow],
) {
    let rows = panel.rows();
    let common = first % rows;
    for (row, &source) in sources.iter().enumerate() {
        copy[later(source as usize, common, rows)][..width].copy_from_slice(panel.row(row, width));
    }
    for row in 0..rows {
        let part = panel.row(row, width);
        for lane in 0..width {
            part[lane] = copy[earlier(row, lane, rows)][lane];
        }
    }
}

/// The row that lies `lane` rows before, where the last row comes before the first.
fn earlier(row: usize, lane: usize, rows: usize) -> usize {
    if row >= lane { row - lane } else { (row + rows * PANEL_COLUMNS - lane) % rows }
}

/// The row that lies `common` rows behind, both below `rows`, where the first row comes behind the last.
fn later(row: usize, common: usize, rows: usize) -> usize {
    let sum = row + common;
    if sum >= rows { sum - rows } else { sum }
}
