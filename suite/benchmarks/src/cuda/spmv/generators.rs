//! Generated patterns. Every row has random numbers of its own, so that all cores make one pattern, the same
//! everywhere.

use crate::inputs::InputError;
use crate::inputs::name::Name;
use crate::inputs::random::Random;

use super::Pattern;

/// Most rows or columns.
const MAX_SIDE: u64 = 1 << 25;
/// Most entries.
const MAX_ENTRIES: u64 = 1 << 28;

/// The families of patterns.
pub(crate) const FAMILIES: [&str; 12] = [
    "stencil2d",
    "stencil3d",
    "box2d",
    "box3d",
    "banded",
    "blocks",
    "regular",
    "random",
    "power",
    "rmat",
    "outliers",
    "long",
];

/// The random numbers of a row.
pub(crate) fn random_of(seed: u64, row: u64) -> Random {
    Random::new(Random::new(seed ^ row.wrapping_mul(0xd6e8_feb8_6659_fd93)).next_u64())
}

/// Makes the pattern of a name, whose seed has been taken out of it; none if the family is not one of these.
pub(crate) fn generate(name: &mut Name<'_>, seed: u64) -> Option<Result<Pattern, InputError>> {
    Some(match name.family {
        "stencil2d" => stencil(name, 2, false),
        "stencil3d" => stencil(name, 3, false),
        "box2d" => stencil(name, 2, true),
        "box3d" => stencil(name, 3, true),
        "banded" => banded(name, seed),
        "blocks" => blocks(name, seed),
        "regular" => regular(name, seed),
        "random" => uniform(name, seed),
        "power" => power(name, seed),
        "rmat" => rmat(name, seed),
        "outliers" => outliers(name, seed),
        "long" => long(name, seed),
        _ => return None,
    })
}

/// Takes a parameter that many entries a row depend on.
fn take_per_row(name: &mut Name<'_>, key: char, rows: u64) -> Result<u64, InputError> {
    name.take(key, 1, (MAX_ENTRIES / rows).max(1))
}

/// Points of a grid, each with itself and its neighbours: those along the axes, or with the diagonal ones.
fn stencil(name: &mut Name<'_>, dimensions: u32, diagonal: bool) -> Result<Pattern, InputError> {
    let side = name.take('g', 1, if dimensions == 2 { 4000 } else { 250 })? as i64;
    Ok(grid(side, dimensions, diagonal))
}

/// As above, with the parameters given.
pub(crate) fn grid(side: i64, dimensions: u32, diagonal: bool) -> Pattern {
    let points = side.pow(dimensions);
    let layers = if dimensions == 3 { -1..=1 } else { 0..=0 };
    let neighbours: Vec<[i64; 3]> = layers
        .flat_map(|z| (-1..=1).flat_map(move |y| (-1..=1).map(move |x| [x, y, z])))
        .filter(|steps| diagonal || steps.iter().filter(|step| **step != 0).count() <= 1)
        .collect();
    Pattern::from_rows(points as usize, points as usize, |row, columns| {
        let point = row as i64;
        let place = [point % side, point / side % side, point / side / side];
        // Beyond the border of the grid there is no neighbour, though there is a column.
        let inside = |steps: &&[i64; 3]| {
            (0..3).all(|axis| steps[axis] == 0 || (0..side).contains(&(place[axis] + steps[axis])))
        };
        let column = |steps: &[i64; 3]| point + steps[0] + side * (steps[1] + side * steps[2]);
        columns.extend(neighbours.iter().filter(inside).map(column));
    })
}

/// A band of w diagonals on each side, p per cent of it filled.
fn banded(name: &mut Name<'_>, seed: u64) -> Result<Pattern, InputError> {
    let rows = name.take('n', 1, MAX_SIDE)?;
    let width = name.take('w', 0, (MAX_ENTRIES / rows / 2).max(1))? as i64;
    let per_cent = name.take('p', 1, 100)?;
    Ok(Pattern::from_rows(rows as usize, rows as usize, |row, columns| {
        let mut random = random_of(seed, row as u64);
        let row = row as i64;
        columns.extend(
            (row - width..=row + width).filter(|column| *column == row || random.below_u64(100) < per_cent),
        );
    }))
}

