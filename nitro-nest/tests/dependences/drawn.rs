//! Nests drawn at random.

use nitro_nest::{Affine, Bounds, Builder, Condition, Expression, Nest, Relation, Variable};
use nitro_test_support::random::Random;

/// A nest of two loops and one to three statements, with everything drawn that can be. No access is out of bounds.
pub fn drawn(seed: u64) -> Nest {
    let mut random = Random::new(seed);
    let mut builder = Builder::new("drawn");
    let n = builder.parameter("n");
    let arrays = {
        let extent = n * 6 + 4;
        [builder.in_out("x", [extent.clone()]), builder.in_out("a", [extent.clone(), extent])]
    };
    let mut pick = move |end: u64| random.below(end) as i64;
    let mut affine = move |around: &[Variable]| {
        // Iterators are below `n`: from here no subscript is negative, and none is beyond `6 * n + 3`.
        let first = n * 2 + 1 + Affine::from(pick(4) - 1);
        around.iter().fold(first, |sum, variable| sum + *variable * (pick(4) - 1))
    };
    let mut random = Random::new(seed ^ 0x5eed);
    let mut pick = move |end: u64| random.below(end);
    let mut assign = |builder: &mut Builder, around: &[Variable], pick: &mut dyn FnMut(u64) -> u64| {
        let mut element = |which: u64| match which {
            0 => arrays[0].at([affine(around)]),
            _ => arrays[1].at([affine(around), affine(around)]),
        };
        let value = (0..pick(3)).fold(Expression::from(1.0), |sum, _| sum + element(pick(2)));
        let target = element(pick(2));
        builder.assign(target, value);
    };
    let outer = bounds(Affine::from(0), n.into(), pick(4));
    let (before, after, triangular, guarded, inner_kind) = (pick(2), pick(2), pick(2), pick(3), pick(4));
    builder.repeat("i", outer, |builder, i| {
        (0..before).for_each(|_| assign(builder, &[i], &mut pick));
        let upper = if triangular == 1 { i + 1 } else { n.into() };
        builder.repeat("j", bounds(Affine::from(0), upper, inner_kind), |builder, j| {
            let conditions = [Condition { relation: Relation::Greater, left: j + i, right: Affine::from(2) }];
            match guarded {
                0 => builder.only_if(conditions, |builder| assign(builder, &[i, j], &mut pick)),
                _ => assign(builder, &[i, j], &mut pick),
            }
        });
        (0..after).for_each(|_| assign(builder, &[i], &mut pick));
    });
    builder.finish().unwrap()
}

fn bounds(lower: Affine, upper: Affine, kind: u64) -> Bounds {
    match kind {
        0 => Bounds::new(lower, upper).reversed(),
        1 => Bounds::new(lower, upper).step_by(2),
        2 => Bounds::new(lower, upper.clone()).and_from(upper - 4),
        _ => Bounds::new(lower, upper),
    }
}
