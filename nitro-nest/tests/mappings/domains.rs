//! Nests over triangles, trapezoids and other domains, drawn at random, and whether what they are mapped to
//! computes what they compute.
//!
//! Arrays are as large as what the nests touch, to the element: their extents are sizes of their own, which are
//! found by going through all instances.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use nitro_nest::{
    Access, Affine, ArrayName, Bounds, Builder, Condition, Data, Expression, Mapping, MappingSpace, Nest,
    Program, Relation, RunError, Schedule, Tiling, Variable,
};
use nitro_search::{Ask, Budget, Engine, Paths, RandomPaths};
use nitro_test_support::random::Random;

/// Sizes of the domain: `n` and `m`.
const SIZES: usize = 2;
/// Dimensions of the arrays: three that are read and three that are written.
const DIMENSIONS: [usize; 6] = [1, 2, 2, 1, 2, 2];
const READ: usize = 3;
/// Statements and loops of most nests and of some: isl takes long for many.
const MOST_ITEMS: [usize; 2] = [4, 7];
/// Instances that are gone through with the sizes of a run, about: loops that are as long as sums of others'
/// iterators come to millions.
const MOST_INSTANCES: usize = 5_000;
/// Paths of a space of which some are taken.
const PATHS: usize = 24;
/// Integers of which sums are exact in any order.
const MOST_EXACT: f32 = 8_388_608.0;

/// An element: the array's index and the subscripts.
type Element = (usize, Vec<Affine>);

/// A part of a drawn nest. Iterators are numbered as they were drawn.
#[derive(Clone, Debug)]
enum Item {
    Loop { iterator: usize, bounds: Bounded, body: Vec<Item> },
    If(Condition, Vec<Item>),
    Assign { target: Element, kind: u64, reads: Vec<Element> },
}

#[derive(Clone, Debug)]
struct Bounded {
    lower: Vec<Affine>,
    upper: Vec<Affine>,
    step: i64,
    is_reversed: bool,
}

/// A nest that can be made smaller.
#[derive(Clone, Debug)]
pub struct Drawn {
    items: Vec<Item>,
    reassociates: bool,
}

/// What is drawn around a statement: iterators, outermost first.
struct Draw {
    random: Random,
    iterators: usize,
    items: usize,
    most_items: usize,
}

