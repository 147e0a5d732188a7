//! Generated matrices.

use crate::inputs::InputError;
use crate::inputs::name::Name;
use crate::inputs::random::Random;
use crate::variants::spmv::Matrix;

/// Most rows and columns of a generated matrix.
const MAX_SIDE: u64 = 1 << 24;
/// Most entries drawn for a generated matrix.
const MAX_ENTRIES: u64 = 1 << 26;

/// The families of generated matrices.
const FAMILIES: [&str; 11] = [
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
];

/// What a family is, with its parameters for training and for testing.
const TRAIN: [(&str, &[&str]); 11] = [
    ("stencil2d", &["g20", "g45", "g100", "g200", "g320", "g450", "g14", "g70", "g150", "g260"]),
    ("stencil3d", &["g9", "g16", "g28", "g40", "g52", "g11", "g20", "g34"]),
    ("box2d", &["g16", "g36", "g75", "g150", "g270", "g24", "g55", "g100"]),
    ("box3d", &["g8", "g14", "g22", "g32", "g18"]),
    (
        "banded",
        &[
            "n400-w1-p100",
            "n3000-w1-p100",
            "n20000-w1-p100",
            "n90000-w1-p100",
            "n800-w8-p100",
            "n6000-w8-p60",
            "n30000-w10-p50",
            "n40000-w8-p100",
            "n2000-w40-p30",
            "n9000-w40-p20",
            "n15000-w25-p80",
            "n60000-w4-p60",
            "n1200-w2-p100",
            "n10000-w3-p80",
            "n5500-w15-p40",
            "n25000-w30-p30",
        ],
    ),
    (
        "blocks",
        &[
            "n500-k4-d2",
            "n3000-k6-d3",
            "n12000-k3-d5",
            "n30000-k6-d3",
            "n60000-k4-d2",
            "n1000-k8-d1",
            "n8000-k5-d4",
            "n22000-k8-d2",
        ],
    ),
    (
        "regular",
        &[
            "n600-k4",
            "n3000-k8",
            "n10000-k4",
            "n12000-k30",
            "n30000-k3",
            "n50000-k12",
            "n120000-k6",
            "n90000-k2",
            "n25000-k20",
            "n300-k60",
            "n1200-k16",
            "n6000-k5",
            "n20000-k10",
            "n5000-k50",
        ],
    ),
    (
        "random",
        &[
            "m700-n700-k5",
            "m4000-n4000-k10",
            "m20000-n20000-k4",
            "m40000-n40000-k15",
            "m120000-n120000-k5",
            "m30000-n3000-k6",
            "m3000-n30000-k40",
            "m8-n40000-k20000",
            "m3-n90000-k60000",
            "m150000-n9000-k1",
            "m1500-n1500-k12",
            "m10000-n10000-k25",
            "m12-n35000-k15000",
            "m60000-n500-k3",
        ],
    ),
    (
        "power",
        &[
            "n800-k5",
            "n5000-k8",
            "n20000-k6",
            "n40000-k12",
            "n100000-k5",
            "n60000-k3",
            "n12000-k40",
            "n2000-k12",
            "n10000-k4",
        ],
    ),
    ("rmat", &["n9-k6", "n11-k10", "n13-k8", "n14-k16", "n15-k6", "n15-k12", "n16-k8", "n10-k12", "n12-k6"]),
    (
        "outliers",
        &[
            "n700-k2",
            "n5000-k1",
            "n20000-k1",
            "n50000-k1",
            "n100000-k1",
            "n60000-k4",
            "n30000-k9",
            "n150000-k2",
            "n2500-k2",
            "n10000-k3",
            "n90000-k3",
        ],
    ),
];
/// As above.
const TEST: [(&str, &[&str]); 11] = [
    ("stencil2d", &["g30", "g140", "g380"]),
    ("stencil3d", &["g12", "g22", "g46"]),
    ("box2d", &["g25", "g110", "g220"]),
    ("box3d", &["g11", "g27"]),
    ("banded", &["n1500-w1-p100", "n50000-w1-p100", "n4000-w9-p70", "n20000-w12-p55", "n5000-w30-p40"]),
    ("blocks", &["n1800-k5-d2", "n20000-k4-d4"]),
    ("regular", &["n1500-k6", "n18000-k16", "n70000-k5", "n40000-k9"]),
    ("random", &["m2000-n2000-k7", "m30000-n30000-k8", "m80000-n80000-k6", "m5-n60000-k30000"]),
    ("power", &["n2500-k6", "n30000-k9", "n80000-k4"]),
    ("rmat", &["n10-k8", "n12-k14", "n14-k10"]),
    ("outliers", &["n2000-k1", "n40000-k2", "n80000-k1"]),
];

