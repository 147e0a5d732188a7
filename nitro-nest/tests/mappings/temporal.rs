//! Stencils whose launches run several iterations of their loop in time.

use nitro_nest::{
    Affine, ArrayName, Bounds, Builder, Condition, Expression, Nest, Relation, Tiling, Variable,
};
use nitro_test_support::random::Random;

use crate::agreement::{assert_agrees, data};
use crate::in_time::{is_tiled, mapped, tiling};

/// A stencil of one to four sweeps an iteration, over arrays of two or three dimensions.
struct Draw {
    random: Random,
    extents: Vec<Affine>,
    fields: Vec<ArrayName>,
    coefficients: ArrayName,
    source: ArrayName,
}

fn drawn(seed: u64) -> Nest {
    let mut random = Random::new(seed);
    let mut builder = Builder::new("drawn");
    let steps = Affine::from(builder.parameter("steps"));
    let mut extents: Vec<Affine> = ["n", "m"].map(|name| Affine::from(builder.parameter(name)) + 4).into();
    if random.below(3) == 0 {
        extents.insert(1, Affine::from(5));
    }
    let names = &["a", "b", "c"][..1 + random.below(3) as usize];
    let fields = names.iter().map(|name| builder.in_out(name, extents.clone())).collect();
    let coefficients = builder.input("weights", extents.clone());
    let source = builder.input("source", [steps.clone()]);
    let mut draw = Draw { random, extents, fields, coefficients, source };
    builder.repeat("t", Bounds::new(0, steps), |builder, t| {
        for _ in 0..1 + draw.random.below(4) {
            draw.sweep(builder, t);
        }
    });
    builder.finish().unwrap()
}

impl Draw {
    fn one_of(&mut self, end: u64) -> i64 {
        self.random.below(end) as i64
    }

    /// Loops over all cells but some at the boundary, or over those of one row, around an assignment.
    fn sweep(&mut self, builder: &mut Builder, t: Variable) {
        let margin = self.one_of(3);
        let is_row = self.one_of(6) == 0;
        let mut bounds: Vec<(Affine, Affine)> = Vec::new();
        for extent in &self.extents {
            bounds.push((margin.into(), extent.clone() - margin));
        }
        let row =
            if self.one_of(2) == 0 { Affine::from(margin) } else { self.extents[0].clone() - 1 - margin };
        let mut cell = if is_row { vec![row] } else { Vec::new() };
        self.inside(builder, &bounds[cell.len()..], &mut cell, margin, t);
    }

    fn inside(
        &mut self,
        builder: &mut Builder,
        bounds: &[(Affine, Affine)],
        cell: &mut Vec<Affine>,
        margin: i64,
        t: Variable,
    ) {
        let Some(((lower, upper), others)) = bounds.split_first() else {
            return self.assignment(builder, cell, margin, t);
        };
        let name = ["i", "j", "k"][cell.len()];
        builder.repeat(name, Bounds::new(lower.clone(), upper.clone()), |builder, own| {
            cell.push(own.into());
            self.inside(builder, others, cell, margin, t);
            cell.pop();
        });
    }

    fn assignment(&mut self, builder: &mut Builder, cell: &[Affine], margin: i64, t: Variable) {
        let target = self.one_of(self.fields.len() as u64) as usize;
        let mut value = Expression::from(0.5);
        for _ in 0..1 + self.one_of(4) {
            let from = self.one_of(self.fields.len() as u64) as usize;
            // What is read of the array that is written is the cell alone: all cells may be done in any order.
            let reach = if from == target { 0 } else { margin };
            let there: Vec<Affine> =
                cell.iter().map(|own| own.clone() + (self.one_of(2 * reach as u64 + 1) - reach)).collect();
            let read = Expression::from(self.fields[from].at(there));
            value = match self.one_of(6) {
                0 => value - read * self.coefficients.at(cell.to_vec()),
                1 => value + read * self.source.at([t]),
                2 => Expression::select(Relation::Less, [value.clone(), read.clone()], [read, value]),
                _ => (value - read) * 0.5,
            };
        }
        let conditions = match self.one_of(8) {
            0 => vec![Condition { relation: Relation::Greater, left: cell[0].clone(), right: 2.into() }],
            1 => vec![Condition { relation: Relation::Less, left: self.extents[0].clone(), right: 9.into() }],
            _ => Vec::new(),
        };
        builder.only_if(conditions, |builder| builder.assign(self.fields[target].at(cell.to_vec()), value));
    }
}

#[test]
fn drawn_stencils_give_the_same_bits() {
    let mut tiled = 0;
    for seed in 0..60 {
        let nest = drawn(seed);
        let mut random = Random::new(seed);
        let mut one_of = |values: [u32; 3]| values[random.below(3) as usize];
        let [steps, rows] = [one_of([1, 2, 3]), one_of([1, 4, 9])];
        let (block, points) =
            ([one_of([8, 12, 16]), one_of([4, 6, 8])], [one_of([1, 2, 3]), one_of([1, 2, 3])]);
        let stages = one_of([1, 2, 3]);
        let program = mapped(&nest, steps, Tiling { stages, ..tiling(block, points, rows) });
        tiled += usize::from(is_tiled(&nest, &program));
        for _ in 0..2 {
            let sizes = [8, 20, 20].map(|end| random.below(end) as i64);
            assert_agrees(&nest, &program, &data(&nest, &sizes, 6, seed), seed);
        }
    }
    assert!(tiled > 20, "{tiled} of the nests drawn have tiles in time");
}
