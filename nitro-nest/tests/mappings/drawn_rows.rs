//! Rows drawn at random: steps that sum up, read what others wrote, and overwrite it.

use nitro_nest::{
    Access, Affine, ArrayName, Bounds, Builder, Condition, Expression, Instruction, Mapping, Nest, Relation,
    Schedule, Tiling, Variable,
};
use nitro_test_support::random::Random;

use crate::agreement::{assert_agrees, data};

/// Integers up to here are exact, also where some on the way are larger than what comes out.
const MOST_EXACT: f32 = 1_048_576.0;

struct Draw {
    random: Random,
    is_across: bool,
    /// The size of a row, and the numbers of the rows.
    length: Affine,
    /// Rows, and single values of rows.
    rows: [ArrayName; 3],
    values: [ArrayName; 3],
    column: ArrayName,
}

/// A nest over `n` rows, or `n` times `m`, of `l` elements.
fn drawn(seed: u64) -> Nest {
    let mut builder = Builder::new("drawn");
    let [n, m, l] = ["n", "m", "l"].map(|name| Affine::from(builder.parameter(name)));
    let mut random = Random::new(seed);
    let has_two_loops = random.below(3) == 0;
    let numbers = if has_two_loops { vec![n.clone(), m.clone()] } else { vec![n.clone()] };
    // Rows are those of arrays or their columns.
    let is_across = random.below(3) == 0;
    let mut of_row = [numbers.clone(), vec![l.clone() + 4]].concat();
    if is_across {
        of_row.reverse();
    }
    let rows = ["x", "y", "t"].map(|name| builder.in_out(name, of_row.clone()));
    let values = ["a", "b", "c"].map(|name| builder.in_out(name, numbers.clone()));
    let column = builder.input("w", [l.clone() + 1]);
    if random.below(4) > 0 {
        builder.reassociate();
    }
    let mut draw = Draw { random, is_across, length: l, rows, values, column };
    builder.repeat("i", Bounds::new(0, n), |builder, i| {
        if has_two_loops {
            let bounds =
                if draw.one_of(3) == 0 { Bounds::new(0, m).and_below(i + 1) } else { Bounds::new(0, m) };
            builder.repeat("k", bounds, |builder, k| draw.row(builder, &[i, k]));
        } else {
            draw.row(builder, &[i]);
        }
    });
    builder.finish().unwrap()
}

impl Draw {
    fn one_of(&mut self, end: u64) -> u64 {
        self.random.below(end)
    }

    /// The steps of a row.
    fn row(&mut self, builder: &mut Builder, numbers: &[Variable]) {
        for step in 0..3 + self.one_of(3) {
            let conditions = match self.one_of(10) {
                0 => {
                    let (relation, left, right) = (Relation::Less, numbers[0].into(), Affine::from(2));
                    vec![Condition { relation, left, right }]
                }
                _ => Vec::new(),
            };
            builder.only_if(conditions, |builder| {
                if self.one_of(4) == 0 {
                    let target = self.value(numbers);
                    let value = match self.one_of(3) {
                        0 => Expression::from(1.0),
                        1 => Expression::from(target.clone()) * 0.5,
                        _ => Expression::from(self.value(numbers)) - self.value(numbers),
                    };
                    builder.assign(target, value);
                } else {
                    let bounds = self.bounds(numbers);
                    builder
                        .repeat(&format!("j_{step}"), bounds, |builder, j| self.inside(builder, numbers, j));
                }
            });
        }
    }

    fn bounds(&mut self, numbers: &[Variable]) -> Bounds {
        let length = self.length.clone();
        match self.one_of(12) {
            0 => Bounds::new(1, length),
            1 => Bounds::new(0, length).step_by(2),
            2 => Bounds::new(0, length).and_below(numbers[0] + 1),
            3 => Bounds::new(numbers[0], length),
            4 => Bounds::new(0, length).reversed(),
            _ => Bounds::new(0, length),
        }
    }

