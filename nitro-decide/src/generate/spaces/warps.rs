//! Matrices by vectors, each sum added up by a warp.

use nitro_nest::{Access, Affine, Expression, Variable};

use super::super::outline::{BLOCK, Outline, PLAIN, SUM, THREAD, UNROLLED};
use super::super::space::{DecidedError, DecidedSpace};
use super::super::tiles::TileSizes;
use super::vectors::{gesummv_nest, matvec_nest};
use super::{at, set};
use crate::{Limits, Operation};

/// Threads of a warp.
const LANES: u64 = 32;

impl DecidedSpace {
    /// `y = a x`, as [`matvec`](Self::matvec), but with each sum added up by the 32 threads of a warp, which read
    /// neighbours: in another order than that of the plain loops, so that results are as far off as
    /// [`Nest::run_with_bounds`](nitro_nest::Nest::run_with_bounds) says. Nothing is staged.
    ///
    /// ```
    /// use nitro_decide::{DecidedSpace, Limits, TileSizes};
    ///
    /// let space = DecidedSpace::matvec_by_warps([4096, 1024], &TileSizes::full(), &Limits::default())?;
    /// assert!(space.root().count(100_000).is_some());
    /// # Ok::<(), nitro_decide::DecidedError>(())
    /// ```
    ///
    /// # Errors
    /// As [`axpy`](Self::axpy), and when `k` is no multiple of 32.
    pub fn matvec_by_warps(
        [m, k]: [u64; 2],
        tiles: &TileSizes,
        limits: &Limits,
    ) -> Result<Self, DecidedError> {
        let mut rows = Rows::new(Outline::new(matvec_nest(m, k)?), [m, k], tiles)?;
        let y = rows.part("y", "init");
        let (a, x) = (rows.matrix("a", 0), rows.vector("x", 1));
        let fma = rows.sum("fma", y, a, x);
        rows.store(y.value, fma, 2);
        rows.outline.finish(tiles, limits)
    }

    /// `y = alpha a x + beta b x`, as [`gesummv`](Self::gesummv), but with each sum added up by the 32 threads of a
    /// warp, as by [`matvec_by_warps`](Self::matvec_by_warps).
    ///
    /// ```
    /// use nitro_decide::{DecidedSpace, Limits, TileSizes};
    ///
    /// let space = DecidedSpace::gesummv_by_warps(4096, &TileSizes::full(), &Limits::default())?;
    /// assert!(space.root().count(100_000).is_some());
    /// # Ok::<(), nitro_decide::DecidedError>(())
    /// ```
    ///
    /// # Errors
    /// As [`matvec_by_warps`](Self::matvec_by_warps).
    pub fn gesummv_by_warps(n: u64, tiles: &TileSizes, limits: &Limits) -> Result<Self, DecidedError> {
        let mut rows = Rows::new(Outline::new(gesummv_nest(n)?), [n, n], tiles)?;
        let (u, v) = (rows.part("u", "init u"), rows.part("v", "init v"));
        let (a, b, x) = (rows.matrix("a", 0), rows.matrix("b", 1), rows.vector("x", 2));
        let sums = [rows.sum("fma u", u, a, x), rows.sum("fma v", v, b, x)];
        let y = rows.outline.value("y");
        let dimensions = rows.rows("add");
        let [of_u, of_v] = [u, v].map(|part| at(part.value, &dimensions));
        let sum = Expression::Scalar(0) * of_u + Expression::Scalar(1) * of_v;
        let meaning = set(at(y, &dimensions), sum);
        let add = rows.outline.statement("add", Operation::Fma, &dimensions, &[], meaning);
        for (part, sum) in [u, v].into_iter().zip(sums) {
            rows.outline.passes(part.value, sum, add, &rows.pairs(&dimensions));
        }
        rows.store_from(y, add, dimensions, 3);
        rows.outline.finish(tiles, limits)
    }
}

/// Sums along the rows of matrices: thread `t` of a warp adds up every 32nd element of a row, from the `t`-th on.
struct Rows<'a> {
    outline: Outline,
    tiles: &'a TileSizes,
    /// Rows, threads of a warp, and what each of these adds up.
    dimensions: [usize; 3],
}

/// A value, the statement that makes it, and its dimensions there with those of the sum that they are.
#[derive(Clone, Copy)]
struct Made {
    value: usize,
    by: usize,
    i: Option<usize>,
    lane: usize,
    k: Option<usize>,
}

