//! The graphs that `cuda_bfs` is measured on.

use crate::cuda::spmv::{Pattern, generators};
use crate::inputs::name::Name;
use crate::inputs::{InputError, NameProblem};

/// Searches of one graph.
pub const SOURCES: usize = 100;

/// Families that only graphs have; the others are those of sparse matrices.
const FAMILIES: [&str; 2] = ["ring", "hubs"];

/// Graphs for training, without seed. Long ways through a graph are many levels, so grids stay small.
const TRAIN: [(&str, &[&str]); 11] = [
    ("stencil2d", &["g12", "g24", "g40", "g64", "g100"]),
    ("stencil3d", &["g8", "g16", "g32", "g64", "g96"]),
    ("box2d", &["g16", "g48", "g110"]),
    ("box3d", &["g12", "g24", "g48", "g80"]),
    ("blocks", &["n1000-k8-d4", "n20000-k8-d4"]),
    (
        "regular",
        &[
            "n500-k3",
            "n500-k40",
            "n5000-k8",
            "n20000-k4",
            "n20000-k64",
            "n100000-k16",
            "n500000-k8",
            "n1500000-k10",
            "n3000000-k3",
        ],
    ),
    (
        "random",
        &[
            "m1000-n1000-k6",
            "m8000-n8000-k12",
            "m60000-n60000-k5",
            "m60000-n60000-k100",
            "m400000-n400000-k20",
            "m1500000-n1500000-k6",
        ],
    ),
    (
        "power",
        &["n800-k6", "n6000-k10", "n40000-k8", "n40000-k60", "n250000-k12", "n1000000-k8", "n2500000-k5"],
    ),
    (
        "rmat",
        &[
            "n10-k8", "n12-k16", "n14-k8", "n14-k64", "n16-k16", "n17-k32", "n18-k8", "n18-k48", "n19-k16",
            "n20-k12",
        ],
    ),
    ("ring", &["n2000-k4-p5", "n30000-k4-p2", "n30000-k20-p10", "n300000-k8-p10", "n1000000-k6-p20"]),
    ("hubs", &["n1000-k3-h2", "n20000-k2-h5", "n200000-k3-h10", "n1000000-k2-h4"]),
];
/// As above, for testing.
const TEST: [(&str, &[&str]); 11] = [
    ("stencil2d", &["g9", "g18", "g30", "g50", "g56", "g80", "g120"]),
    ("stencil3d", &["g6", "g11", "g22", "g26", "g45", "g55", "g80", "g110"]),
    ("box2d", &["g12", "g32", "g60", "g70", "g90"]),
    ("box3d", &["g9", "g18", "g34", "g40", "g64", "g72"]),
    ("blocks", &["n600-k6-d5", "n3000-k8-d6", "n8000-k4-d4", "n40000-k16-d4"]),
    (
        "regular",
        &[
            "n300-k5",
            "n700-k9",
            "n1000-k20",
            "n2500-k4",
            "n9000-k30",
            "n12000-k6",
            "n40000-k10",
            "n60000-k40",
            "n150000-k5",
            "n250000-k24",
            "n700000-k12",
            "n1000000-k4",
            "n2000000-k7",
        ],
    ),
    (
        "random",
        &[
            "m600-n600-k9",
            "m1500-n1500-k30",
            "m3000-n3000-k5",
            "m15000-n15000-k25",
            "m30000-n30000-k8",
            "m100000-n100000-k60",
            "m200000-n200000-k6",
            "m700000-n700000-k14",
            "m2000000-n2000000-k4",
        ],
    ),
    (
        "power",
        &[
            "n500-k9",
            "n1200-k30",
            "n2500-k6",
            "n12000-k20",
            "n20000-k5",
            "n80000-k12",
            "n100000-k40",
            "n160000-k6",
            "n400000-k9",
            "n600000-k18",
            "n1500000-k6",
            "n3000000-k4",
        ],
    ),
    (
        "rmat",
        &[
            "n9-k10", "n9-k60", "n10-k20", "n11-k8", "n12-k40", "n13-k12", "n13-k100", "n15-k10", "n15-k32",
            "n15-k100", "n16-k6", "n16-k40", "n17-k12", "n18-k20", "n19-k8", "n19-k24", "n20-k6", "n21-k5",
        ],
    ),
    (
        "ring",
        &[
            "n1000-k6-p8",
            "n5000-k4-p4",
            "n12000-k10-p6",
            "n50000-k6-p5",
            "n100000-k12-p10",
            "n150000-k4-p10",
            "n500000-k10-p15",
            "n800000-k5-p25",
            "n1500000-k8-p20",
        ],
    ),
    (
        "hubs",
        &[
            "n500-k4-h3",
            "n3000-k2-h2",
            "n8000-k3-h20",
            "n50000-k2-h3",
            "n80000-k4-h40",
            "n120000-k3-h4",
            "n300000-k2-h20",
            "n500000-k4-h6",
            "n1500000-k2-h8",
        ],
    ),
];

