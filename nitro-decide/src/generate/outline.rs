//! The outline that a space is written down as: dimensions with what may become of their loops, statements with
//! what they do, and the rules that code takes.

use std::sync::Arc;

use nitro_nest::{Access, Affine, Assignment, Expression, Nest, Variable};

use super::sizes;
use super::space::{AddsUp, DecidedError, DecidedSpace, Value};
use super::tiles::{OpenChoices, TileSizes};
use crate::{
    Access as Touch, Array, Candidate, ChoiceId, Dependence, Dimension, Kernel, LAYOUTS, LOADINGS, Limits,
    Nesting, Operation, Outer, Passing, ProblemError, Rule, Statement, Values, Within,
};

/// The kinds that a loop may have.
pub type Kinds = &'static [&'static str];

pub const BLOCK: Kinds = &["block"];
pub const THREAD: Kinds = &["thread"];
pub const UNROLLED: Kinds = &["unrolled"];
pub const PLAIN: Kinds = &["plain"];
pub const SUM: Kinds = &["plain", "unrolled"];
pub const LOADING: Kinds = &["unrolled", "thread"];
pub const WIDE: Kinds = &["unrolled", "vector"];

/// The caches that keep an element, in the order of the values of their choice.
const CACHES: [&str; 3] = ["as usual", "the device's alone", "evicted first"];
/// As many blocks may be along the second and third axis of a grid.
const MOST_BLOCKS: u64 = 65_535;

/// A space as it is written down.
pub(super) struct Outline {
    nest: Nest,
    kernel: Kernel,
    /// By dimension, then by level of its own.
    kinds: Vec<Vec<Kinds>>,
    /// By dimension, then by level of its own, whether or not they divide it.
    tiles: Vec<Vec<Vec<u64>>>,
    meanings: Vec<Assignment>,
    values: Vec<Value>,
    adds_up: Option<AddsUp>,
}

impl Outline {
    pub fn new(nest: Nest) -> Self {
        Self {
            nest,
            kernel: Kernel::default(),
            kinds: Vec::new(),
            tiles: Vec::new(),
            meanings: Vec::new(),
            values: Vec::new(),
            adds_up: None,
        }
    }

    /// A dimension whose outermost loop is of one kind, with tiles.
    pub fn dimension(&mut self, name: &str, size: u64, outermost: Kinds, tiles: &[(&[u64], Kinds)]) -> usize {
        self.add(name, size, vec![outermost], tiles, None)
    }

    /// A dimension that shares the outermost loop of another.
    pub fn part_of(&mut self, dimension: usize, name: &str, tiles: &[(&[u64], Kinds)]) -> usize {
        self.inside(Outer { dimension, levels: 1 }, name, tiles)
    }

    /// A dimension that shares the outermost loops of another.
    pub fn inside(&mut self, outer: Outer, name: &str, tiles: &[(&[u64], Kinds)]) -> usize {
        let size = self.kernel.dimensions[outer.dimension].size;
        self.add(name, size, Vec::new(), tiles, Some(outer))
    }

    fn add(
        &mut self,
        name: &str,
        size: u64,
        mut kinds: Vec<Kinds>,
        tiles: &[(&[u64], Kinds)],
        outer: Option<Outer>,
    ) -> usize {
        kinds.extend(tiles.iter().map(|(_, kinds)| *kinds));
        let mut dividing = Vec::new();
        for (sizes, _) in tiles {
            dividing.push(sizes.iter().copied().filter(|&tile| size.is_multiple_of(tile)).collect());
        }
        let parallel = kinds.iter().flat_map(|kinds| kinds.iter()).any(|kind| !SUM.contains(kind));
        self.kernel.dimensions.push(Dimension {
            name: name.to_owned(),
            size,
            tiles: dividing,
            parallel,
            interchanges: parallel,
            outer,
        });
        self.kinds.push(kinds);
        self.tiles.push(tiles.iter().map(|(sizes, _)| sizes.to_vec()).collect());
        self.kernel.dimensions.len() - 1
    }

    /// Something that goes from statement to statement.
    pub fn value(&mut self, name: &str) -> usize {
        self.values.push(Value { name: name.to_owned(), array: None });
        self.nest.arrays().len() + self.values.len() - 1
    }