/// Dense blocks of k x k, one on the diagonal and d elsewhere near it in each block row, as finite elements give.
fn blocks(name: &mut Name<'_>, seed: u64) -> Result<Pattern, InputError> {
    let rows = name.take('n', 1, MAX_SIDE)?;
    let block = name.take('k', 1, 64)?;
    let more = take_per_row(name, 'd', rows * block)?;
    Ok(Pattern::from_rows(rows as usize, rows as usize, |row, columns| {
        let first = row as u64 / block * block;
        let mut random = random_of(seed, first); // one for all rows of the block
        let near = 40 * block;
        columns.extend(first as i64..(first + block) as i64);
        for _ in 0..more {
            let start = (first + random.below_u64(2 * near) / block * block) as i64 - near as i64;
            columns.extend(start..start + block as i64);
        }
    }))
}

/// k entries in every row, anywhere.
fn regular(name: &mut Name<'_>, seed: u64) -> Result<Pattern, InputError> {
    let rows = name.take('n', 1, MAX_SIDE)?;
    let per_row = take_per_row(name, 'k', rows)?;
    Ok(anywhere(rows, rows, seed, |_| per_row))
}

/// Rows with entries anywhere, as many as `length` says from the row's random numbers.
fn anywhere(rows: u64, columns: u64, seed: u64, length: impl Fn(&mut Random) -> u64 + Sync) -> Pattern {
    Pattern::from_rows(rows as usize, columns as usize, |row, row_columns| {
        let mut random = random_of(seed, row as u64);
        let length = length(&mut random);
        row_columns.extend((0..length).map(|_| random.below_u64(columns) as i64));
    })
}

/// Between 0 and 2k entries in a row, k on average, anywhere.
fn uniform(name: &mut Name<'_>, seed: u64) -> Result<Pattern, InputError> {
    let rows = name.take('m', 1, MAX_SIDE)?;
    let columns = name.take('n', 1, MAX_SIDE)?;
    let per_row = take_per_row(name, 'k', rows)?;
    Ok(anywhere(rows, columns, seed, |random| random.below_u64(2 * per_row + 1)))
}

/// Rows whose lengths follow a power law, k entries on average and most rows shorter.
fn power(name: &mut Name<'_>, seed: u64) -> Result<Pattern, InputError> {
    let rows = name.take('n', 1, MAX_SIDE)?;
    let mean = take_per_row(name, 'k', rows)?;
    Ok(anywhere(rows, rows, seed, |random| {
        // A Pareto law of exponent 2, whose mean is twice its least value.
        let length = mean as f64 / 2.0 / (1.0 - random.unit()).sqrt();
        (length as u64).min(rows)
    }))
}

/// A graph of 2^n vertices and k times as many edges, drawn into ever smaller quarters of the matrix (R-MAT).
fn rmat(name: &mut Name<'_>, seed: u64) -> Result<Pattern, InputError> {
    use rayon::prelude::*;

    let levels = name.take('n', 1, 22)?;
    let vertices = 1u64 << levels;
    let edges = vertices * take_per_row(name, 'k', vertices)?;
    let entry = |edge| {
        let mut random = random_of(seed, edge);
        (0..levels).fold(0u64, |entry, _| {
            let (down, right) = match random.below_u64(100) {
                0..57 => (0, 0),
                57..76 => (0, 1),
                76..95 => (1, 0),
                _ => (1, 1),
            };
            entry << 1 | down << 32 | right
        })
    };
    Ok(Pattern::from_entries(vertices as usize, (0..edges).into_par_iter().map(entry).collect()))
}

/// A diagonal, and k rows that are filled by half.
fn outliers(name: &mut Name<'_>, seed: u64) -> Result<Pattern, InputError> {
    let rows = name.take('n', 1, MAX_SIDE)?;
    let long = name.take('k', 0, rows.min(MAX_ENTRIES / rows))?;
    // Spread over the matrix, the first of them some way below its top.
    let step = rows / (long + 1) + 1;
    Ok(Pattern::from_rows(rows as usize, rows as usize, |row, columns| {
        columns.push(row as i64);
        if long > 0 && (row as u64 + 1).is_multiple_of(step) {
            let mut random = random_of(seed, row as u64);
            columns.extend((0..rows / 2).map(|_| random.below_u64(rows) as i64));
        }
    }))
}

/// A few rows of k entries.
fn long(name: &mut Name<'_>, seed: u64) -> Result<Pattern, InputError> {
    let rows = name.take('m', 1, 1 << 16)?;
    let per_row = take_per_row(name, 'k', rows)?;
    // Entries that fall together are one, so there is room for twice as many.
    Ok(anywhere(rows, 2 * per_row, seed, |_| per_row))
}