/// The names of the generated matrices, those for training first.
pub(super) fn names() -> Vec<String> {
    let mut names = Vec::new();
    for (split, families, seed) in [("train", TRAIN, 1), ("test", TEST, 2)] {
        for (family, parameters) in families {
            names
                .extend(parameters.iter().map(|parameters| format!("{split}/{family}-{parameters}-s{seed}")));
        }
    }
    names
}

/// Entries of a matrix in the making.
struct Builder {
    rows: u64,
    columns: u64,
    entries: Vec<(u32, u32, f64)>,
    random: Random,
}

/// Makes the matrix of a name.
pub(super) fn generate(mut name: Name<'_>) -> Result<Matrix, InputError> {
    let random = Random::new(name.take('s', 0, u64::MAX)?);
    let builder = match name.family {
        "stencil2d" => stencil(&mut name, random, 2, false),
        "stencil3d" => stencil(&mut name, random, 3, false),
        "box2d" => stencil(&mut name, random, 2, true),
        "box3d" => stencil(&mut name, random, 3, true),
        "banded" => banded(&mut name, random),
        "blocks" => blocks(&mut name, random),
        "regular" => regular(&mut name, random),
        "random" => uniform(&mut name, random),
        "power" => power(&mut name, random),
        "rmat" => rmat(&mut name, random),
        "outliers" => outliers(&mut name, random),
        _ => return Err(name.unknown_family(&FAMILIES)),
    }?;
    name.finish()?;
    Ok(builder.build())
}

impl Builder {
    fn new(rows: u64, columns: u64, random: Random) -> Builder {
        Builder { rows, columns, entries: Vec::new(), random }
    }

    /// Adds an entry of random value unless its column lies outside.
    fn add(&mut self, row: u64, column: i64) {
        if (0..self.columns as i64).contains(&column) {
            let value = self.random.unit() + 0.5;
            self.entries.push((row as u32, column as u32, value));
        }
    }

    /// Adds an entry at a random place of a row.
    fn add_anywhere(&mut self, row: u64) {
        let column = self.random.below_u64(self.columns) as i64;
        self.add(row, column);
    }

    fn build(self) -> Matrix {
        Matrix::from_entries(self.rows as usize, self.columns as usize, &self.entries)
            .expect("generators keep to rows, columns and entries below 2^32")
    }
}

/// Takes a parameter that many entries a row depend on; with `rows` rows there must not be too many altogether.
fn take_per_row(name: &mut Name<'_>, key: char, rows: u64) -> Result<u64, InputError> {
    name.take(key, 1, (MAX_ENTRIES / rows).max(1))
}

/// Points of a grid, each with itself and its neighbours: those along the axes, or with the diagonal ones.
fn stencil(
    name: &mut Name<'_>,
    random: Random,
    dimensions: u32,
    diagonal: bool,
) -> Result<Builder, InputError> {
    let side = name.take('g', 1, if dimensions == 2 { 2000 } else { 130 })? as i64;
    let points = side.pow(dimensions);
    let mut builder = Builder::new(points as u64, points as u64, random);
    let layers = if dimensions == 3 { -1..=1 } else { 0..=0 };
    let neighbours: Vec<[i64; 3]> = layers
        .flat_map(|z| (-1..=1).flat_map(move |y| (-1..=1).map(move |x| [x, y, z])))
        .filter(|steps| diagonal || steps.iter().filter(|step| **step != 0).count() <= 1)
        .collect();
    for point in 0..points {
        let place = [point % side, point / side % side, point / side / side];
        for steps in &neighbours {
            // Beyond the border of the grid there is no neighbour, though there is a column.
            if (0..3).all(|axis| steps[axis] == 0 || (0..side).contains(&(place[axis] + steps[axis]))) {
                builder.add(point as u64, point + steps[0] + side * (steps[1] + side * steps[2]));
            }
        }
    }
    Ok(builder)
}

/// A band of w diagonals on each side, p per cent of it filled.
fn banded(name: &mut Name<'_>, random: Random) -> Result<Builder, InputError> {
    let rows = name.take('n', 1, MAX_SIDE)?;
    let width = name.take('w', 0, (MAX_ENTRIES / rows / 2).max(1))? as i64;
    let per_cent = name.take('p', 1, 100)?;
    let mut builder = Builder::new(rows, rows, random);
    for row in 0..rows {
        for column in row as i64 - width..=row as i64 + width {
            if column == row as i64 || builder.random.below_u64(100) < per_cent {
                builder.add(row, column);
            }
        }
    }
    Ok(builder)
}

