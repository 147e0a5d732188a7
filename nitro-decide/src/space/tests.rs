use std::sync::Arc;

use super::*;
use crate::{Candidate, ChoiceId, Estimate, Values};

fn dimension(name: &str, size: u64, tiles: Vec<Vec<u64>>, parallel: bool) -> Dimension {
    Dimension { name: name.into(), size, tiles, parallel, ..Dimension::default() }
}

fn statement(name: &str, dimensions: Vec<usize>, strides: &[&[u64]]) -> Statement {
    let access = |strides: &&[u64]| Access { array: "a".into(), strides: strides.to_vec(), element_bytes: 4 };
    let accesses = strides.iter().map(access).collect();
    Statement { name: name.into(), dimensions, accesses, ..Statement::default() }
}

fn axpy() -> Kernel {
    Kernel {
        dimensions: vec![dimension("i", 4096, vec![vec![1, 2, 8, 64], vec![1, 4]], true)],
        statements: vec![statement("axpy", vec![0], &[&[1], &[1]])],
        ..Kernel::default()
    }
}

/// y = 0; y += A x, in loops of their own.
fn matrix_vector() -> Kernel {
    let (rows, columns) = (dimension("i", 256, vec![], true), dimension("j", 4, vec![], false));
    Kernel {
        dimensions: vec![dimension("z", 256, vec![], true), rows, columns],
        statements: vec![
            statement("zero", vec![0], &[&[1]]),
            statement("sum", vec![1, 2], &[&[4, 1], &[0, 1], &[1, 0]]),
        ],
        dependences: vec![Dependence { from: 0, to: 1, along: vec![(0, 1)], ..Dependence::default() }],
        arrays: vec![],
    }
}

/// y = f(x), where x may be staged: what loads and what needs it share the blocks.
fn staged() -> Kernel {
    let outer = Some(Outer { dimension: 0, levels: 1 });
    let loading = Dimension { outer, ..dimension("x", 4, vec![vec![2]], true) };
    Kernel {
        dimensions: vec![dimension("i", 4, vec![vec![1, 2]], true), loading],
        statements: vec![statement("load", vec![1], &[&[1]]), statement("use", vec![0], &[&[1]])],
        dependences: vec![Dependence { from: 0, to: 1, along: vec![(1, 0)], passing: Passing::Array(0) }],
        arrays: vec![Array { name: "x".into(), element_bytes: 4, dimensions: vec![0] }],
    }
}

/// What a solution says, for the checker: it knows no rule.
struct Nest<'a> {
    kernel: &'a Kernel,
    nesting: &'a Nesting,
    row: &'a [usize],
}

