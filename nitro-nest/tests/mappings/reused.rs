//! Nests drawn at random whose loops use the same few elements again and again, as scratch memory is used.

use nitro_nest::{
    Access, Affine, ArrayName, Bounds, Builder, Condition, Expression, Nest, Relation, Variable,
};
use nitro_test_support::random::Random;

struct Draw {
    random: Random,
    sizes: [Affine; 2],
    /// One element, a row, a column, and all.
    arrays: [ArrayName; 4],
    input: ArrayName,
}

/// A nest whose sizes are `n` and `m`: one or two loops, mostly with loops in them. No access is out of bounds.
pub fn reused(seed: u64) -> Nest {
    let mut builder = Builder::new("reused");
    let [n, m] = ["n", "m"].map(|name| Affine::from(builder.parameter(name)));
    let arrays = [
        builder.in_out("one", [Affine::from(1)]),
        builder.in_out("row", [m.clone() + 1]),
        builder.in_out("column", [n.clone() + 1]),
        builder.in_out("all", [n.clone() + 1, m.clone() + 1]),
    ];
    let input = builder.input("a", [n.clone() + 1, m.clone() + 1]);
    let mut draw = Draw { random: Random::new(seed), sizes: [n, m], arrays, input };
    for _ in 0..1 + draw.one_of(2) {
        let bounds = draw.bounds(0, None);
        builder.repeat("i", bounds, |builder, i| {
            let statements = 1 + draw.one_of(2);
            for _ in 0..statements {
                match draw.one_of(4) {
                    0 if statements > 1 => draw.assign(builder, i, None),
                    _ => draw.inner(builder, i),
                }
            }
        });
    }
    builder.finish().unwrap()
}

impl Draw {
    fn one_of(&mut self, end: u64) -> u64 {
        self.random.below(end)
    }

    fn inner(&mut self, builder: &mut Builder, i: Variable) {
        let bounds = self.bounds(1, Some(i));
        builder.repeat("j", bounds, |builder, j| {
            for _ in 0..1 + self.one_of(6) / 5 {
                let right = Affine::from(2);
                let condition = Condition { relation: Relation::Greater, left: i + j, right };
                let conditions = (self.one_of(6) == 0).then_some(condition);
                builder.only_if(conditions, |builder| self.assign(builder, i, Some(j)));
            }
        });
    }

    fn bounds(&mut self, depth: usize, outer: Option<Variable>) -> Bounds {
        let size = self.sizes[depth].clone();
        match (self.one_of(12), outer) {
            (0, _) => Bounds::new(1, size),
            (1, _) => Bounds::new(0, size).reversed(),
            (2, _) => Bounds::new(0, size - 1),
            (3, Some(outer)) => Bounds::new(0, size).and_below(outer + 1),
            _ => Bounds::new(0, size),
        }
    }

    fn assign(&mut self, builder: &mut Builder, i: Variable, j: Option<Variable>) {
        let target = self.element(i, j, 0);
        let others = (0..1 + self.one_of(2)).map(|_| self.read(i, j)).collect::<Vec<_>>();
        let sum = others.into_iter().fold(Expression::from(0.5), |sum, one| sum + one * 0.25);
        let value = match self.one_of(3) {
            0 => Expression::from(target.clone()) + sum,
            1 => Expression::from(2.0),
            _ => sum,
        };
        builder.assign(target, value);
    }

    fn read(&mut self, i: Variable, j: Option<Variable>) -> Expression {
        match (self.one_of(3), j) {
            (0, Some(j)) => self.input.at([i, j]).into(),
            _ => self.element(i, j, 2).into(),
        }
    }

    /// An element, with offsets below `offsets` where it is read.
    fn element(&mut self, i: Variable, j: Option<Variable>, offsets: u64) -> Access {
        let offset = if offsets == 0 { 0 } else { self.one_of(2 * offsets) as i64 / 3 };
        let [one, row, column, all] = self.arrays;
        match (self.one_of(5), j) {
            (0 | 1, Some(j)) => row.at([j + offset]),
            (2, Some(j)) => all.at([Affine::from(i), j + offset]),
            (3, _) => column.at([i + offset]),
            (4, _) => one.at([0]),
            (_, Some(j)) => all.at([i + offset, j.into()]),
            _ => one.at([0]),
        }
    }
}
