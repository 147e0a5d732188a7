//! What is shown is what the program does.

use std::collections::BTreeSet;

use super::*;
use crate::kernel::{Instruction, Kernel};
use crate::mapping::roles::place;
use crate::nest::affine::{Affine, Variable};
use crate::nest::builder::{Bounds, Builder};
use crate::nest::expression::Expression;
use crate::{Schedule, Tiling};

#[derive(Clone, Copy, Debug)]
enum Does {
    SumsOfRows,
    SumsOfColumns,
    Fills,
}

/// `for i in 0..n { for j in 0..n { .. } }`, with `total[i] += a[i][j]`, `total[j] += a[i][j]` or `b[i][j] = 1` in it.
fn nest(work: Does) -> Nest {
    let mut builder = Builder::new("rows");
    let n = builder.parameter("n");
    let a = builder.input("a", [n.into(), n.into()]);
    let b = builder.in_out("b", [n.into(), n.into()]);
    let total = builder.in_out("total", [n.into()]);
    builder.reassociate();
    builder.repeat("i", Bounds::new(0, n), |builder, i| {
        builder.repeat("j", Bounds::new(0, n), |builder, j| {
            let mut add =
                |to| builder.assign(total.at([to]), Expression::from(total.at([to])) + a.at([i, j]));
            match work {
                Does::SumsOfRows => add(i),
                Does::SumsOfColumns => add(j),
                Does::Fills => builder.assign(b.at([i, j]), 1.0),
            }
        });
    });
    builder.finish().unwrap()
}

/// The values of both loops of the nest at which a thread of the first block does something to an array of the nest.
fn points(nest: &Nest, kernel: &Kernel, thread: [i64; 2]) -> BTreeSet<[i64; 2]> {
    struct At<'a> {
        thread: [i64; 2],
        iterators: Vec<i64>,
        arrays: usize,
        found: &'a mut BTreeSet<[i64; 2]>,
    }
    impl At<'_> {
        fn value(&self, variable: Variable) -> i64 {
            match variable {
                Variable::Parameter(_) => 100_000, // the first tile is full
                Variable::Iterator(index) => self.iterators[index],
                Variable::Block(_) => 0,
                Variable::Thread(axis) => self.thread.get(axis).copied().unwrap_or(0),
            }
        }
        fn go(&mut self, all: &[Instruction]) {
            for instruction in all {
                match instruction {
                    Instruction::Define(iterator, values) => {
                        let of = |affine: &Affine| affine.evaluate(&|variable| self.value(variable));
                        self.iterators[*iterator] = values.iter().map(of).max().unwrap();
                    }
                    Instruction::Loop(range, _, body) => {
                        let values: Vec<i64> = range.values(&|variable| self.value(variable)).collect();
                        for value in values {
                            self.iterators[range.iterator] = value;
                            self.go(body);
                        }
                    }
                    Instruction::If(conditions, body, otherwise) => {
                        let holds = conditions.iter().all(|one| one.holds(&|variable| self.value(variable)));
                        self.go(if holds { body } else { otherwise });
                    }
                    Instruction::Assign(assignment) => {
                        let reads = assignment.value.reads();
                        let touches = |array: usize| array < self.arrays;
                        if touches(assignment.target.array) || reads.iter().any(|read| touches(read.array)) {
                            self.found.insert([self.iterators[0], self.iterators[1]]);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    let mut found = BTreeSet::new();
    let iterators = vec![0; nest.iterators().len() + kernel.iterators.len()];
    At { thread, iterators, arrays: nest.arrays().len(), found: &mut found }.go(&kernel.body);
    found
}

#[test]
fn the_points_of_a_thread_are_those_that_it_works_on() {
    let tiling = Tiling { block: [8, 4, 1], points: [4, 2, 1], promotes: true, ..Tiling::default() };
    let schedule = Schedule { fuses: true, sums_in_parallel: true, coalesces: true };
    for work in [Does::Fills, Does::SumsOfRows, Does::SumsOfColumns] {
        let nest = nest(work);
        let mapping = Mapping::naive().with_schedule(schedule).with_tiling(&[0], tiling.clone());
        let view = NestView::new(&nest, &mapping).unwrap();
        let (kernel, axes) = (&view.program.kernels[0], &view.roles[0].axes);
        assert_eq!((kernel.block, axes.len()), ([8, 4, 1], 2), "{}", view.program);
        let axis = |dimension| axes.iter().find(|axis| axis.dimension == dimension).unwrap();
        for thread in [[0, 0], [3, 2], [7, 3]] {
            let own = |dimension: usize| -> Vec<i64> {
                let axis = axis(dimension);
                (0..axis.points).map(|point| place(axis, thread[dimension], point)).collect()
            };
            let shown: BTreeSet<[i64; 2]> =
                own(1).into_iter().flat_map(|i| own(0).into_iter().map(move |j| [i, j])).collect();
            assert_eq!(points(&nest, kernel, thread), shown, "thread {thread:?} of\n{}", view.program);
        }
    }
}

#[test]
fn the_tree_has_each_loop_by_what_became_of_it() {
    let tiling =
        Tiling { block: [32, 8, 1], points: [4, 8, 1], promotes: true, inner: 16, ..Tiling::default() };
    let mapping = Mapping::naive().with_usual_tilings([tiling.clone(), tiling.clone(), tiling]);
    let view = NestView::new(&nest(Does::SumsOfRows), &mapping).unwrap();
    assert!(view.schedule().contains("i → x: 32 threads of 4 points, 128 a block\n"), "{}", view.schedule());
    assert!(view.schedule().contains("j → each thread repeats for 0..n"), "{}", view.schedule());
}

#[test]
fn a_page_needs_nothing_but_itself_and_shows_names_as_text() {
    let mut builder = Builder::new("nothing");
    let n = builder.parameter("n");
    let a = builder.in_out("a", [n.into()]);
    builder.repeat("i", Bounds::new(0, n), |builder, i| builder.assign(a.at([i]), 0.0));
    let mut nest = builder.finish().unwrap();
    nest.arrays[0].name = "a<script>".to_owned(); // as a nest that was read may have it
    let view = NestView::new(&nest, &Mapping::naive()).unwrap();
    let page = view.page();
    assert!(!page.contains("<script") && page.contains("&lt;script&gt;"), "{page}");
    let own = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!own.contains("http") && !own.contains("src=") && !own.contains("@import"), "{own}");
    for picture in view.pictures() {
        assert!(
            picture.svg.starts_with("<svg xmlns=") && !picture.svg.contains("<script"),
            "{}",
            picture.svg
        );
    }
}