    /// One or two statements of a loop.
    fn inside(&mut self, builder: &mut Builder, numbers: &[Variable], j: Variable) {
        for _ in 0..1 + self.one_of(2) {
            let (relation, left, right) = (Relation::Greater, j.into(), Affine::from(1));
            let conditions =
                if self.one_of(8) == 0 { vec![Condition { relation, left, right }] } else { Vec::new() };
            builder.only_if(conditions, |builder| {
                let read = self.element(numbers, j);
                let column = self.column.at([j]);
                let other = if self.one_of(2) == 0 { self.value(numbers) } else { self.element(numbers, j) };
                if self.one_of(2) == 0 {
                    let target = self.value(numbers);
                    let own = Expression::from(target.clone());
                    let value = match self.one_of(4) {
                        0 => own.max(read),
                        1 => Expression::from(read).min(own),
                        2 => own - read * column,
                        _ => own + read,
                    };
                    builder.assign(target, value);
                } else {
                    let target = self.element(numbers, j);
                    builder.assign(target, read - other);
                }
            });
        }
    }

    fn value(&mut self, numbers: &[Variable]) -> Access {
        self.values[self.random.below(3) as usize].at(numbers.to_vec())
    }

    /// Mostly the element of the loop's value, or the one after it or at the other end.
    fn element(&mut self, numbers: &[Variable], j: Variable) -> Access {
        let place = match self.one_of(12) {
            0 => j + 1,
            1 => self.length.clone() - j,
            _ => Affine::from(j),
        };
        let mut subscripts: Vec<Affine> = numbers.iter().map(|number| Affine::from(*number)).collect();
        subscripts.push(place);
        if self.is_across {
            subscripts.reverse();
        }
        self.rows[self.random.below(3) as usize].at(subscripts)
    }
}

fn combines(all: &[Instruction]) -> bool {
    all.iter().any(|one| match one {
        Instruction::Loop(_, _, body) => combines(body),
        Instruction::If(_, body, otherwise) => combines(body) || combines(otherwise),
        other => matches!(other, Instruction::Combine { .. } | Instruction::Barrier),
    })
}

fn comes_wide(all: &[Instruction]) -> bool {
    all.iter().any(|one| match one {
        Instruction::Loop(_, _, body) => comes_wide(body),
        Instruction::If(_, body, otherwise) => comes_wide(body) || comes_wide(otherwise),
        other => matches!(other, Instruction::Copy { .. }),
    })
}

#[test]
fn drawn_rows_give_what_the_nest_gives_whatever_the_order_of_threads() {
    let (mut with_rows, mut wide, mut all, mut exact) = (0, 0, 0, 0);
    for seed in 0..60 {
        let nest = drawn(seed);
        let mut random = Random::new(seed);
        let mapping = Mapping::naive().with_schedule(Schedule { rows: true, ..Schedule::default() });
        let dependences = nest.dependences().unwrap();
        let mut tiled = mapping.clone();
        for kernel in nest.map(&dependences, &mapping).kernels {
            let threads = [1, 4, 16, 32, 64, 96][random.below(6) as usize];
            let outer = if threads < 32 { [1, 4, 16][random.below(3) as usize] } else { 1 };
            let tiling = Tiling {
                block: [threads, 1 + random.below(3) as u32, outer],
                thread_tile: [[1, 3, 4, 8][random.below(4) as usize], 1, 1],
                vector_width: 4,
                unroll: random.below(3) as u32,
                ..Tiling::default()
            };
            tiled = tiled.with_tiling(&kernel.statements, tiling);
        }
        let program = nest.map(&dependences, &tiled);
        all += 1;
        wide += usize::from(program.kernels.iter().any(|kernel| comes_wide(&kernel.body)));
        with_rows += usize::from(program.kernels.iter().any(|kernel| combines(&kernel.body)));
        let lengths = [1 + random.below(4), 40 + random.below(60), 4 * (1 + random.below(20))];
        for (at, length) in lengths.into_iter().enumerate() {
            let sizes = [3 - at as i64 % 2, 2 + at as i64, length as i64];
            // Sums of small integers are exact in any order.
            let (input, mut result) = (data(&nest, &sizes, 0, seed), data(&nest, &sizes, 0, seed));
            nest.run(&mut result).unwrap();
            let largest = result.arrays.iter().flatten().fold(0.0_f32, |most, value| most.max(value.abs()));
            if largest < MOST_EXACT {
                assert_agrees(&nest, &program, &input, seed);
                exact += 1;
            }
        }
    }
    assert!(exact > all, "{exact} of {} runs are exact", 3 * all);
    assert!(wide > 1, "{wide} of {all} have neighbours that come at once");
    assert!(with_rows > all / 3, "{with_rows} of {all} have row kernels");
}