/// Dense blocks of k x k, one on the diagonal and d elsewhere near it in each block row, as finite elements give.
fn blocks(name: &mut Name<'_>, random: Random) -> Result<Builder, InputError> {
    let rows = name.take('n', 1, MAX_SIDE)?;
    let block = name.take('k', 1, 64)?;
    let more = take_per_row(name, 'd', rows * block)?;
    let mut builder = Builder::new(rows, rows, random);
    for first in (0..rows).step_by(block as usize) {
        let near = 40 * block;
        let mut starts = vec![first as i64];
        for _ in 0..more {
            let offset = builder.random.below_u64(2 * near) / block * block;
            starts.push((first + offset) as i64 - near as i64);
        }
        starts.sort_unstable();
        starts.dedup();
        for row in first..(first + block).min(rows) {
            for start in &starts {
                (*start..*start + block as i64).for_each(|column| builder.add(row, column));
            }
        }
    }
    Ok(builder)
}

/// k entries in every row, anywhere.
fn regular(name: &mut Name<'_>, random: Random) -> Result<Builder, InputError> {
    let rows = name.take('n', 1, MAX_SIDE)?;
    let per_row = take_per_row(name, 'k', rows)?;
    let mut builder = Builder::new(rows, rows, random);
    for row in 0..rows {
        (0..per_row).for_each(|_| builder.add_anywhere(row));
    }
    Ok(builder)
}

/// k entries a row on average, anywhere.
fn uniform(name: &mut Name<'_>, random: Random) -> Result<Builder, InputError> {
    let rows = name.take('m', 1, MAX_SIDE)?;
    let columns = name.take('n', 1, MAX_SIDE)?;
    let entries = rows * take_per_row(name, 'k', rows)?;
    let mut builder = Builder::new(rows, columns, random);
    for _ in 0..entries {
        let row = builder.random.below_u64(rows);
        builder.add_anywhere(row);
    }
    Ok(builder)
}

/// Rows whose lengths follow a power law, k entries on average and most rows shorter.
fn power(name: &mut Name<'_>, random: Random) -> Result<Builder, InputError> {
    let rows = name.take('n', 1, MAX_SIDE)?;
    let mean = take_per_row(name, 'k', rows)?;
    let mut builder = Builder::new(rows, rows, random);
    for row in 0..rows {
        // A Pareto law of exponent 2, whose mean is twice its least value.
        let length = mean as f64 / 2.0 / (1.0 - builder.random.unit()).sqrt();
        (0..(length as u64).min(rows)).for_each(|_| builder.add_anywhere(row));
    }
    Ok(builder)
}

/// A graph of 2^n nodes and k times as many edges, drawn into ever smaller quarters of the matrix (R-MAT).
fn rmat(name: &mut Name<'_>, random: Random) -> Result<Builder, InputError> {
    let levels = name.take('n', 1, 22)?;
    let nodes = 1 << levels;
    let edges = nodes * take_per_row(name, 'k', nodes)?;
    let mut builder = Builder::new(nodes, nodes, random);
    for _ in 0..edges {
        let (mut row, mut column) = (0, 0);
        for _ in 0..levels {
            let (down, right) = match builder.random.below_u64(100) {
                0..57 => (0, 0),
                57..76 => (0, 1),
                76..95 => (1, 0),
                _ => (1, 1),
            };
            (row, column) = (2 * row + down, 2 * column + right);
        }
        builder.add(row, column as i64);
    }
    Ok(builder)
}

/// A diagonal, and k rows that are filled by half.
fn outliers(name: &mut Name<'_>, random: Random) -> Result<Builder, InputError> {
    let rows = name.take('n', 1, MAX_SIDE)?;
    let long = name.take('k', 0, rows.min(MAX_ENTRIES / rows))?;
    let mut builder = Builder::new(rows, rows, random);
    for row in 0..rows {
        builder.add(row, row as i64);
        // Spread over the matrix, the first of them some way below its top.
        if long > 0 && (row + 1) % (rows / (long + 1) + 1) == 0 {
            (0..rows / 2).for_each(|_| builder.add_anywhere(row));
        }
    }
    Ok(builder)
}
