//! The systems that `cuda_solver` is measured on.

use crate::cuda::spmv::{Csr, Pattern, generators};
use crate::inputs::InputError;
use crate::inputs::name::Name;

/// A linear system on the host.
#[derive(Debug)]
pub struct Problem {
    /// The matrix, square.
    pub matrix: Csr,
    /// Whether the matrix is positive definite by construction.
    pub positive_definite: bool,
    /// The right side.
    pub b: Vec<f64>,
}

/// The families.
const FAMILIES: [&str; 10] = [
    "diffusion2d",
    "diffusion3d",
    "jumps2d",
    "convection2d",
    "convection3d",
    "central2d",
    "blocks",
    "graph",
    "circuit",
    "bending",
];

/// Rows that the systems have, about.
const TRAIN: [u64; 3] = [2_500, 60_000, 800_000];
/// As above.
const TEST: [u64; 5] = [1_200, 9_000, 30_000, 200_000, 1_200_000];

/// Family and parameters besides the size: `h` is by how much the diagonal exceeds the sum of the row, in 1/10000.
const SHAPES: [(&str, &str); 23] = [
    ("diffusion2d", "-a1000-h30"),
    ("diffusion2d", "-a1000-h3"),
    ("diffusion2d", "-a20-h10"),
    ("diffusion3d", "-a1000-h10"),
    ("diffusion3d", "-a1000-h300"),
    ("diffusion3d", "-a30-h10"),
    ("diffusion3d", "-a20000-h10"),
    ("jumps2d", "-j2-h10"),
    ("jumps2d", "-j5-h30"),
    ("convection2d", "-c100-h30"),
    ("convection2d", "-c500-h100"),
    ("convection3d", "-c300-h10"),
    ("central2d", "-c60-h10"),
    ("central2d", "-c90-h30"),
    ("blocks", "-k8-w2-h5"),
    ("blocks", "-k16-w10-h10"),
    ("graph", "-k4-h100"),
    ("graph", "-k16-h3000"),
    ("circuit", "-k6-c100"),
    ("circuit", "-k12-c45"),
    ("circuit", "-k30-c60"),
    ("bending", "-h30"),
    ("bending", "-h300"),
];

/// The names of the built-in systems, those for training first.
#[must_use]
pub fn names() -> Vec<String> {
    let of = |split: &'static str, seed: u64, sizes: &'static [u64]| {
        let name = move |rows: &u64, (family, shape): (&str, &str)| {
            format!("{split}/{family}{}{shape}-s{seed}", size(family, *rows))
        };
        SHAPES.into_iter().flat_map(move |shape| sizes.iter().map(move |rows| name(rows, shape)))
    };
    of("train", 1, &TRAIN).chain(of("test", 2, &TEST)).collect()
}

/// The parameter that gives a system of about so many rows.
fn size(family: &str, rows: u64) -> String {
    match family {
        "diffusion3d" | "convection3d" => format!("-g{}", (rows as f64).cbrt() as u64),
        "diffusion2d" | "jumps2d" | "convection2d" | "central2d" => {
            format!("-g{}", (rows as f64).sqrt() as u64)
        }
        _ => format!("-n{rows}"),
    }
}

/// Makes a built-in system.
///
/// # Errors
/// A name that is not a built-in one.
pub fn load(name: &str) -> Result<Problem, InputError> {
    let mut name = Name::parse(name, "cuda_solver")?;
    let seed = name.take('s', 0, u64::MAX)?;
    let matrix = match name.family {
        "diffusion2d" => diffusion(&mut name, 2),
        "diffusion3d" => diffusion(&mut name, 3),
        "jumps2d" => jumps(&mut name, seed),
        "convection2d" => convection(&mut name, 2),
        "convection3d" => convection(&mut name, 3),
        "central2d" => central(&mut name),
        "blocks" => blocks(&mut name),
        "graph" => graph(&mut name, seed),
        "circuit" => circuit(&mut name, seed),
        "bending" => bending(&mut name),
        _ => Err(name.unknown_family(&FAMILIES)),
    }?;
    name.finish()?;
    let positive_definite =
        matches!(name.family, "diffusion2d" | "diffusion3d" | "jumps2d" | "blocks" | "graph" | "bending");
    let mut random = generators::random_of(!seed, 0);
    let b = (0..matrix.pattern().rows()).map(|_| random.unit() - 0.5).collect();
    Ok(Problem { matrix, positive_definite, b })
}

