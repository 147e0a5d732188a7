//! Vectors, and matrices by vectors.

use nitro_nest::{Affine, Bounds, Builder, Expression, Nest, NestError};

use super::super::outline::{BLOCK, Kinds, LOADING, Outline, PLAIN, SUM, THREAD, UNROLLED, WIDE};
use super::super::space::{DecidedError, DecidedSpace};
use super::super::tiles::TileSizes;
use super::{at, set};
use crate::{Limits, Operation, Outer};

/// So many times a block may go on to the next of its elements.
const REPEATS: [u64; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Elements that are copied at once, or one.
const ONE_OR_FOUR: &[u64] = &[1, 4];

impl DecidedSpace {
    /// `y = alpha x + y`, of `n` elements.
    ///
    /// ```
    /// use nitro_decide::{DecidedSpace, Limits, TileSizes};
    ///
    /// let space = DecidedSpace::axpy(1 << 24, &TileSizes::full(), &Limits::default())?;
    /// assert!(space.root().count(100_000).is_some());
    /// # Ok::<(), nitro_decide::DecidedError>(())
    /// ```
    ///
    /// # Errors
    /// When the size gives a choice more values than it may have, or leaves nothing.
    pub fn axpy(n: u64, tiles: &TileSizes, limits: &Limits) -> Result<Self, DecidedError> {
        let mut outline = Outline::new(axpy_nest(n)?);
        let levels = |last: Kinds| {
            [(&tiles.strips[..], UNROLLED), (&tiles.threads[..], THREAD), (&tiles.neighbours[..], last)]
        };
        let all = [&[(&REPEATS[..], PLAIN)], &levels(UNROLLED)[..]].concat();
        let i = outline.dimension("i", n, BLOCK, &all);
        let shared = Outer { dimension: i, levels: 2 };
        let [x_i, y_i, store_i] =
            ["x_i", "y_i", "store_i"].map(|name| outline.inside(shared, name, &levels(WIDE)));
        let [x_array, y_array] = [0, 1];
        let [x, y, result] = ["x", "y", "result"].map(|name| outline.value(name));
        let mut load = |name: &str, value, array, dimension| {
            let meaning = set(at(value, &[dimension]), at(array, &[dimension]));
            outline.statement(name, Operation::Load, &[dimension], &[], meaning)
        };
        let loads = [load("load x", x, x_array, x_i), load("load y", y, y_array, y_i)];
        let sum = Expression::Scalar(0) * at(x, &[i]) + at(y, &[i]);
        let fma = outline.statement("fma", Operation::Fma, &[i], &[], set(at(result, &[i]), sum));
        let meaning = set(at(y_array, &[store_i]), at(result, &[store_i]));
        let store = outline.statement("store", Operation::Store, &[store_i], &[], meaning);
        outline.passes(x, loads[0], fma, &[(x_i, i)]);
        outline.passes(y, loads[1], fma, &[(y_i, i)]);
        outline.passes(result, fma, store, &[(i, store_i)]);
        outline.finish(tiles, limits)
    }

    /// `y = a x`, of `m` × `k` elements, row-major; each sum is added up by one thread, in its order.
    ///
    /// ```
    /// use nitro_decide::{DecidedSpace, Limits, TileSizes};
    ///
    /// let space = DecidedSpace::matvec([4096, 1024], &TileSizes::full(), &Limits::default())?;
    /// assert!(space.root().estimate(20, 1).mean > 100.0);
    /// # Ok::<(), nitro_decide::DecidedError>(())
    /// ```
    ///
    /// # Errors
    /// As [`axpy`](Self::axpy).
    pub fn matvec([m, k]: [u64; 2], tiles: &TileSizes, limits: &Limits) -> Result<Self, DecidedError> {
        let mut rows = Rows::new(Outline::new(matvec_nest(m, k)?), [m, k], tiles);
        let [a_array, x_array, y_array] = [0, 1, 2];
        let y = rows.init(&["y"])[0];
        let a = rows.matrix("a", a_array);
        let x = rows.vector("x", x_array);
        rows.sum("fma", y, a, x);
        let store_i = rows.results("store_i", WIDE);
        let meaning = set(at(y_array, &[store_i]), at(y.value, &[store_i]));
        let store = rows.outline.statement("store", Operation::Store, &[store_i], &[], meaning);
        rows.pass_sums(store, store_i);
        rows.outline.finish(tiles, limits)
    }

    /// `y = alpha a x + beta b x`, of `n` × `n` elements, row-major; each sum is added up by one thread, in its order.
    ///
    /// ```
    /// use nitro_decide::{DecidedSpace, Limits, TileSizes};
    ///
    /// let space = DecidedSpace::gesummv(4096, &TileSizes::full(), &Limits::default())?;
    /// assert!(space.root().estimate(20, 1).mean > 100.0);
    /// # Ok::<(), nitro_decide::DecidedError>(())
    /// ```
    ///
    /// # Errors
    /// As [`axpy`](Self::axpy).
    pub fn gesummv(n: u64, tiles: &TileSizes, limits: &Limits) -> Result<Self, DecidedError> {
        let mut rows = Rows::new(Outline::new(gesummv_nest(n)?), [n, n], tiles);
        let [a_array, b_array, x_array, y_array] = [0, 1, 2, 3];
        let sums = rows.init(&["u", "v"]);
        let (a, b) = (rows.matrix("a", a_array), rows.matrix("b", b_array));
        let x = rows.vector("x", x_array);
        rows.sum("fma u", sums[0], a, x);
        rows.sum("fma v", sums[1], b, x);
        let (add_i, store_i) = (rows.results("add_i", UNROLLED), rows.results("store_i", WIDE));
        let y = rows.outline.value("y");
        let [u, v] = [sums[0].value, sums[1].value].map(|value| at(value, &[add_i]));
        let sum = Expression::Scalar(0) * u + Expression::Scalar(1) * v;
        let add = rows.outline.statement("add", Operation::Fma, &[add_i], &[], set(at(y, &[add_i]), sum));
        let meaning = set(at(y_array, &[store_i]), at(y, &[store_i]));
        let store = rows.outline.statement("store", Operation::Store, &[store_i], &[], meaning);
        rows.pass_sums(add, add_i);
        rows.outline.passes(y, add, store, &[(add_i, store_i)]);
        rows.outline.finish(tiles, limits)
    }
}

/// Sums along the rows of matrices.
struct Rows<'a> {
    outline: Outline,
    tiles: &'a TileSizes,
    i: usize,
    k: usize,
    init_i: usize,
    /// The sums, each with the statement that adds it up.
    sums: Vec<(Made, usize)>,
}