    /// An element of an array, whose tile may be staged.
    pub fn staged(&mut self, name: &str, dimensions: &[usize]) -> usize {
        self.kernel.arrays.push(Array {
            name: name.to_owned(),
            element_bytes: 4,
            dimensions: dimensions.to_vec(),
        });
        self.values.push(Value { name: name.to_owned(), array: Some(self.kernel.arrays.len() - 1) });
        self.nest.arrays().len() + self.values.len() - 1
    }

    /// A statement, after those that were added before. `around` are dimensions whose outermost loops it repeats in.
    pub fn statement(
        &mut self,
        name: &str,
        operation: Operation,
        dimensions: &[usize],
        around: &[usize],
        meaning: Assignment,
    ) -> usize {
        let touched = meaning.value.reads().into_iter().chain([&meaning.target]);
        let accesses = touched.filter_map(|access| self.touch(access, dimensions)).collect();
        self.kernel.statements.push(Statement {
            name: name.to_owned(),
            operation,
            dimensions: dimensions.to_vec(),
            around: around.iter().map(|&dimension| Outer { dimension, levels: 1 }).collect(),
            accesses,
        });
        self.meanings.push(meaning);
        self.kernel.statements.len() - 1
    }

    /// A value goes from one statement to another, along pairs of their dimensions.
    pub fn passes(&mut self, value: usize, from: usize, to: usize, along: &[(usize, usize)]) {
        let passing = match self.values[value - self.nest.arrays().len()].array {
            Some(array) => Passing::Array(array),
            None => Passing::Registers,
        };
        self.kernel.dependences.push(Dependence { from, to, along: along.to_vec(), passing });
    }

    /// A statement adds parts up that the threads of a warp have made, which are the iterations of one of its
    /// dimensions. Nothing is staged then.
    pub fn adds_up(&mut self, statement: usize, lane: usize) {
        self.adds_up = Some(AddsUp { statement, lane });
    }

    /// The element of an array in global memory that an access is, directly or as a value that was loaded.
    fn touch(&self, access: &Access, dimensions: &[usize]) -> Option<Touch> {
        let arrays = self.nest.arrays().len();
        let Some(value) = access.array.checked_sub(arrays) else {
            return Some(self.strides(access, dimensions));
        };
        self.values[value].array?;
        let load = self.meanings.iter().find(|meaning| meaning.target.array == access.array)?;
        let Expression::Load(source) = &load.value else { return None };
        let mut source = source.clone();
        // All at once: dimensions of the load are none of who needs it.
        for (from, to) in load.target.subscripts.iter().zip(&access.subscripts) {
            let [(variable, _)] = from.terms() else { return None };
            source
                .subscripts
                .iter_mut()
                .for_each(|subscript| *subscript = subscript.substitute(*variable, to));
        }
        Some(self.strides(&source, dimensions))
    }

    fn strides(&self, access: &Access, dimensions: &[usize]) -> Touch {
        let declared = &self.nest.arrays()[access.array];
        let mut strides = Vec::new();
        for &dimension in dimensions {
            // A step along one dimension of the array is as many elements as the dimensions after it have together.
            let mut stride = 0;
            for (at, subscript) in access.subscripts.iter().enumerate() {
                let row = declared.shape[at + 1..].iter().map(Affine::constant).product::<i64>();
                stride += subscript.coefficient(Variable::Iterator(dimension)) * row;
            }
            strides.push(stride as u64);
        }
        Touch { array: declared.name.clone(), strides, element_bytes: 4 }
    }

    /// The space, with the rules that code takes.
    pub fn finish(self, tiles: &TileSizes, limits: &Limits) -> Result<DecidedSpace, DecidedError> {
        sizes::check(&self.kernel, &self.tiles)?;
        let Self { nest, kernel, kinds, meanings, values, adds_up, .. } = self;
        let mut nesting = kernel.nesting(limits)?;
        let mut rules = Rules { kernel: &kernel, nesting: &mut nesting };
        if adds_up.is_some() {
            rules.warps()?;
        }
        let caches = rules.add(&kinds, tiles)?;
        let root = Candidate::new(Arc::new(nesting.problem.clone()))?;
        Ok(DecidedSpace { kernel, nesting, root, nest, meanings, caches, values, adds_up })
    }
}