impl Drawn {
    /// The nest of this seed.
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let most_items = MOST_ITEMS[usize::from(random.below(16) == 0)];
        let mut draw = Draw { random, iterators: 0, items: 0, most_items };
        let reassociates = draw.one_of(3) > 0;
        let count = 1 + draw.one_of(8) / 7;
        let items = (0..count).map(|_| draw.repeat(&[])).collect();
        Self { items, reassociates }
    }

    /// The nest, with sizes for the extents of its arrays after `n`, `m` and what is added to subscripts that may
    /// be negative.
    pub fn nest(&self) -> Nest {
        let mut builder = Builder::new("drawn");
        for name in ["n", "m"] {
            builder.parameter(name);
        }
        builder.parameter("offset");
        let mut arrays = Vec::new();
        for (index, dimensions) in DIMENSIONS.into_iter().enumerate() {
            let shape: Vec<Affine> = (0..dimensions)
                .map(|dimension| {
                    let extent = builder.parameter(&format!("e{index}_{dimension}"));
                    let whole = self.whole(index, dimension);
                    whole.map_or(extent.into(), |size| Variable::Parameter(size).into())
                })
                .collect();
            let name = ["a", "b", "c", "x", "y", "z"][index];
            let array = if index < READ { builder.input(name, shape) } else { builder.in_out(name, shape) };
            arrays.push(array);
        }
        if self.reassociates {
            builder.reassociate();
        }
        let mut building = Building { drawn: self, arrays, names: Vec::new() };
        self.items.iter().for_each(|item| building.item(&mut builder, item));
        builder.finish().unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The size over which the whole of a dimension is gone through by each access, if there is one: then it is its
    /// extent.
    fn whole(&self, array: usize, dimension: usize) -> Option<usize> {
        let mut size = None;
        let mut is_whole = true;
        visit(&self.items, &mut Vec::new(), &mut |loops, elements| {
            for (_, subscripts) in elements.iter().filter(|(of, _)| *of == array) {
                let own = (0..SIZES).find(|size| {
                    loops.iter().any(|(iterator, bounds)| {
                        let is_plain = bounds.lower == [Affine::from(0)] && bounds.step == 1;
                        let ends = bounds.upper == [Affine::from(Variable::Parameter(*size))];
                        is_plain
                            && ends
                            && subscripts[dimension] == Affine::from(Variable::Iterator(*iterator))
                    })
                });
                is_whole &= own.is_some() && (size.is_none() || size == own);
                size = own;
            }
        });
        if is_whole { size } else { None }
    }

    /// Whether some subscript of a dimension may be negative: it is offset.
    fn is_offset(&self, array: usize, dimension: usize) -> bool {
        let mut found = false;
        visit(&self.items, &mut Vec::new(), &mut |_, elements| {
            found |= elements
                .iter()
                .filter(|(of, _)| *of == array)
                .any(|(_, subscripts)| subscripts[dimension].terms().iter().any(|(_, factor)| *factor < 0));
        });
        found
    }

    /// All sizes, for these of the domain or ones below them, with which few instances are gone through: the
    /// extents are what is touched, or, if `is_wide`, the next multiples of four.
    pub fn sizes(&self, mut domain: [i64; SIZES], is_wide: bool) -> Vec<i64> {
        let touched = loop {
            let mut touched =
                Touched { ranges: DIMENSIONS.map(|dimensions| vec![None; dimensions]), instances: 0 };
            touch(&self.items, &mut |variable| domain[index_of(variable)], &mut Vec::new(), &mut touched);
            if touched.instances < MOST_INSTANCES || domain == [1; SIZES] {
                break touched.ranges;
            }
            domain = domain.map(|size| (size - 1).max(1));
        };
        let least = touched.iter().flatten().flatten().map(|(least, _)| *least).min();
        let offset = -least.unwrap_or(0).min(0);
        let mut sizes = [&domain[..], &[offset]].concat();
        for (array, dimensions) in touched.iter().enumerate() {
            for (dimension, range) in dimensions.iter().enumerate() {
                let own = if self.is_offset(array, dimension) { offset } else { 0 };
                let extent = range.map_or(0, |(_, largest)| largest + own + 1);
                sizes.push(if is_wide { (extent + 3) / 4 * 4 } else { extent });
            }
        }
        sizes
    }

    /// Nests that are a little smaller.
    pub fn smaller(&self) -> Vec<Self> {
        let all = smaller(&self.items).into_iter().filter(|items| !items.is_empty());
        all.map(|items| Self { items, ..self.clone() }).collect()
    }
}

fn index_of(variable: Variable) -> usize {
    match variable {
        Variable::Parameter(index) | Variable::Iterator(index) => index,
        Variable::Block(_) | Variable::Thread(_) => unreachable!("nests have none"),
    }
}

impl Draw {
    fn one_of(&mut self, end: u64) -> u64 {
        self.random.below(end)
    }

    fn pick(&mut self, around: &[usize]) -> Affine {
        Variable::Iterator(around[self.random.below(around.len() as u64) as usize]).into()
    }

    fn repeat(&mut self, around: &[usize]) -> Item {
        let bounds = self.bounds(around);
        let iterator = self.iterators;
        (self.iterators, self.items) = (self.iterators + 1, self.items + 1);
        let inside = [around, &[iterator]].concat();
        let mut body = vec![self.inside(&inside)];
        while self.items < self.most_items && self.one_of(4) == 0 {
            body.push(self.inside(&inside));
        }
        Item::Loop { iterator, bounds, body }
    }

    fn inside(&mut self, around: &[usize]) -> Item {
        let most_loops = 4;
        if self.items >= self.most_items || around.len() >= most_loops {
            return self.assign(around);
        }
        match (self.one_of(20), around.len()) {
            (0..2, _) => {
                let condition = self.condition(around);
                Item::If(condition, vec![self.inside(around)])
            }
            (2..17, 1) | (2..12, 2) | (2..3, _) => self.repeat(around),
            _ => self.assign(around),
        }
    }