/// A value, the statement that makes it, and its dimensions there.
#[derive(Clone, Copy)]
struct Made {
    value: usize,
    by: usize,
    /// Along rows, if it is.
    i: Option<usize>,
    /// Along the sum, if it is.
    k: Option<usize>,
}

impl<'a> Rows<'a> {
    fn new(mut outline: Outline, [m, k]: [u64; 2], tiles: &'a TileSizes) -> Self {
        let k = outline.dimension("k", k, PLAIN, &[(&tiles.sum, SUM)]);
        let levels = [(&tiles.threads[..], THREAD), (&tiles.rows[..], UNROLLED)];
        let i = outline.dimension("i", m, BLOCK, &levels);
        let init_i = outline.part_of(i, "init_i", &levels);
        Self { outline, tiles, i, k, init_i, sums: Vec::new() }
    }

    /// Rows of what comes after the sums.
    fn results(&mut self, name: &str, last: Kinds) -> usize {
        let TileSizes { threads, rows, .. } = self.tiles;
        self.outline.part_of(self.i, name, &[(threads, THREAD), (rows, last)])
    }

    fn init(&mut self, names: &[&str]) -> Vec<Made> {
        let init_i = self.init_i;
        let mut init = |name: &&str| {
            let value = self.outline.value(name);
            let name = if names.len() > 1 { format!("init {name}") } else { "init".to_owned() };
            let meaning = set(at(value, &[init_i]), 0.0);
            let by = self.outline.statement(&name, Operation::Init, &[init_i], &[], meaning);
            Made { value, by, i: Some(init_i), k: None }
        };
        names.iter().map(&mut init).collect()
    }

    fn matrix(&mut self, name: &str, array: usize) -> Made {
        let TileSizes { loading_threads, loaded, .. } = self.tiles;
        let rows = [(&loading_threads[..], THREAD), (&loaded[..], UNROLLED)];
        let i = self.outline.part_of(self.i, &format!("{name}_i"), &rows);
        let columns = [(&loading_threads[..], LOADING), (ONE_OR_FOUR, WIDE)];
        let k = self.outline.part_of(self.k, &format!("{name}_k"), &columns);
        let value = self.outline.staged(name, &[self.i, self.k]);
        let meaning = set(at(value, &[i, k]), at(array, &[i, k]));
        let by = self.outline.statement(&format!("load {name}"), Operation::Load, &[i, k], &[], meaning);
        Made { value, by, i: Some(i), k: Some(k) }
    }