/// Adds rules.
struct Rules<'a> {
    kernel: &'a Kernel,
    nesting: &'a mut Nesting,
}

impl Rules<'_> {
    /// Adds all rules, and returns for each statement the choice of caches, if it has one.
    fn add(mut self, kinds: &[Vec<Kinds>], tiles: &TileSizes) -> Result<Vec<Option<ChoiceId>>, ProblemError> {
        self.kinds(kinds)?;
        self.blocks()?;
        self.statements()?;
        self.one_iteration()?;
        let OpenChoices { unrolled, threads, paddings, caches, ahead } = tiles.open;
        self.fixed_orders(&["unrolled"], |own| !unrolled || own.operation == Operation::Load)?;
        self.fixed_orders(&["thread", "block"], |_| !threads)?;
        if !paddings {
            self.fixed_layouts()?;
        }
        if let Some(loading) = self.nesting.loading.filter(|_| !ahead) {
            let needed = self.nesting.problem.named(loading.choice, &LOADINGS[..1])?;
            self.follows("tiles are loaded as they are needed", vec![], needed)?;
        }
        self.caches(caches)
    }

    /// Threads of a warp are neighbours, and have what they add up in registers. Dimensions of one loop are theirs.
    fn warps(&mut self) -> Result<(), ProblemError> {
        for (one, other) in self.pairs(|_| true) {
            for (other, lane) in [(one, other), (other, one)] {
                let dimension = &self.kernel.dimensions[self.nesting.loops[lane].dimension];
                if dimension.tiles.is_empty() && dimension.outer.is_none() {
                    let thread = self.kind(other, &["thread"])?;
                    let outer = self.nesting.order(other, lane, &["outer"])?;
                    self.follows("threads of a warp are neighbours", vec![thread], outer)?;
                }
            }
        }
        for memory in self.nesting.memory.clone() {
            let global = self.nesting.problem.named(memory, &["global"])?;
            self.follows("what a warp adds up is not staged", vec![], global)?;
        }
        Ok(())
    }

    fn follows(&mut self, name: &str, when: Vec<Within>, then: Within) -> Result<(), ProblemError> {
        self.nesting.problem.rule(name, Rule::Clause { when, then }).map(|_| ())
    }

    fn kind(&self, at: usize, kinds: &[&str]) -> Result<Within, ProblemError> {
        self.nesting.problem.named(self.nesting.loops[at].kind, kinds)
    }

    fn size(&self, at: usize, keep: impl Fn(u64) -> bool) -> Within {
        let (choice, problem) = (self.nesting.loops[at].size, &self.nesting.problem);
        let all = problem.all(choice).iter();
        let kept = all.filter(|&value| problem.number(choice, value).is_some_and(&keep));
        Within { choice, values: Values::of(kept) }
    }

    /// Adds kinds of loops that code is made of, and that something done once is no loop.
    fn kinds(&mut self, kinds: &[Vec<Kinds>]) -> Result<(), ProblemError> {
        for at in 0..self.nesting.loops.len() {
            let own = self.nesting.loops[at];
            let first = self.kernel.dimensions[own.dimension].outer.map_or(0, |outer| outer.levels);
            let allowed = kinds[own.dimension][own.level - first];
            let kept = self.kind(at, allowed)?;
            self.follows("what code is made of for a loop", vec![], kept)?;
            let vector = self.kind(at, &["vector"])?;
            let four = self.size(at, |size| size == 4);
            self.follows("a vector has four elements", vec![vector], four)?;
            if allowed.len() > 1 && allowed.contains(&"unrolled") {
                let once = self.size(at, |size| size == 1);
                let unrolled = self.kind(at, &["unrolled"])?;
                self.follows("one iteration is no loop", vec![once], unrolled)?;
            }
        }
        Ok(())
    }

    fn blocks(&mut self) -> Result<(), ProblemError> {
        let loops = 0..self.nesting.loops.len();
        let outermost: Vec<usize> = loops.filter(|&at| self.nesting.loops[at].level == 0).collect();
        for &at in &outermost {
            let few = self.size(at, |size| size <= MOST_BLOCKS);
            if outermost.len() > 1 && !few.values.is_empty() {
                self.follows("blocks along an axis", vec![self.kind(at, &["block"])?], few)?;
            }
        }
        Ok(())
    }

    fn statements(&mut self) -> Result<(), ProblemError> {
        for next in 1..self.kernel.statements.len() {
            let [one, other] = [next - 1, next].map(|at| self.nesting.object(at));
            let before = self.nesting.order(one, other, &["before"])?;
            self.follows("statements are in the order in which they are written", vec![], before)?;
        }
        Ok(())
    }

    /// Pairs of loops of the nests of some statements, the first position less.
    fn pairs(&self, of: impl Fn(&Statement) -> bool) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for statement in self.kernel.statements.iter().filter(|statement| of(statement)) {
            let own = self.nesting.own(statement);
            for (at, &one) in own.iter().enumerate() {
                found.extend(own[at + 1..].iter().map(|&other| (one, other)));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Puts loops of one iteration outside, where it makes no difference where they lie.
    fn one_iteration(&mut self) -> Result<(), ProblemError> {
        for (one, other) in self.pairs(|_| true) {
            for kind in ["unrolled", "thread", "block"] {
                for (first, second) in [(one, other), (other, one)] {
                    // Of two with one iteration the first lies outside.
                    let when = vec![
                        self.size(first, |size| size == 1),
                        self.kind(first, &[kind])?,
                        self.size(second, |size| size != 1 || first == one),
                        self.kind(second, &[kind])?,
                    ];
                    if when.iter().any(|within| within.values.is_empty()) {
                        continue;
                    }
                    let outer = self.nesting.order(first, second, &["outer"])?;
                    self.follows("one iteration lies outside of more", when, outer)?;
                }
            }
        }
        Ok(())
    }

    /// Puts loops of one of these kinds in the order in which they are written.
    fn fixed_orders(&mut self, kinds: &[&str], of: impl Fn(&Statement) -> bool) -> Result<(), ProblemError> {
        for (one, other) in self.pairs(of) {
            for &kind in kinds {
                let mut when = vec![self.kind(one, &[kind])?, self.kind(other, &[kind])?];
                if kind != "block" {
                    when.extend([one, other].map(|at| self.size(at, |size| size != 1)));
                }
                if when.iter().any(|within| within.values.is_empty()) {
                    continue;
                }
                let outer = self.nesting.order(one, other, &["outer"])?;
                self.follows("loops of one kind are in the order in which they are written", when, outer)?;
            }
        }
        Ok(())
    }

    /// Adds the choices of caches for loads and stores: stores have none but the device's.
    fn caches(&mut self, are_open: bool) -> Result<Vec<Option<ChoiceId>>, ProblemError> {
        let mut found = Vec::new();
        for statement in &self.kernel.statements {
            if ![Operation::Load, Operation::Store].contains(&statement.operation) {
                found.push(None);
                continue;
            }
            let choice = self.nesting.problem.labels(format!("caches of {}", statement.name), CACHES)?;
            let kept: Vec<&str> = CACHES
                .into_iter()
                .filter(|cache| {
                    *cache == CACHES[0]
                        || (are_open && (statement.operation == Operation::Load || *cache == CACHES[2]))
                })
                .collect();
            let then = self.nesting.problem.named(choice, &kept)?;
            self.follows("caches that a statement can ask for", vec![], then)?;
            found.push(Some(choice));
        }
        Ok(found)
    }

    fn fixed_layouts(&mut self) -> Result<(), ProblemError> {
        for layout in self.nesting.layouts.clone().into_iter().flatten() {
            let names = (0..self.nesting.problem.all(layout).len()).map(|at| LAYOUTS[at]);
            let kept: Vec<&str> = names.filter(|name| !name.ends_with("padded")).collect();
            let then = self.nesting.problem.named(layout, &kept)?;
            self.follows("tiles are not padded", vec![], then)?;
        }
        Ok(())
    }
}