impl Nest<'_> {
    fn at(&self, choice: ChoiceId) -> usize {
        self.row[choice.position()]
    }

    fn order(&self, one: usize, other: usize) -> &'static str {
        if one < other {
            return ORDERS[self.at(self.nesting.orders[one][other - one - 1])];
        }
        match self.order(other, one) {
            "before" => "after",
            "after" => "before",
            "inner" => "outer",
            "outer" => "inner",
            order => order,
        }
    }

    fn kind(&self, at: usize) -> &'static str {
        KINDS[self.at(self.nesting.loops[at].kind)]
    }

    fn size(&self, at: usize) -> u64 {
        let size = self.nesting.loops[at].size;
        self.nesting.problem.number(size, self.at(size)).unwrap()
    }

    /// The nest as a tree is written out, each object with its line numbers; then read again, every order has to be
    /// the one that was said.
    fn is_tree(&self) -> bool {
        let objects = self.nesting.loops.len() + self.kernel.statements.len();
        let merged = |one: usize, other: usize| one == other || self.order(one, other) == "merged";
        let first = |at: usize| (0..=at).find(|&other| merged(other, at)).unwrap();
        let heads: Vec<usize> = (0..objects).filter(|&at| first(at) == at).collect();
        let depth =
            |at: usize| heads.iter().filter(|&&head| head != at && self.order(head, at) == "outer").count();
        let mut lines = vec![(0, 0); objects];
        let mut line = 0;
        self.write(&heads, 0, &depth, &mut lines, &mut line);
        (0..objects).for_each(|at| lines[at] = lines[first(at)]);
        let read = |one: usize, other: usize| {
            let ((start, end), (from, to)) = (lines[one], lines[other]);
            match () {
                () if start == from && end == to => "merged",
                () if end < from => "before",
                () if to < start => "after",
                () if from < start && end < to => "inner",
                () => "outer",
            }
        };
        (0..objects)
            .all(|one| (0..objects).all(|other| one == other || read(one, other) == self.order(one, other)))
    }

    fn write(
        &self,
        inside: &[usize],
        level: usize,
        depth: &dyn Fn(usize) -> usize,
        lines: &mut [(usize, usize)],
        line: &mut usize,
    ) {
        let here: Vec<usize> = inside.iter().copied().filter(|&at| depth(at) == level).collect();
        let mut sorted = here.clone();
        sorted.sort_by_key(|&at| {
            here.iter().filter(|&&other| other != at && self.order(other, at) == "before").count()
        });
        for at in sorted {
            lines[at].0 = *line;
            *line += 1;
            let inner: Vec<usize> = inside
                .iter()
                .copied()
                .filter(|&other| other != at && self.order(other, at) == "inner")
                .collect();
            self.write(&inner, level + 1, depth, lines, line);
            lines[at].1 = *line;
            *line += 1;
        }
    }

    /// The loops around a statement, from the outside in.
    fn around(&self, statement: usize) -> Vec<usize> {
        let own = self.nesting.own(&self.kernel.statements[statement]);
        let depth =
            |at: usize| own.iter().filter(|&&other| other != at && self.order(other, at) == "outer").count();
        let mut around = own.clone();
        around.sort_by_key(|&at| depth(at));
        around
    }

    fn is_legal(&self) -> bool {
        self.sizes()
            && self.tiles()
            && self.is_tree()
            && (0..self.kernel.statements.len()).all(|at| self.runs(at))
            && self.dependences()
            && self.kernel.dependences.iter().all(|dependence| self.passes(dependence))
    }

    /// The loops of a dimension, from the outside in.
    fn loops(&self, dimension: usize) -> Vec<usize> {
        let of = |dimension| {
            (0..self.nesting.loops.len()).filter(move |&own| self.nesting.loops[own].dimension == dimension)
        };
        let outer = self.kernel.dimensions[dimension].outer;
        outer.iter().flat_map(|outer| of(outer.dimension).take(outer.levels)).chain(of(dimension)).collect()
    }

    fn tiles(&self) -> bool {
        let mut dimensions = 0..self.kernel.dimensions.len();
        dimensions.all(|own| self.loops(own).windows(2).all(|pair| self.order(pair[0], pair[1]) == "outer"))
    }

    fn sizes(&self) -> bool {
        self.kernel.dimensions.iter().enumerate().all(|(at, dimension)| {
            self.loops(at).into_iter().map(|own| self.size(own)).product::<u64>() == dimension.size
        })
    }

    /// Where a value goes by: in registers of one thread, or through shared memory that threads of the block fill.
    fn passes(&self, dependence: &Dependence) -> bool {
        let Passing::Array(array) = dependence.passing else { return true };
        let label = |choice: ChoiceId| self.nesting.problem.value_name(choice, self.at(choice));
        let [memory, threads] = [self.nesting.memory[array], self.nesting.threads[array].unwrap()].map(label);
        let statements = [dependence.from, dependence.to];
        let own = statements.map(|at| self.around(at).into_iter().filter(|&own| own > 0).collect::<Vec<_>>());
        let threads_first = own.iter().all(|own| {
            let is_thread = |at: &&usize| self.kind(**at) == "thread";
            own.iter().skip_while(is_thread).all(|at| self.kind(*at) != "thread")
        });
        let apart = own[0].iter().all(|&one| own[1].iter().all(|&other| self.order(one, other) != "merged"));
        let count = |loops: &[usize]| -> u64 {
            loops.iter().filter(|&&at| self.kind(at) == "thread").map(|&at| self.size(at)).product()
        };
        let at_hand = |at: usize| ["unrolled", "vector"].contains(&self.kind(at));
        let in_registers = own[0].iter().zip(&own[1]).all(|(&one, &other)| {
            let same_thread = [one, other].iter().all(|&at| self.kind(at) == "thread");
            self.size(one) == self.size(other) && (same_thread || (at_hand(one) && at_hand(other)))
        });
        let goes = match (&*memory, &*threads) {
            ("global", "same") => in_registers,
            ("shared", "own") => count(&own[0]) <= count(&own[1]),
            _ => false,
        };
        threads_first && apart && goes
    }

    fn runs(&self, statement: usize) -> bool {
        let around = self.around(statement);
        let kinds: Vec<&str> = around.iter().map(|&at| self.kind(at)).collect();
        let count = |kind: &str| kinds.iter().filter(|&&own| own == kind).count();
        let product = |kind| {
            around.iter().filter(|&&at| self.kind(at) == kind).map(|&at| self.size(at)).product::<u64>()
        };
        let blocks = kinds.iter().take_while(|&&kind| kind == "block").count();
        let threads =
            kinds.iter().skip_while(|&&kind| kind != "thread").take_while(|&&kind| kind == "thread").count();
        let unrolled = kinds
            .iter()
            .skip_while(|&&kind| kind != "unrolled")
            .all(|kind| ["unrolled", "vector"].contains(kind));
        let object = self.nesting.object(statement);
        let nested = (0..around.len()).all(|at| at == 0 || self.order(around[at - 1], around[at]) == "outer");
        // another's loop around it is one of its own too
        let others = (0..self.nesting.loops.len()).all(|at| match self.order(at, object) {
            "outer" => around.contains(&at) || around.iter().any(|&own| self.order(own, at) == "merged"),
            "before" | "after" => !around.contains(&at) && self.kind(at) != "block",
            _ => false,
        });
        nested
            && others
            && unrolled
            && blocks == count("block")
            && threads == count("thread")
            && blocks <= 3
            && threads <= 3
            && product("thread") <= 1024
            && product("unrolled") <= 512
            && around
                .iter()
                .enumerate()
                .all(|(place, &at)| self.loop_is_legal(statement, at, place + 1 == around.len()))
    }

    fn loop_is_legal(&self, statement: usize, at: usize, innermost: bool) -> bool {
        let own = self.nesting.loops[at];
        let (statement, dimension) =
            (&self.kernel.statements[statement], &self.kernel.dimensions[own.dimension]);
        let place = statement.dimensions.iter().position(|&other| self.loops(other).contains(&at)).unwrap();
        let alike =
            (0..self.nesting.loops.len()).filter(|&other| other != at && self.order(at, other) == "merged");
        let merged: Vec<usize> = alike.collect();
        let vector = innermost
            && own.level == dimension.tiles.len()
            && merged.is_empty()
            && [2, 3, 4].contains(&self.size(at))
            && statement.accesses.iter().all(|access| access.strides[place] == 1);
        (self.kind(at) != "vector" || vector)
            && (dimension.parallel || ["plain", "unrolled"].contains(&self.kind(at)))
            && merged
                .iter()
                .all(|&other| (self.kind(at), self.size(at)) == (self.kind(other), self.size(other)))
    }

    fn dependences(&self) -> bool {
        self.kernel.dependences.iter().all(|dependence| {
            let (from, to) = (self.nesting.object(dependence.from), self.nesting.object(dependence.to));
            let loops = self.around(dependence.from);
            self.order(from, to) == "before"
                && loops.iter().all(|&at| {
                    self.order(at, to) == "before" || {
                        let shares = |&(one, other): &(usize, usize)| {
                            let mut pairs = self.loops(one).into_iter().zip(self.loops(other));
                            pairs.any(|(one, other)| {
                                one == at && (one == other || self.order(one, other) == "merged")
                            })
                        };
                        dependence.along.iter().any(shares)
                    }
                })
        })
    }
}