/// The names of the built-in graphs, those for training first.
#[must_use]
pub fn names() -> Vec<String> {
    let of =
        |split: &'static str, seed: u64, families: &'static [(&'static str, &'static [&'static str])]| {
            let name = move |family: &str, parameters: &str| format!("{split}/{family}-{parameters}-s{seed}");
            families
                .iter()
                .flat_map(move |(family, all)| all.iter().map(move |parameters| name(family, parameters)))
        };
    of("train", 1, &TRAIN).chain(of("test", 2, &TEST)).collect()
}

/// Makes a built-in graph: the ends of each vertex's edges.
///
/// # Errors
/// A name that is not a built-in one.
pub fn load(name: &str) -> Result<Pattern, InputError> {
    let mut name = Name::parse(name, "cuda_bfs")?;
    let seed = name.take('s', 0, u64::MAX)?;
    let pattern = match name.family {
        "ring" => ring(&mut name, seed),
        "hubs" => hubs(&mut name, seed),
        _ => generators::generate(&mut name, seed).unwrap_or_else(|| {
            Err(name.unknown_family(&[&FAMILIES[..], &generators::FAMILIES[..]].concat()))
        }),
    }?;
    name.finish()?;
    let (rows, columns) = (pattern.rows() as u64, pattern.columns() as u64);
    if rows == columns {
        Ok(pattern)
    } else {
        // An edge starts and ends among the same vertices.
        Err(name.error(NameProblem::Range { key: 'n', value: columns, min: rows, max: rows }))
    }
}

/// The vertices that a graph is searched from: random ones that edges leave, as far as there are any.
#[must_use]
pub fn sources(graph: &Pattern) -> Vec<u32> {
    let mut random = generators::random_of(graph.nonzeros() as u64, graph.rows() as u64);
    let mut draw = || {
        let draws: Vec<u32> = (0..64).map(|_| random.below_u64(graph.rows() as u64) as u32).collect();
        let with_edges = draws.iter().find(|vertex| !graph.range(**vertex as usize).is_empty());
        *with_edges.unwrap_or(&draws[0])
    };
    (0..SOURCES).map(|_| draw()).collect()
}

/// A small world: each vertex has edges to its k neighbours on a ring, of which p per cent lead anywhere instead.
fn ring(name: &mut Name<'_>, seed: u64) -> Result<Pattern, InputError> {
    let vertices = name.take('n', 3, 1 << 24)?;
    let neighbours = name.take('k', 1, 64)? as i64;
    let per_cent = name.take('p', 0, 100)?;
    Ok(Pattern::from_rows(vertices as usize, vertices as usize, |vertex, targets| {
        let mut random = generators::random_of(seed, vertex as u64);
        let first = vertex as i64 - neighbours / 2;
        let near = (first..=first + neighbours).filter(|target| *target != vertex as i64);
        targets.extend(near.map(|target| {
            let target = target.rem_euclid(vertices as i64);
            if random.below_u64(100) < per_cent { random.below_u64(vertices) as i64 } else { target }
        }));
    }))
}

/// k edges anywhere from every vertex, one edge from each to one of h hubs, and from a hub to a tenth of all vertices.
fn hubs(name: &mut Name<'_>, seed: u64) -> Result<Pattern, InputError> {
    let vertices = name.take('n', 2, 1 << 24)?;
    let edges = name.take('k', 0, 64)?;
    let hubs = name.take('h', 1, 1 << 10)?.min(vertices);
    Ok(Pattern::from_rows(vertices as usize, vertices as usize, |vertex, targets| {
        let mut random = generators::random_of(seed, vertex as u64);
        let count = if (vertex as u64) < hubs { vertices / 10 } else { edges };
        targets.push(random.below_u64(hubs) as i64);
        targets.extend((0..count).map(|_| random.below_u64(vertices) as i64));
    }))
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
    fn small_graphs_of_every_family_have_sources() {
        let mut seen = HashSet::new();
        for name in names() {
            let family = name.split(['/', '-']).nth(1).unwrap().to_owned();
            if seen.insert(family) {
                let graph = load(&name).unwrap_or_else(|error| panic!("{name}: {error}"));
                let sources = sources(&graph);
                assert_eq!(sources.len(), SOURCES, "{name}");
                assert!(sources.iter().all(|source| !graph.range(*source as usize).is_empty()), "{name}");
            }
        }
        assert_eq!(seen.len(), TRAIN.len());
    }

    #[test]
    fn a_graph_that_is_not_square_is_refused() {
        assert!(load("train/random-m10-n20-k2-s1").is_err());
        let message = load("train/tree-n20-s1").unwrap_err().to_string();
        assert!(
            message.contains("`tree`") && message.contains("hubs") && message.contains("rmat"),
            "{message}"
        );
    }
}
