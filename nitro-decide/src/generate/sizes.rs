//! Sizes that tiles divide.

use std::collections::BTreeSet;

use super::space::DecidedError;
use crate::Kernel;

/// Checks that some tiles divide each dimension, and what shares its outermost loops too. `tiles` are those of each
/// dimension's own levels.
pub fn check(kernel: &Kernel, tiles: &[Vec<Vec<u64>>]) -> Result<(), DecidedError> {
    for (at, dimension) in kernel.dimensions.iter().enumerate().filter(|(_, own)| own.outer.is_none()) {
        let (size, all) = (dimension.size, whole(kernel, tiles, at));
        if size == 0 || all.iter().any(|&tile| size.is_multiple_of(tile)) {
            continue;
        }
        let below = all.iter().map(|&tile| size / tile * tile).filter(|&below| below > 0).max();
        let above = all.iter().filter_map(|&tile| size.div_ceil(tile).checked_mul(tile)).min();
        return Err(DecidedError::Size { dimension: dimension.name.clone(), size, below, above });
    }
    Ok(())
}

/// Returns the sizes that all tiles of a dimension may make up together.
///
/// Those that share its outermost loops have to make up the same.
fn whole(kernel: &Kernel, tiles: &[Vec<Vec<u64>>], at: usize) -> BTreeSet<u64> {
    let parts: Vec<(usize, usize)> = (0..kernel.dimensions.len())
        .filter_map(|part| Some((part, kernel.dimensions[part].outer?)))
        .filter(|(_, outer)| outer.dimension == at)
        .map(|(part, outer)| (part, outer.levels - 1)) // the first level is what tiles leave
        .collect();
    let shared = parts.iter().map(|&(_, levels)| levels).min().unwrap_or(0).min(tiles[at].len());
    let mut inner = products(&tiles[at][shared..]);
    for (part, levels) in parts {
        let own = products(&tiles[part]);
        if levels == shared {
            inner.retain(|product| own.contains(product));
        }
    }
    let outer = products(&tiles[at][..shared]);
    outer.iter().flat_map(|outer| inner.iter().filter_map(move |inner| outer.checked_mul(*inner))).collect()
}

/// Multiplies one of each list.
fn products(lists: &[Vec<u64>]) -> BTreeSet<u64> {
    let mut products = BTreeSet::from([1_u64]);
    for list in lists {
        let pairs =
            products.iter().flat_map(|product| list.iter().filter_map(|tile| product.checked_mul(*tile)));
        products = pairs.filter(|&product| product > 0).collect();
    }
    products
}
