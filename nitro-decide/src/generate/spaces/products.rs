//! Matrix products.

use std::collections::BTreeSet;

use nitro_nest::{Affine, Bounds, Builder, Nest, NestError, Variable};

use super::super::outline::{BLOCK, LOADING, Outline, PLAIN, SUM, THREAD, UNROLLED, WIDE};
use super::super::space::{DecidedError, DecidedSpace};
use super::super::tiles::TileSizes;
use super::{at, set};
use crate::{Limits, Operation};

impl DecidedSpace {
    /// `c = a b`, of `m` × `k` and `k` × `n` elements, row-major.
    ///
    /// ```
    /// use nitro_decide::{DecidedSpace, Limits, TileSizes};
    ///
    /// let space = DecidedSpace::sgemm([1024; 3], &TileSizes::full(), &Limits::default())?;
    /// let estimate = space.root().estimate(20, 1);
    /// assert!(estimate.mean > 1e5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the sizes give a choice more values than it may have.
    pub fn sgemm([m, n, k]: [u64; 3], tiles: &TileSizes, limits: &Limits) -> Result<Self, DecidedError> {
        product(None, [m, n, k], tiles, limits)
    }

    /// `c[b] = a[b] b[b]` for each of a batch of so many products.
    ///
    /// ```
    /// use nitro_decide::{DecidedSpace, Limits, TileSizes};
    ///
    /// let space = DecidedSpace::batched_sgemm(64, [128; 3], &TileSizes::reduced(), &Limits::default())?;
    /// assert_eq!(space.nest().name(), "batched_sgemm");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`sgemm`](Self::sgemm).
    pub fn batched_sgemm(
        batch: u64,
        [m, n, k]: [u64; 3],
        tiles: &TileSizes,
        limits: &Limits,
    ) -> Result<Self, DecidedError> {
        product(Some(batch), [m, n, k], tiles, limits)
    }
}

fn product_nest(batch: Option<u64>, sizes: [u64; 3]) -> Result<Nest, NestError> {
    let [m, n, k] = sizes.map(|size| Affine::from(size as i64));
    let batch = batch.map(|batch| Affine::from(batch as i64));
    let mut builder = Builder::new(if batch.is_some() { "batched_sgemm" } else { "sgemm" });
    let shape = |rows: &Affine, columns: &Affine| -> Vec<Affine> {
        batch.iter().cloned().chain([rows.clone(), columns.clone()]).collect()
    };
    let a = builder.input("a", shape(&m, &k));
    let b = builder.input("b", shape(&k, &n));
    let c = builder.in_out("c", shape(&m, &n));
    let inside = |builder: &mut Builder, outer: Option<Variable>| {
        let element =
            |rows: Variable, columns: Variable| outer.into_iter().chain([rows, columns]).collect::<Vec<_>>();
        builder.repeat("i", Bounds::new(0, m.clone()), |builder, i| {
            builder.repeat("j", Bounds::new(0, n.clone()), |builder, j| {
                builder.assign(c.at(element(i, j)), 0.0);
                builder.repeat("k", Bounds::new(0, k.clone()), |builder, k| {
                    let more = a.at(element(i, k)) * b.at(element(k, j));
                    builder.assign(c.at(element(i, j)), c.at(element(i, j)) + more);
                });
            });
        });
    };
    match &batch {
        None => inside(&mut builder, None),
        Some(batch) => {
            builder.repeat("n", Bounds::new(0, batch.clone()), |builder, n| inside(builder, Some(n)))
        }
    }
    builder.finish()
}

fn product(
    batch: Option<u64>,
    [m, n, k]: [u64; 3],
    tiles: &TileSizes,
    limits: &Limits,
) -> Result<DecidedSpace, DecidedError> {
    let mut outline = Outline::new(product_nest(batch, [m, n, k])?);
    let TileSizes { threads, rows, strips, neighbours, sum, loading_threads, loaded, .. } = tiles;
    let wide: &[u64] = &[1, 4];
    // Of a row each thread needs as many neighbours as it has; to stage a tile, one or four are loaded.
    let wide_or_needed: Vec<u64> =
        BTreeSet::from_iter(neighbours.iter().chain(wide).copied()).into_iter().collect();
    let batch = batch.map(|batch| outline.dimension("n", batch, BLOCK, &[]));
    let within = |dimensions: &[usize]| -> Vec<usize> { batch.iter().chain(dimensions).copied().collect() };

    let of_k = outline.dimension("k", k, PLAIN, &[(sum, SUM)]);
    let of_rows = [(&threads[..], THREAD), (&rows[..], UNROLLED)];
    let of_columns = [(&strips[..], UNROLLED), (&threads[..], THREAD), (&neighbours[..], UNROLLED)];
    let wide_columns = [of_columns[0], of_columns[1], (&neighbours[..], WIDE)];
    let i = outline.dimension("i", m, BLOCK, &of_rows);
    let j = outline.dimension("j", n, BLOCK, &of_columns);
    let (init_i, init_j) =
        (outline.part_of(i, "init_i", &of_rows), outline.part_of(j, "init_j", &of_columns));
    let (store_i, store_j) =
        (outline.part_of(i, "store_i", &of_rows), outline.part_of(j, "store_j", &wide_columns));
    let a_i = outline.part_of(i, "a_i", &[(loading_threads, THREAD), (loaded, UNROLLED)]);
    let a_k = outline.part_of(of_k, "a_k", &[(loading_threads, LOADING), (wide, WIDE)]);
    let b_k = outline.part_of(of_k, "b_k", &[(loading_threads, LOADING)]);
    let b_j =
        outline.part_of(j, "b_j", &[(loaded, UNROLLED), (loading_threads, THREAD), (&wide_or_needed, WIDE)]);

    let [a_array, b_array, c_array] = [0, 1, 2];
    let (c, a, b) = (outline.value("c"), outline.staged("a", &[i, of_k]), outline.staged("b", &[of_k, j]));
    let [of_init, of_a, of_b, of_store] = [[init_i, init_j], [a_i, a_k], [b_k, b_j], [store_i, store_j]];
    let init = set(at(c, &of_init), 0.0);
    let init = outline.statement("init", Operation::Init, &within(&of_init), &[], init);
    let load_a = set(at(a, &of_a), at(a_array, &within(&of_a)));
    let load_a = outline.statement("load a", Operation::Load, &within(&of_a), &[j], load_a);
    let load_b = set(at(b, &of_b), at(b_array, &within(&of_b)));
    let load_b = outline.statement("load b", Operation::Load, &within(&of_b), &[i], load_b);
    let more = at(c, &[i, j]) + at(a, &[i, of_k]) * at(b, &[of_k, j]);
    let fma = set(at(c, &[i, j]), more);
    let fma = outline.statement("fma", Operation::Fma, &within(&[i, j, of_k]), &[], fma);
    let store = set(at(c_array, &within(&of_store)), at(c, &of_store));
    let store = outline.statement("store", Operation::Store, &within(&of_store), &[], store);
    let also = |pairs: &[(usize, usize)]| -> Vec<(usize, usize)> {
        batch.iter().map(|&batch| (batch, batch)).chain(pairs.iter().copied()).collect()
    };
    outline.passes(c, init, fma, &also(&[(init_i, i), (init_j, j)]));
    outline.passes(a, load_a, fma, &also(&[(a_i, i), (a_k, of_k)]));
    outline.passes(b, load_b, fma, &also(&[(b_k, of_k), (b_j, j)]));
    outline.passes(c, fma, store, &also(&[(i, store_i), (j, store_j)]));
    outline.finish(tiles, limits)
}
