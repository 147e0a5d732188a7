//! Nests drawn at random: three loops with all kinds of bounds around statements that read what can be staged and
//! write what can be in registers.

use nitro_nest::{
    Access, Affine, ArrayName, Bounds, Builder, Condition, Expression, Nest, Relation, Variable,
};
use nitro_test_support::random::Random;

/// Subscripts that are sums of some iterators and a constant, with their array: accesses that differ by constants
/// alone share it.
struct Read {
    array: ArrayName,
    linear: Vec<Affine>,
}

struct Draw {
    random: Random,
    sizes: [Affine; 3],
    results: [ArrayName; 3],
    reads: Vec<Read>,
    factor: Expression,
}

/// A nest whose sizes are `n`, `m` and `l`. No access is out of bounds; what is drawn of a sum may be added up in
/// any order.
pub fn drawn(seed: u64) -> Nest {
    let mut builder = Builder::new("drawn");
    let sizes = ["n", "m", "l"].map(|name| Affine::from(builder.parameter(name)));
    let factor = builder.scalar("factor");
    let [n, m, _] = sizes.clone();
    let results = [
        builder.in_out("x", [n.clone() + m.clone() + 1]),
        builder.in_out("y", [n.clone() + 1, m.clone() + 1]),
        builder.in_out("z", [m + 1, n + 1]),
    ];
    let mut draw = Draw { random: Random::new(seed), sizes, results, reads: Vec::new(), factor };
    builder.reassociate();
    draw.inputs(&mut builder);
    let outer = draw.bounds(0, &[]);
    builder.repeat("i", outer, |builder, i| {
        if draw.one_of(4) == 0 {
            draw.assign(builder, &[i]);
        }
        let inner = draw.bounds(1, &[i]);
        builder.repeat("j", inner, |builder, j| draw.inside(builder, [i, j]));
        if draw.one_of(4) == 0 {
            draw.assign(builder, &[i]);
        }
    });
    builder.finish().unwrap()
}

impl Draw {
    fn one_of(&mut self, end: u64) -> u64 {
        self.random.below(end)
    }

    /// Arrays that are read alone. Their extents are what the subscripts come to, and hardly more.
    fn inputs(&mut self, builder: &mut Builder) {
        for name in ["a", "b", "c"] {
            let dimensions = 1 + self.one_of(2);
            let (mut shape, mut linear) = (Vec::new(), Vec::new());
            for _ in 0..dimensions {
                let (mut extent, mut subscript) = (Affine::from(3), Affine::from(0));
                for (index, size) in self.sizes.iter().enumerate() {
                    let factor = [0, 0, 1, 1, 2, -1][self.random.below(6) as usize];
                    extent = extent + size.clone() * i64::abs(factor);
                    let first = if factor < 0 { size.clone() } else { Affine::from(0) };
                    subscript = subscript + first + Variable::Iterator(index) * factor;
                }
                shape.push(extent);
                linear.push(subscript);
            }
            self.reads.push(Read { array: builder.input(name, shape), linear });
        }
    }

    /// The loops over `k`, and what is around them.
    fn inside(&mut self, builder: &mut Builder, around: [Variable; 2]) {
        if self.one_of(2) == 0 {
            self.assign(builder, &around);
        }
        for name in ["k", "k_2"].iter().take(1 + self.one_of(4) as usize / 3) {
            let bounds = self.bounds(2, &around);
            let conditions = self.conditions(&around);
            builder.only_if(conditions, |builder| {
                builder.repeat(name, bounds, |builder, k| {
                    for _ in 0..1 + self.one_of(4) / 3 {
                        let conditions = self.conditions(&[around[0], around[1], k]);
                        builder.only_if(conditions, |builder| {
                            self.assign(builder, &[around[0], around[1], k]);
                        });
                    }
                });
            });
        }
        if self.one_of(2) == 0 {
            self.assign(builder, &around);
        }
    }

    /// Values from 0 to below the size of this loop, or some of them.
    fn bounds(&mut self, depth: usize, around: &[Variable]) -> Bounds {
        let size = self.sizes[depth].clone();
        match (self.one_of(13), around.last()) {
            (0, _) => Bounds::new(0, size).step_by(2),
            (1, _) => Bounds::new(0, size).reversed(),
            (2, _) => Bounds::new(1, size),
            (3, Some(outer)) => Bounds::new(0, size).and_below(*outer + 1),
            (4, Some(outer)) => Bounds::new(*outer, size),
            (5, Some(outer)) => Bounds::new(0, size).and_from(*outer - 1),
            (6, Some(_)) => Bounds::new(0, size).and_from(around[0] - 1).and_below(around[0] + 2),
            (7, Some(_)) => Bounds::new(0, size.clone()).and_below(size - around[0]).reversed(),
            (8, Some(outer)) => Bounds::new(*outer, size).step_by(2),
            _ => Bounds::new(0, size),
        }
    }

    fn conditions(&mut self, around: &[Variable]) -> Vec<Condition> {
        let [first, .., last] = *around else { return Vec::new() };
        let (left, right) = (first + last, Affine::from(3));
        let relation = [Relation::Greater, Relation::LessOrEqual, Relation::Equal][self.one_of(3) as usize];
        match self.one_of(6) {
            0 => vec![Condition { relation, left, right }],
            1 => vec![Condition { relation, left: first.into(), right: Affine::from(2) }],
            _ => Vec::new(),
        }
    }

    fn assign(&mut self, builder: &mut Builder, around: &[Variable]) {
        let target = self.target(around);
        let sum = self.value(around);
        let own = Expression::from(target.clone());
        let value = match self.one_of(4) {
            0 if around.len() < 3 => sum,
            1 => own * 0.5 + sum,
            _ => own + sum,
        };
        builder.assign(target, value);
    }

    /// Mostly the element of the point that the loops are at.
    fn target(&mut self, around: &[Variable]) -> Access {
        let [x, y, z] = self.results;
        let [i, rest @ ..] = around else { unreachable!("there is a loop around each statement") };
        let Some(j) = rest.first() else { return x.at([*i]) };
        match self.one_of(12) {
            0 => x.at([*i]),
            1 => y.at([*i + 1, (*j).into()]),
            2 => x.at([*i + *j]),
            3..=4 => z.at([*j, *i]),
            _ => y.at([*i, *j]),
        }
    }

    /// A product of elements of inputs, or of results, some of them changed.
    fn value(&mut self, around: &[Variable]) -> Expression {
        let mut value = Expression::from(1.0);
        for _ in 0..1 + self.one_of(2) {
            let part = match self.one_of(12) {
                0 if around.len() > 1 => self.target(around).into(),
                1 => self.read(around) * self.factor.clone(),
                2 => self.read(around) - self.read(around),
                _ => self.read(around),
            };
            value = value * part;
        }
        value
    }

    /// An element of an input, near the point.
    fn read(&mut self, around: &[Variable]) -> Expression {
        let which = self.one_of(3) as usize;
        let offsets: Vec<i64> = (0..2).map(|_| self.one_of(3) as i64).collect();
        let Read { array, linear } = &self.reads[which];
        let at = |(linear, offset): (&Affine, &i64)| {
            // Iterators of loops that are not around are 0; that of the innermost loop has its own index.
            let of = |index: usize| around.get(index).map_or(Affine::from(0), |one| Affine::from(*one));
            (0..3).fold(linear.clone() + *offset, |value, index| {
                value.substitute(Variable::Iterator(index), &of(index))
            })
        };
        array.at(linear.iter().zip(&offsets).map(at).collect::<Vec<_>>()).into()
    }
}