/// A matrix with these values off the diagonal, and on it what `diagonal` makes of the row's sum of magnitudes.
fn with_diagonal(
    pattern: Pattern,
    value: impl Fn(i64, i64) -> f64 + Sync,
    diagonal: impl Fn(f64) -> f64 + Sync,
) -> Csr {
    Csr::with_values(pattern, |row, columns, values| {
        let (mut sum, mut place) = (0.0, None);
        for (index, (column, out)) in columns.iter().zip(&mut *values).enumerate() {
            if *column as usize == row {
                place = Some(index);
            } else {
                *out = value(row as i64, i64::from(*column));
                sum += out.abs();
            }
        }
        let place = place.expect("patterns of systems have a diagonal");
        // A row of its own is 1.
        values[place] = if sum > 0.0 { diagonal(sum) } else { 1.0 };
    })
}

/// Takes `h`: the diagonal for a row's sum of magnitudes.
fn take_excess(name: &mut Name<'_>) -> Result<impl Fn(f64) -> f64 + Sync + use<>, InputError> {
    let excess = 1.0 + name.take('h', 1, 100_000)? as f64 / 1e4;
    Ok(move |sum| sum * excess)
}

/// Takes `g`: the grid and its side.
fn take_grid(name: &mut Name<'_>, dimensions: u32) -> Result<(Pattern, i64), InputError> {
    let side = name.take('g', 2, if dimensions == 2 { 4000 } else { 250 })? as i64;
    Ok((generators::grid(side, dimensions, false), side))
}

/// Diffusion on a grid, along the first axis a/1000 as fast as along the others.
fn diffusion(name: &mut Name<'_>, dimensions: u32) -> Result<Csr, InputError> {
    let (grid, side) = take_grid(name, dimensions)?;
    let slow = name.take('a', 1, 1_000_000)? as f64 / 1e3;
    let value = move |row: i64, column: i64| if (row - column).abs() == 1 && side > 1 { -slow } else { -1.0 };
    Ok(with_diagonal(grid, value, take_excess(name)?))
}

/// Diffusion on a plane whose cells differ by up to j powers of ten.
fn jumps(name: &mut Name<'_>, seed: u64) -> Result<Csr, InputError> {
    let (grid, _) = take_grid(name, 2)?;
    let decades = name.take('j', 0, 12)? as f64;
    let conductivity = move |cell: i64| 10f64.powf(decades * generators::random_of(seed, cell as u64).unit());
    let value = move |row: i64, column: i64| {
        // The smaller index first: both triangles come to the same bits.
        let (one, other) = (conductivity(row.min(column)), conductivity(row.max(column)));
        -2.0 * one * other / (one + other)
    };
    Ok(with_diagonal(grid, value, take_excess(name)?))
}

/// Diffusion and a stream c/100 as strong along all axes, by upwind differences: not symmetric, diagonally dominant.
fn convection(name: &mut Name<'_>, dimensions: u32) -> Result<Csr, InputError> {
    let (grid, _) = take_grid(name, dimensions)?;
    let stream = name.take('c', 0, 1_000_000)? as f64 / 100.0;
    let value = move |row: i64, column: i64| if column < row { -1.0 - stream } else { -1.0 };
    Ok(with_diagonal(grid, value, take_excess(name)?))
}

/// As above by central differences: not diagonally dominant for a strong stream.
fn central(name: &mut Name<'_>) -> Result<Csr, InputError> {
    let (grid, _) = take_grid(name, 2)?;
    let stream = name.take('c', 0, 10_000)? as f64 / 100.0;
    let value = move |row: i64, column: i64| if column < row { -1.0 - stream } else { -1.0 + stream };
    let excess = 1.0 + name.take('h', 1, 100_000)? as f64 / 1e4;
    // As the discretisation has it, whatever the stream.
    Ok(with_diagonal(grid, value, move |_| 4.0 * excess))
}

/// Points of k unknowns that depend strongly on each other, and by w/100 on those of the next points in a row.
fn blocks(name: &mut Name<'_>) -> Result<Csr, InputError> {
    let rows = name.take('n', 1, 1 << 24)? as i64;
    let block = name.take('k', 1, 32)? as i64;
    let weak = name.take('w', 1, 100)? as f64 / 100.0;
    let pattern = Pattern::from_rows(rows as usize, rows as usize, |row, columns| {
        let row = row as i64;
        let first = row / block * block;
        columns.extend(first..first + block);
        columns.extend([row - block, row + block]);
    });
    let value = move |row: i64, column: i64| if row / block == column / block { -1.0 } else { -weak };
    Ok(with_diagonal(pattern, value, take_excess(name)?))
}

