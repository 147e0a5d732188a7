//! Dependences are those that all instances of small sizes have, exactly.

mod oracle;
mod queries;

use nitro_codegen::{Affine, Bounds, Builder, Condition, Expression, Nest, Relation, Variable};
use nitro_test_support::random::Random;

/// A nest of one or two loops and one to three statements, with everything drawn that can be.
fn drawn(seed: u64) -> Nest {
    let mut random = Random::new(seed);
    let mut builder = Builder::new("drawn");
    let n = builder.parameter("n");
    let arrays = [builder.in_out("x", [n.into()]), builder.in_out("a", [n.into(), n.into()])];
    let mut pick = move |end: u64| random.below(end) as i64;
    let mut affine = move |around: &[Variable]| {
        around.iter().fold(Affine::from(pick(4) - 1), |sum, variable| sum + *variable * (pick(4) - 1))
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

#[test]
fn of_drawn_nests_they_are_those_of_all_instances() {
    let sizes: Vec<Vec<i64>> = (0..=14).map(|n| vec![n]).collect();
    let mut count = 0;
    for seed in 0..150 {
        let nest = drawn(seed);
        let dependences = nest.dependences().unwrap();
        oracle::assert_are_those_of(&nest, &dependences, &sizes);
        count += dependences.all().len();
    }
    assert!(count > 300, "{count}: the nests drawn have dependences to find");
}