fn solutions(root: &Candidate) -> Vec<Vec<usize>> {
    root.points().map(|point| point.solution().unwrap()).collect()
}

/// Every combination of values there is is built up; what lies in the program as text does not (a statement within
/// its own loops) is left as it is.
fn brute_force(kernel: &Kernel, nesting: &Nesting) -> usize {
    let fixed = |choice: ChoiceId| {
        let objects = nesting.loops.len() + kernel.statements.len();
        let pairs = (0..objects).flat_map(|one| (one + 1..objects).map(move |other| (one, other)));
        let mut pair = pairs.filter(|&(one, other)| nesting.orders[one][other - one - 1] == choice);
        pair.next().map_or(nesting.problem.all(choice), |(one, other)| {
            let own = other >= nesting.loops.len()
                && nesting.own(&kernel.statements[other - nesting.loops.len()]).contains(&one);
            match (own, one >= nesting.loops.len(), other >= nesting.loops.len()) {
                (true, ..) => Values::of([3]),
                (_, true, _) => Values::of([0, 1]),
                (_, _, true) => Values::of([0, 1, 3]),
                _ => Values::first(5),
            }
        })
    };
    let open: Vec<Vec<usize>> =
        nesting.problem.choices().map(|choice| fixed(choice).iter().collect()).collect();
    let mut at = vec![0; open.len()];
    let mut legal = 0;
    loop {
        let row: Vec<usize> = at.iter().zip(&open).map(|(&at, open)| open[at]).collect();
        legal += usize::from(Nest { kernel, nesting, row: &row }.is_legal());
        let Some(digit) = (0..at.len()).rev().find(|&digit| at[digit] + 1 < open[digit].len()) else {
            return legal;
        };
        at[digit] += 1;
        at[digit + 1..].fill(0);
    }
}