    /// From above and below by loops around it, or by sizes.
    fn bounds(&mut self, around: &[usize]) -> Bounded {
        let size = Affine::from(Variable::Parameter(self.one_of(5) as usize / 3));
        let (mut lower, mut upper) = (vec![Affine::from(0)], vec![size.clone()]);
        let drawn = if around.is_empty() { self.one_of(2) } else { self.one_of(20) };
        let outer = if around.is_empty() { Affine::from(0) } else { self.pick(around) };
        let other = if around.is_empty() { Affine::from(0) } else { self.pick(around) };
        let offset = self.one_of(3) as i64;
        match drawn {
            1 => lower = vec![offset.into()],
            2..4 => lower = vec![outer + offset],
            4..7 => upper = vec![outer + offset],
            7 => lower = vec![outer - 1, 0.into()],
            8 => upper = vec![size - outer],
            9 => lower = vec![size.clone() - outer - 1, 0.into()],
            10 => (lower, upper) = (vec![outer.clone()], vec![outer + 1 + offset]),
            11 => upper = vec![size, outer + 1 + offset],
            12 => (lower, upper) = (vec![outer], vec![size, other + 3]),
            13 => upper = vec![outer + other],
            14 => upper = vec![size - outer - other],
            15 => upper = vec![outer * 2 - offset],
            16 => (lower, upper) = (vec![outer - other.clone(), 0.into()], vec![other + 1]),
            _ => {}
        }
        let is_reversed = self.one_of(10) == 0;
        let may_step = !is_reversed && lower.len() == 1;
        let step = if may_step && self.one_of(24) == 0 { 2 } else { 1 };
        Bounded { lower, upper, step, is_reversed }
    }

    fn condition(&mut self, around: &[usize]) -> Condition {
        let (left, right) = (self.pick(around), self.pick(around));
        let relations = [Relation::Less, Relation::LessOrEqual, Relation::Greater, Relation::Equal];
        let relation = relations[self.one_of(4) as usize];
        let offset = self.one_of(4) as i64 - 2;
        let right = match self.one_of(3) {
            0 => Affine::from(Variable::Parameter(0)) - right,
            1 => Affine::from(1),
            _ => right,
        };
        Condition { relation, left, right: right + offset }
    }

    fn assign(&mut self, around: &[usize]) -> Item {
        self.items += 1;
        let array = READ + self.one_of(3) as usize;
        let target = self.element(array, around);
        let count = 1 + self.one_of(2);
        let reads = (0..count)
            .map(|_| {
                let array = if self.one_of(12) == 0 {
                    READ + self.one_of(3) as usize
                } else {
                    self.one_of(3) as usize
                };
                self.element(array, around)
            })
            .collect();
        Item::Assign { target, kind: self.one_of(10), reads }
    }

    /// Mostly rows and columns of some loops.
    fn element(&mut self, array: usize, around: &[usize]) -> Element {
        let subscripts = (0..DIMENSIONS[array]).map(|_| {
            let one = self.pick(around);
            match self.one_of(30) {
                0 => one + self.pick(around),
                1 => one - self.pick(around),
                2 => one * 2,
                3 => one * -1,
                4..6 => one + self.one_of(3) as i64,
                _ => one,
            }
        });
        (array, subscripts.collect())
    }
}

/// Makes a nest of what was drawn.
struct Building<'a> {
    drawn: &'a Drawn,
    arrays: Vec<ArrayName>,
    /// The iterators of the loops around, as drawn and as built.
    names: Vec<(usize, Variable)>,
}

