//! Threads: their iterations of the loops that are spread over them.

use std::collections::BTreeMap;

use nitro_nest::{Affine, Instruction, Variable};

use super::point::{Kind, Point};
use crate::{Operation, Passing};

/// For each loop that is threads, which iteration of it a thread has.
pub(super) struct Threads {
    /// Threads of a block.
    pub count: i64,
    /// By loop.
    pub digits: BTreeMap<usize, Affine>,
    /// The instructions that make them of the number of a thread in its block.
    pub definitions: Vec<Instruction>,
    /// Statements that threads load with a numbering of their own, and how many of them do.
    pub loading: BTreeMap<usize, i64>,
}

/// The iterators of a kernel by name: those of its loops, and behind them those that are made for threads and tiles.
pub(super) struct Iterators {
    /// The number of the first one.
    pub first: usize,
    pub loops: usize,
    pub names: Vec<String>,
}

impl Iterators {
    /// Returns the iterator of this name, which is made if there is none.
    pub fn of(&mut self, name: String) -> usize {
        // The digits of threads are called as their loops, which are none in the text.
        if let Some(known) = self.names[..self.loops].iter().position(|other| *other == name) {
            return self.first + known;
        }
        self.names.push(name);
        self.first + self.names.len() - 1
    }
}

impl Threads {
    /// Numbers the threads of all nests of a point.
    pub fn new(point: &Point<'_>, iterators: &mut Iterators) -> Self {
        let statements = &point.space.kernel.statements;
        let root = statements.iter().position(|one| one.operation == Operation::Fma).unwrap_or(0);
        let mut threads =
            Self { count: 1, digits: BTreeMap::new(), definitions: Vec::new(), loading: BTreeMap::new() };
        threads.count = threads.number(point, root, iterators);
        for dependence in &point.space.kernel.dependences {
            let own = dependence.passing != Passing::Elsewhere && !point.has_same_threads(dependence.passing);
            if own && !threads.loading.contains_key(&dependence.from) {
                let count = threads.number(point, dependence.from, iterators);
                threads.loading.insert(dependence.from, count);
            }
        }
        while threads.spread(point) {}
        threads
    }

    /// Numbers the threads of a nest, the innermost loop the fastest. Gives how many there are.
    fn number(&mut self, point: &Point<'_>, statement: usize, iterators: &mut Iterators) -> i64 {
        let around = point.around(&point.space.kernel.statements[statement]);
        let loops = around.into_iter().rev().filter(|&at| point.kind(at) == Kind::Thread);
        let (ones, loops): (Vec<usize>, Vec<usize>) = loops.partition(|&at| point.size(at) == 1);
        self.digits.extend(ones.into_iter().map(|at| (at, Affine::from(0))));
        let mut rest = Affine::from(Variable::Thread(0));
        if let Some((last, others)) = loops.split_last() {
            for &at in others {
                let names =
                    ["", "_above"].map(|end| iterators.of(format!("{}{end}", point.space.loop_name(at))));
                let [digit, above] = names;
                let (value, divisor) = (rest, point.size(at).into());
                self.definitions.push(Instruction::Divide {
                    quotient: above,
                    remainder: digit,
                    value,
                    divisor,
                });
                self.digits.insert(at, Variable::Iterator(digit).into());
                rest = Variable::Iterator(above).into();
            }
            self.digits.insert(*last, rest);
        }
        loops.iter().map(|&at| point.size(at)).product()
    }

    /// Gives statements with the same threads the same iterations of the loops along which a value goes. Whether
    /// something was learned.
    fn spread(&mut self, point: &Point<'_>) -> bool {
        let nesting = &point.space.nesting;
        let mut learned = false;
        for dependence in &point.space.kernel.dependences {
            if !point.has_same_threads(dependence.passing) {
                continue;
            }
            for &(from, to) in &dependence.along {
                for (one, other) in nesting.loops_of(from).into_iter().zip(nesting.loops_of(to)) {
                    if point.kind(one) != Kind::Thread {
                        continue;
                    }
                    let known = [one, other].map(|at| self.digits.get(&at).cloned());
                    match known {
                        [Some(digit), None] => learned |= self.digits.insert(other, digit).is_none(),
                        [None, Some(digit)] => learned |= self.digits.insert(one, digit).is_none(),
                        _ => {}
                    }
                }
            }
        }
        learned
    }
}