impl<'a> Rows<'a> {
    fn new(mut outline: Outline, [m, k]: [u64; 2], tiles: &'a TileSizes) -> Result<Self, DecidedError> {
        if !k.is_multiple_of(LANES) {
            let below = Some(k / LANES * LANES).filter(|&below| below > 0);
            let above = k.checked_next_multiple_of(LANES);
            return Err(DecidedError::Size { dimension: "k".to_owned(), size: k, below, above });
        }
        let of_k = outline.dimension("k", k / LANES, PLAIN, &[(&tiles.sum, SUM)]);
        let i = outline.dimension("i", m, BLOCK, &[(&tiles.threads, THREAD), (&tiles.rows, UNROLLED)]);
        let lane = outline.dimension("lane", LANES, THREAD, &[]);
        Ok(Self { outline, tiles, dimensions: [i, lane, of_k] })
    }

    /// Rows of a statement of its own, and its threads of a warp.
    fn rows(&mut self, name: &str) -> [usize; 2] {
        let levels = [(&self.tiles.threads[..], THREAD), (&self.tiles.rows[..], UNROLLED)];
        let i = self.outline.part_of(self.dimensions[0], &format!("{name}_i"), &levels);
        [i, self.lane(name)]
    }

    fn lane(&mut self, name: &str) -> usize {
        self.outline.dimension(&format!("{name}_lane"), LANES, THREAD, &[])
    }

    fn k(&mut self, name: &str) -> usize {
        self.outline.part_of(self.dimensions[2], &format!("{name}_k"), &[(&self.tiles.sum, UNROLLED)])
    }

    /// The part of a sum that a thread adds up.
    fn part(&mut self, name: &str, statement: &str) -> Made {
        let value = self.outline.value(name);
        let [i, lane] = self.rows(&statement.replace(' ', "_"));
        let meaning = set(at(value, &[i, lane]), 0.0);
        let by = self.outline.statement(statement, Operation::Init, &[i, lane], &[], meaning);
        Made { value, by, i: Some(i), lane, k: None }
    }

    fn matrix(&mut self, name: &str, array: usize) -> Made {
        let ([i, lane], k) = (self.rows(name), self.k(name));
        let value = self.outline.staged(name, &self.dimensions);
        let source = Access { array, subscripts: vec![subscript(i), element(lane, k)] };
        let meaning = set(at(value, &[i, lane, k]), source);
        let by =
            self.outline.statement(&format!("load {name}"), Operation::Load, &[i, lane, k], &[], meaning);
        Made { value, by, i: Some(i), lane, k: Some(k) }
    }

    fn vector(&mut self, name: &str, array: usize) -> Made {
        let (lane, k) = (self.lane(name), self.k(name));
        let [i, of_lane, of_k] = self.dimensions;
        let value = self.outline.staged(name, &[of_lane, of_k]);
        let meaning = set(at(value, &[lane, k]), Access { array, subscripts: vec![element(lane, k)] });
        let by = self.outline.statement(&format!("load {name}"), Operation::Load, &[lane, k], &[i], meaning);
        Made { value, by, i: None, lane, k: Some(k) }
    }

    /// Adds the products of a matrix and a vector to the parts of a sum.
    fn sum(&mut self, name: &str, part: Made, matrix: Made, vector: Made) -> usize {
        let [i, lane, k] = self.dimensions;
        let target = at(part.value, &[i, lane]);
        let more = target.clone() + at(matrix.value, &[i, lane, k]) * at(vector.value, &[lane, k]);
        let fma = self.outline.statement(name, Operation::Fma, &[i, lane, k], &[], set(target, more));
        for made in [part, matrix, vector] {
            let rows = made.i.map(|own| (own, i)).into_iter();
            let along: Vec<_> = rows.chain([(made.lane, lane)]).chain(made.k.map(|own| (own, k))).collect();
            self.outline.passes(made.value, made.by, fma, &along);
        }
        fma
    }

    fn pairs(&self, dimensions: &[usize; 2]) -> [(usize, usize); 2] {
        [(self.dimensions[0], dimensions[0]), (self.dimensions[1], dimensions[1])]
    }

    /// Adds the parts of the sums up, which the loops of the sum have made.
    fn store(&mut self, value: usize, fma: usize, array: usize) {
        let [i, lane, _] = self.dimensions;
        self.store_from(value, fma, [i, lane], array);
    }

    /// Adds the parts of the sums up, which a statement over these dimensions has made.
    fn store_from(&mut self, value: usize, from: usize, [i, lane]: [usize; 2], array: usize) {
        let own = self.rows("store");
        let meaning = set(Access { array, subscripts: vec![subscript(own[0])] }, at(value, &own));
        let store = self.outline.statement("store", Operation::Store, &own, &[], meaning);
        self.outline.passes(value, from, store, &[(i, own[0]), (lane, own[1])]);
        self.outline.adds_up(store, own[1]);
    }
}

fn subscript(dimension: usize) -> Affine {
    Variable::Iterator(dimension).into()
}

/// The element of a row that a thread adds to its part.
fn element(lane: usize, k: usize) -> Affine {
    subscript(k) * LANES as i64 + subscript(lane)
}