impl Building<'_> {
    fn item(&mut self, builder: &mut Builder, item: &Item) {
        match item {
            Item::Loop { iterator, bounds, body } => {
                let built = self.bounds(bounds);
                builder.repeat(&format!("i{iterator}"), built, |builder, variable| {
                    self.names.push((*iterator, variable));
                    body.iter().for_each(|item| self.item(builder, item));
                    self.names.pop();
                });
            }
            Item::If(condition, body) => {
                let Condition { relation, left, right } = condition;
                let (left, right) = (self.affine(left), self.affine(right));
                let condition = Condition { relation: *relation, left, right };
                builder.only_if([condition], |builder| body.iter().for_each(|item| self.item(builder, item)));
            }
            Item::Assign { target, kind, reads } => {
                let target = self.access(target);
                let product =
                    |product: Expression, read: &Element| product * Expression::from(self.access(read));
                let (first, others) = reads.split_first().expect("a statement reads something");
                let term = others.iter().fold(Expression::from(self.access(first)), product);
                let own = Expression::from(target.clone());
                let value = match kind {
                    0 => term,
                    1 => own - term,
                    2 if !self.drawn.reassociates => own * 0.5 + term,
                    3 => own + (term.clone() + term),
                    _ => own + term,
                };
                builder.assign(target, value);
            }
        }
    }

    fn bounds(&self, drawn: &Bounded) -> Bounds {
        let mut bounds =
            Bounds::new(self.affine(&drawn.lower[0]), self.affine(&drawn.upper[0])).step_by(drawn.step);
        for lower in &drawn.lower[1..] {
            bounds = bounds.and_from(self.affine(lower));
        }
        for upper in &drawn.upper[1..] {
            bounds = bounds.and_below(self.affine(upper));
        }
        if drawn.is_reversed { bounds.reversed() } else { bounds }
    }

    fn access(&self, (array, subscripts): &Element) -> Access {
        let offset = |(dimension, subscript): (usize, &Affine)| {
            let offset = Variable::Parameter(SIZES);
            let subscript = self.affine(subscript);
            if self.drawn.is_offset(*array, dimension) { subscript + offset } else { subscript }
        };
        self.arrays[*array].at(subscripts.iter().enumerate().map(offset).collect::<Vec<_>>())
    }

    fn affine(&self, drawn: &Affine) -> Affine {
        let of = |variable: Variable| match variable {
            Variable::Iterator(iterator) => {
                self.names.iter().find(|(drawn, _)| *drawn == iterator).expect("it is of a loop around").1
            }
            other => other,
        };
        let add = |sum: Affine, (variable, factor): &(Variable, i64)| sum + of(*variable) * *factor;
        drawn.terms().iter().fold(Affine::from(drawn.constant()), add)
    }
}

/// What looks at a statement: the loops around it and the elements that it touches.
type See<'a> = dyn FnMut(&[(usize, &Bounded)], &[&Element]) + 'a;

/// Calls `see` with all statements: loops around them and what they touch.
fn visit<'a>(items: &'a [Item], loops: &mut Vec<(usize, &'a Bounded)>, see: &mut See<'_>) {
    for item in items {
        match item {
            Item::Loop { iterator, bounds, body } => {
                loops.push((*iterator, bounds));
                visit(body, loops, see);
                loops.pop();
            }
            Item::If(_, body) => visit(body, loops, see),
            Item::Assign { target, reads, .. } => {
                see(loops, &std::iter::once(target).chain(reads).collect::<Vec<_>>());
            }
        }
    }
}

/// What was gone through.
struct Touched {
    /// The least and the largest subscript of each dimension.
    ranges: [Vec<Option<(i64, i64)>>; DIMENSIONS.len()],
    /// Instances of loops and statements.
    instances: usize,
}

fn touch(
    items: &[Item],
    size: &mut dyn FnMut(Variable) -> i64,
    values: &mut Vec<(usize, i64)>,
    touched: &mut Touched,
) {
    for item in items {
        touched.instances += 1;
        if touched.instances > MOST_INSTANCES {
            return;
        }
        let known = values.clone();
        let sizes: Vec<i64> = (0..SIZES).map(|index| size(Variable::Parameter(index))).collect();
        let value = |variable: Variable| match variable {
            Variable::Iterator(iterator) => {
                known.iter().find(|(of, _)| *of == iterator).expect("it is of a loop around").1
            }
            other => sizes[index_of(other)],
        };
        match item {
            Item::Loop { iterator, bounds, body } => {
                let first = bounds.lower.iter().map(|bound| bound.evaluate(&value)).max().unwrap_or(0);
                let end = bounds.upper.iter().map(|bound| bound.evaluate(&value)).min().unwrap_or(0);
                for at in (first..end).step_by(bounds.step as usize) {
                    values.push((*iterator, at));
                    touch(body, size, values, touched);
                    values.pop();
                }
            }
            Item::If(condition, body) => {
                let [left, right] = [&condition.left, &condition.right].map(|side| side.evaluate(&value));
                let holds = match condition.relation {
                    Relation::Less => left < right,
                    Relation::LessOrEqual => left <= right,
                    Relation::Greater => left > right,
                    Relation::GreaterOrEqual => left >= right,
                    Relation::Equal => left == right,
                };
                if holds {
                    touch(body, size, values, touched);
                }
            }
            Item::Assign { target, reads, .. } => {
                for (array, subscripts) in std::iter::once(target).chain(reads) {
                    for (subscript, range) in subscripts.iter().zip(&mut touched.ranges[*array]) {
                        let at = subscript.evaluate(&value);
                        let (least, largest) = range.unwrap_or((at, at));
                        *range = Some((least.min(at), largest.max(at)));
                    }
                }
            }
        }
    }
}