#[test]
fn every_solution_is_a_legal_nest_and_there_are_as_many_as_brute_force_finds() {
    for (kernel, count) in [(axpy(), 210), (matrix_vector(), 27), (staged(), 62)] {
        let nesting = kernel.nesting(&Limits::default()).unwrap();
        let found = solutions(&Candidate::new(Arc::new(nesting.problem.clone())).unwrap());
        for row in &found {
            assert!(Nest { kernel: &kernel, nesting: &nesting, row }.is_legal(), "{row:?}");
        }
        assert_eq!(found.len(), count);
        assert_eq!(found.len(), brute_force(&kernel, &nesting));
    }
}

#[test]
fn sizes_that_no_tile_divides_leave_untiled_loops() {
    for size in [0, 1, 4099] {
        let kernel = Kernel {
            dimensions: vec![dimension("i", size, vec![vec![1, 2, 32]], true)],
            ..Kernel::default()
        };
        let nesting = kernel.nesting(&Limits::default()).unwrap();
        let root = Candidate::new(Arc::new(nesting.problem)).unwrap();
        let tiles = root.values(nesting.loops[1].size).len();
        assert_eq!(tiles, if size == 0 { 3 } else { 1 }); // 0 is divided by everything
    }
}

#[test]
fn arrays_are_staged_only_where_their_tiles_fit() {
    let mut kernel = axpy();
    kernel.arrays = vec![Array { name: "x".into(), element_bytes: 4, dimensions: vec![0] }];
    let nesting = kernel.nesting(&Limits { shared_bytes: 512, ..Limits::default() }).unwrap();
    let mut candidate = Candidate::new(Arc::new(nesting.problem.clone())).unwrap();
    candidate.restrict(nesting.memory[0], Values::of([1])).unwrap();
    candidate.restrict(nesting.loops[2].size, Values::of([1])).unwrap(); // 4 elements
    assert!(!candidate.values(nesting.loops[1].size).has(3)); // 4 * 64 * 4 bytes are too many
    let why = candidate.explain(nesting.loops[1].size, 3).unwrap().to_string();
    assert!(why.contains("bytes of shared memory"), "{why}");
    let all: Estimate = candidate.estimate(10, 1);
    assert!(all.mean > 0.0);
}