/// The Laplacian of a random graph of k edges a vertex on average, weighted by up to 1, and more on its diagonal.
fn graph(name: &mut Name<'_>, seed: u64) -> Result<Csr, InputError> {
    use rayon::prelude::*;

    let vertices = name.take('n', 1, 1 << 24)?;
    let edges = vertices * name.take('k', 1, 64)? / 2;
    let both = |edge| {
        let mut random = generators::random_of(seed, edge);
        let (one, other) = (random.below_u64(vertices), random.below_u64(vertices));
        [one << 32 | other, other << 32 | one]
    };
    let diagonal = (0..vertices).into_par_iter().map(|vertex| vertex << 32 | vertex);
    let entries = (0..edges).into_par_iter().flat_map_iter(both).chain(diagonal).collect();
    let weight = move |row: i64, column: i64| {
        let edge = (row.min(column) as u64) << 32 | row.max(column) as u64;
        -generators::random_of(!seed, edge).unit() - 0.01
    };
    Ok(with_diagonal(Pattern::from_entries(vertices as usize, entries), weight, take_excess(name)?))
}

/// k entries of either sign anywhere in a row, and a diagonal of c/100 of the sum of their magnitudes: not symmetric.
fn circuit(name: &mut Name<'_>, seed: u64) -> Result<Csr, InputError> {
    let rows = name.take('n', 1, 1 << 24)?;
    let per_row = name.take('k', 1, 64)?;
    let share = name.take('c', 1, 10_000)? as f64 / 100.0;
    let pattern = Pattern::from_rows(rows as usize, rows as usize, |row, columns| {
        let mut random = generators::random_of(seed, row as u64);
        columns.push(row as i64);
        columns.extend((0..per_row).map(|_| random.below_u64(rows) as i64));
    });
    let value = move |row: i64, column: i64| {
        2.0 * generators::random_of(!seed, (row as u64) << 32 | column as u64).unit() - 1.0
    };
    Ok(with_diagonal(pattern, value, move |sum| sum * share))
}

/// The bending of a beam: the square of a second difference, which is not diagonally dominant.
fn bending(name: &mut Name<'_>) -> Result<Csr, InputError> {
    let rows = name.take('n', 1, 1 << 24)?;
    let pattern = Pattern::from_rows(rows as usize, rows as usize, |row, columns| {
        columns.extend(row as i64 - 2..=row as i64 + 2);
    });
    let value = |row: i64, column: i64| if (row - column).abs() == 1 { -4.0 } else { 1.0 };
    let excess = 1.0 + name.take('h', 1, 100_000)? as f64 / 1e4;
    Ok(with_diagonal(pattern, value, move |_| 6.0 * excess))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn there_are_enough_inputs_and_no_two_alike() {
        let names = names();
        let of = |split: &str| names.iter().filter(|name| name.starts_with(split)).count();
        assert!(of("train/") >= 60 && of("test/") >= 100, "{} and {}", of("train/"), of("test/"));
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
    }

    #[test]
    fn what_is_called_definite_is_symmetric_and_has_positive_energy() {
        for (family, shape) in SHAPES {
            let name = format!("test/{family}{}{shape}-s5", size(family, 400));
            let problem = load(&name).unwrap_or_else(|error| panic!("{name}: {error}"));
            let at = |row, column| {
                problem
                    .matrix
                    .row(row)
                    .find(|(other, _)| *other as usize == column)
                    .map_or(0.0, |(_, value)| value)
            };
            let rows = problem.matrix.pattern().rows();
            let is_symmetric = (0..rows)
                .all(|row| problem.matrix.row(row).all(|(column, value)| value == at(column as usize, row)));
            assert_eq!(is_symmetric, problem.positive_definite, "{name}");
            let product = problem.matrix.multiply(&problem.b);
            let energy: f64 = product.iter().zip(&problem.b).map(|(a, b)| a * b).sum();
            assert!(!problem.positive_definite || energy > 0.0, "{name}");
        }
    }

    #[test]
    fn unknown_families_are_named() {
        let message = load("train/heat-g10-s1").unwrap_err().to_string();
        assert!(message.contains("`heat`") && message.contains("diffusion3d"), "{message}");
    }
}