/// With one thing less: an item, a condition, a bound, an operand.
fn smaller(items: &[Item]) -> Vec<Vec<Item>> {
    let mut found = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let with = |instead: Vec<Item>| [&items[..at], &instead, &items[at + 1..]].concat();
        if items.len() > 1 {
            found.push(with(Vec::new()));
        }
        match item {
            Item::Loop { iterator, bounds, body } => {
                let of = |bounds, body| vec![Item::Loop { iterator: *iterator, bounds, body }];
                found.extend(smaller(body).into_iter().map(|body| with(of(bounds.clone(), body))));
                if bounds.lower != [Affine::from(0)] {
                    let lower = vec![Affine::from(0)];
                    found.push(with(of(Bounded { lower, ..bounds.clone() }, body.clone())));
                }
                if bounds.step != 1 || bounds.is_reversed {
                    let plain = Bounded { step: 1, is_reversed: false, ..bounds.clone() };
                    found.push(with(of(plain, body.clone())));
                }
                let size = vec![Affine::from(Variable::Parameter(0))];
                if bounds.upper != size {
                    found.push(with(of(Bounded { upper: size, ..bounds.clone() }, body.clone())));
                }
            }
            Item::If(condition, body) => {
                found.push(with(body.clone()));
                found.extend(
                    smaller(body).into_iter().map(|body| with(vec![Item::If(condition.clone(), body)])),
                );
            }
            Item::Assign { target, kind, reads } => {
                if let [_, others @ ..] = &reads[..]
                    && !others.is_empty()
                {
                    let (target, kind, reads) = (target.clone(), *kind, others.to_vec());
                    found.push(with(vec![Item::Assign { target, kind, reads }]));
                }
            }
        }
    }
    found
}

/// Which programs of a nest are looked at.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Whether all presets are among them.
    pub has_presets: bool,
    /// Mappings that are drawn.
    pub drawn: usize,
    /// Whether the forms of the nest are mapped too, by its space of mappings, which takes isl several times as long.
    pub has_space: bool,
    /// Paths of the space, whose tiles are as large as on a GPU.
    pub paths: usize,
    /// Sizes that a program runs with.
    pub sizes: usize,
    /// Instructions of a run: with the tiles of a GPU, some take minutes here.
    pub instructions: u64,
}

/// A mapping by which a nest computes something else.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The mapping.
    pub mapping: String,
    /// All sizes.
    pub sizes: Vec<i64>,
    /// What is different.
    pub what: String,
    /// The kernels.
    pub program: String,
}

/// The mappings that belong to a seed, with a description.
fn mappings(random: &mut Random, effort: Effort) -> Vec<(String, Mapping)> {
    let mut all: Vec<(String, Mapping)> =
        Mapping::presets().map(|(name, mapping)| (name.to_owned(), mapping)).into();
    if !effort.has_presets {
        all.clear();
    }
    for _ in 0..effort.drawn {
        let mapping = mapping(random);
        all.push((format!("{mapping:?}"), mapping));
    }
    all
}

fn mapping(random: &mut Random) -> Mapping {
    let mut coin = || random.below(2) == 0;
    let schedule = Schedule {
        fuses: coin(),
        sums_in_parallel: coin(),
        coalesces: coin(),
        splits_sums: coin(),
        rows: coin(),
        time_steps: random.below(3) as u32,
    };
    let usual = [tiling(random), tiling(random), tiling(random)];
    Mapping::sane().with_schedule(schedule).with_usual_tilings(usual)
}