    fn vector(&mut self, name: &str, array: usize) -> Made {
        let columns = [(&self.tiles.loading_threads[..], LOADING), (ONE_OR_FOUR, WIDE)];
        let k = self.outline.part_of(self.k, &format!("{name}_k"), &columns);
        let value = self.outline.staged(name, &[self.k]);
        let meaning = set(at(value, &[k]), at(array, &[k]));
        let by = self.outline.statement(&format!("load {name}"), Operation::Load, &[k], &[self.i], meaning);
        Made { value, by, i: None, k: Some(k) }
    }

    /// Adds the products of a matrix and a vector to a sum.
    fn sum(&mut self, name: &str, sum: Made, matrix: Made, vector: Made) {
        let (i, k) = (self.i, self.k);
        let more = at(sum.value, &[i]) + at(matrix.value, &[i, k]) * at(vector.value, &[k]);
        let meaning = set(at(sum.value, &[i]), more);
        let fma = self.outline.statement(name, Operation::Fma, &[i, k], &[], meaning);
        for made in [sum, matrix, vector] {
            let along = made.i.map(|own| (own, i)).into_iter().chain(made.k.map(|own| (own, k)));
            self.outline.passes(made.value, made.by, fma, &along.collect::<Vec<_>>());
        }
        self.sums.push((sum, fma));
    }

    /// Passes sums to a statement.
    fn pass_sums(&mut self, to: usize, dimension: usize) {
        for (sum, fma) in &self.sums {
            self.outline.passes(sum.value, *fma, to, &[(self.i, dimension)]);
        }
    }
}

fn axpy_nest(n: u64) -> Result<Nest, NestError> {
    let n = Affine::from(n as i64);
    let mut builder = Builder::new("axpy");
    let alpha = builder.scalar("alpha");
    let x = builder.input("x", [n.clone()]);
    let y = builder.in_out("y", [n.clone()]);
    builder.repeat("i", Bounds::new(0, n), |builder, i| {
        builder.assign(y.at([i]), alpha * x.at([i]) + y.at([i]));
    });
    builder.finish()
}

pub(super) fn matvec_nest(m: u64, k: u64) -> Result<Nest, NestError> {
    let [m, k] = [m, k].map(|size| Affine::from(size as i64));
    let mut builder = Builder::new("matvec");
    let a = builder.input("a", [m.clone(), k.clone()]);
    let x = builder.input("x", [k.clone()]);
    let y = builder.in_out("y", [m.clone()]);
    builder.repeat("i", Bounds::new(0, m), |builder, i| {
        builder.assign(y.at([i]), 0.0);
        builder.repeat("k", Bounds::new(0, k), |builder, k| {
            builder.assign(y.at([i]), y.at([i]) + a.at([i, k]) * x.at([k]));
        });
    });
    builder.finish()
}

pub(super) fn gesummv_nest(n: u64) -> Result<Nest, NestError> {
    let n = Affine::from(n as i64);
    let mut builder = Builder::new("gesummv");
    let (alpha, beta) = (builder.scalar("alpha"), builder.scalar("beta"));
    let [a, b] = ["a", "b"].map(|name| builder.input(name, [n.clone(), n.clone()]));
    let x = builder.input("x", [n.clone()]);
    let y = builder.in_out("y", [n.clone()]);
    let [u, v] = ["u", "v"].map(|name| builder.temporary(name, [n.clone()]));
    builder.repeat("i", Bounds::new(0, n.clone()), |builder, i| {
        builder.assign(u.at([i]), 0.0);
        builder.assign(v.at([i]), 0.0);
        builder.repeat("k", Bounds::new(0, n), |builder, k| {
            builder.assign(u.at([i]), u.at([i]) + a.at([i, k]) * x.at([k]));
            builder.assign(v.at([i]), v.at([i]) + b.at([i, k]) * x.at([k]));
        });
        builder.assign(y.at([i]), alpha * u.at([i]) + beta * v.at([i]));
    });
    builder.finish()
}