fn tiling(random: &mut Random) -> Tiling {
    let mut below = |end: u64| random.below(end) as u32;
    let drawn = Tiling {
        block: [1 + below(4), 1 + below(3), 1 + below(2)],
        thread_tile: [1 + below(4), 1 + below(3), 1 + below(2)],
        vector_width: below(5),
        tile_k: [0, 1, 2, 3, 4, 4, 8][below(7) as usize],
        stages: below(4),
        transposes: below(2) == 0,
        split_k: 1 + below(6),
        sliced_k: [0, 0, 2, 4][below(4) as usize],
        adds_wide: below(2) == 0,
        unroll: below(3),
        promotes: below(3) > 0,
        ..Tiling::default()
    };
    match below(6) {
        0 | 1 => Tiling { block: [2, 2, 1], thread_tile: [4, 2, 1], tile_k: 4 + 4 * below(2), ..drawn },
        2 => Tiling { block: [32, 1, 1], ..drawn },
        _ => drawn,
    }
}

/// All programs that are looked at, with how they were made.
fn programs(nest: &Nest, seed: u64, effort: Effort) -> Vec<(String, Program)> {
    let mut random = Random::new(seed ^ 0x0d0a_1235);
    let dependences = nest.dependences().unwrap_or_else(|error| panic!("{error}"));
    let space = effort.has_space.then(|| MappingSpace::new(nest).unwrap_or_else(|error| panic!("{error}")));
    let mut all = Vec::new();
    for (name, mapping) in mappings(&mut random, effort) {
        all.push((format!("Nest::map of {name}"), nest.map(&dependences, &mapping)));
        if let Some(space) = &space {
            all.push((format!("MappingSpace::map of {name}"), space.map(&mapping)));
            let fused = space.map_with_fused_loops(&mapping);
            all.push((format!("MappingSpace::map_with_fused_loops of {name}"), fused));
        }
    }
    if let Some(space) = &space {
        all.extend(paths(space, &mut random, effort.paths));
    }
    // Many mappings of a small nest are the same.
    let mut found: Vec<(String, Program)> = Vec::new();
    for (name, program) in all {
        if !found.iter().any(|(_, other)| *other == program) {
            found.push((name, program));
        }
    }
    found
}

/// Programs of paths that are drawn.
fn paths(space: &MappingSpace, random: &mut Random, count: usize) -> Vec<(String, Program)> {
    let strategy = Paths::new(space, RandomPaths::new(random.bits()));
    let Ok(Ask::Evaluate(paths)) = Engine::new(strategy, Budget::evaluations(PATHS)).ask(PATHS) else {
        return Vec::new();
    };
    let mut draw = || paths[random.below(paths.len() as u64) as usize].clone();
    let drawn = (0..count).map(|_| draw());
    drawn.map(|path| (format!("path {path:?}"), space.program(&path))).collect()
}

/// Runs of programs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Looked {
    /// Those that came to their end.
    pub programs: usize,
    /// Those that were given up, as they take too many instructions.
    pub too_long: usize,
}

/// Runs the programs of a nest; the error is the first one that computes something else.
pub fn check(drawn: &Drawn, seed: u64, effort: Effort) -> Result<Looked, Difference> {
    let nest = drawn.nest();
    let mut looked = Looked::default();
    let made = catch_unwind(AssertUnwindSafe(|| programs(&nest, seed, effort)));
    let programs = made.map_err(|panic| Difference {
        mapping: "all".to_owned(),
        sizes: Vec::new(),
        what: format!("mapping panics: {}", text_of(&*panic)),
        program: String::new(),
    })?;
    let mut random = Random::new(seed ^ 0x517e);
    for (mapping, program) in &programs {
        for _ in 0..effort.sizes {
            // Tiles of presets are too large for several in any case, and threads run one by one.
            let most = if mapping.contains("Tiling") { 8 } else { 3 };
            let domain = [0; SIZES].map(|_: i64| 1 + random.below(most) as i64);
            let sizes = drawn.sizes(domain, random.below(3) == 0);
            match agrees(&nest, program, &sizes, effort.instructions, random.bits()) {
                Ok(is_whole) => *if is_whole { &mut looked.programs } else { &mut looked.too_long } += 1,
                Err(what) => {
                    let (mapping, program) = (mapping.clone(), program.to_string());
                    return Err(Difference { mapping, sizes, what, program });
                }
            }
        }
    }
    Ok(looked)
}

/// What a panic says.
fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("something").to_owned()
}

/// Compares bit for bit, where numbers are so small that sums are exact in any order; false if the run is too long.
fn agrees(
    nest: &Nest,
    program: &Program,
    sizes: &[i64],
    instructions: u64,
    seed: u64,
) -> Result<bool, String> {
    let mut random = Random::new(seed);
    let mut data = Data::new(nest, sizes, &[]).map_err(|error| error.to_string())?;
    let is_exact = nest.reassociates();
    for element in data.arrays.iter_mut().flatten() {
        let integer = random.below(7) as f32 - 3.0;
        *element = if is_exact { integer } else { integer / 8.0 };
    }
    let mut expected = data.clone();
    nest.run(&mut expected).map_err(|error| format!("the nest itself: {error}"))?;
    if expected.arrays.iter().flatten().any(|value| !value.is_finite() || value.abs() > MOST_EXACT) {
        return Ok(true);
    }
    match program.run_within(&mut data, instructions, |threads| random.below(threads as u64) as usize) {
        Err(RunError::TooLong { .. }) => return Ok(false),
        done => done.map_err(|error| error.to_string())?,
    }
    let pairs = expected.arrays.iter().flatten().zip(data.arrays.iter().flatten());
    match pairs.clone().position(|(one, other)| one != other) {
        Some(at) => {
            let (one, other) = pairs.clone().nth(at).expect("it was found there");
            Err(format!("element {at} of all arrays is {other} instead of {one}"))
        }
        None => Ok(true),
    }
}

/// A nest that is still different and as small as it goes.
pub fn shrunk(drawn: Drawn, difference: Difference, seed: u64, effort: Effort) -> (Drawn, Difference) {
    let next = drawn.smaller().into_iter().find_map(|smaller| {
        let found = catch_unwind(AssertUnwindSafe(|| check(&smaller, seed, effort).err())).ok().flatten()?;
        Some((smaller, found))
    });
    match next {
        Some((smaller, found)) => shrunk(smaller, found, seed, effort),
        None => (drawn, difference),
    }
}

/// A difference with its nest, for people.
pub fn describe(seed: u64, drawn: &Drawn, difference: &Difference) -> String {
    let Difference { mapping, sizes, what, program } = difference;
    let nest = drawn.nest();
    let mut text = format!("seed {seed}: {what}\nmapping: {mapping}\nsizes:");
    for (name, size) in nest.parameters().iter().zip(sizes) {
        let _ = write!(text, " {name} = {size}");
    }
    let _ = write!(text, "\n{nest}\n{program}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_nests_over_triangles_and_trapezoids_compute_the_same_by_drawn_mappings() {
        let (mut programs, mut too_long, mut differences) = (0, 0, Vec::new());
        for seed in 0..1000 {
            let drawn = Drawn::new(seed);
            let has_presets = seed % 20 == 0;
            let effort = Effort {
                has_presets,
                drawn: 3,
                has_space: has_presets,
                paths: 0,
                sizes: 2,
                instructions: 100_000_000,
            };
            match check(&drawn, seed, effort) {
                Ok(looked) => (programs, too_long) = (programs + looked.programs, too_long + looked.too_long),
                Err(found) => {
                    let (drawn, found) = shrunk(drawn, found, seed, effort);
                    differences.push(describe(seed, &drawn, &found));
                }
            }
        }
        let first: Vec<&String> = differences.iter().take(3).collect();
        assert!(
            first.is_empty(),
            "{} of 1000:\n{}",
            differences.len(),
            first.into_iter().cloned().collect::<Vec<_>>().join("\n")
        );
        assert!(programs > 4000 && too_long < 10, "{programs} runs, {too_long} were too long");
    }
}
