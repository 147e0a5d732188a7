//! The mappings of a nest as decisions: what a search chooses among.
//!
//! After "Coding Ants" (Papenhausen and Mueller), section 5. First comes which statements share a kernel, then for
//! each kernel its blocks, the points of a thread, what is staged and what is unrolled. The nodes of a kernel are
//! those of its set of statements, whatever was decided about others.

mod generator;
mod guess;
mod guess_batches;
mod guess_points;
mod guess_sums;
mod initial;
mod questions;
mod shape;

use std::fmt;
use std::sync::Arc;

use nitro_search::{Crossing, Decision, Decisions, NodeKey, Part, Step};

use crate::dependence::DependenceError;
use crate::kernel::{self, Program};
use crate::lower::{AnalysedNest, Forms, Rewrites, lower_as_it_is};
use crate::mapping::{Form, Mapping, Schedule, Tiling};
use crate::nest::Nest;

use questions::{decision, questions, tiling};
use shape::{Shape, shapes};

/// All mappings of a nest.
///
/// ```
/// use nitro_nest::{MappingSpace, nest};
/// use nitro_search::{AntColony, Ask, Budget, Engine, Paths};
///
/// #[nest]
/// fn scale(n: usize, factor: f32, #[shape(n)] x: &mut [f32]) {
///     for i in 0..n {
///         x[i] *= factor;
///     }
/// }
///
/// let space = MappingSpace::new(&scale::nest())?;
/// let mut search = Engine::new(Paths::new(&space, AntColony::new(0)), Budget::evaluations(50));
/// let Ask::Evaluate(paths) = search.ask(10)? else { panic!("a search begins with something") };
/// let program = space.program(&paths[0]);
/// assert_eq!(program.kernels.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// As a [`Generator`] it writes [launch plans](Program::plan), which a trainer searches, records and ships:
/// `Tunable::generated("found", space)`.
#[derive(Clone, Debug)]
pub struct MappingSpace {
    /// The nest as it is written.
    #[cfg(feature = "show")]
    written: Nest,
    /// The nest with temporaries and wavefronts, in all its forms.
    forms: Forms,
    /// The schedules: each with the index of its form, and the kernels that it gives.
    schedules: Vec<(usize, Schedule, Vec<Shape>)>,
    sizes: Option<SizesOfInputs>,
}

/// A function that returns the sizes of an input by its name.
type SizesByName = dyn Fn(&str) -> Option<Vec<i64>> + Send + Sync;

/// The sizes of inputs, where they are known.
#[derive(Clone)]
struct SizesOfInputs(Arc<SizesByName>);

impl fmt::Debug for SizesOfInputs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SizesOfInputs(..)")
    }
}

/// The schedules that are tried.
///
/// Each says if statements are fused, if sums are added up in parallel where a grid has one dimension, and if they
/// are split where it has two.
const SCHEDULES: [[bool; 3]; 6] = [
    [true, true, false],
    [true, true, true],
    [true, false, false],
    [false, true, false],
    [false, true, true],
    [false, false, false],
];

/// The iterations of a stencil that one launch runs, which are tried; 0: it runs a part of one.
const TIME_STEPS: [u32; 5] = [0, 1, 2, 4, 8];

/// Returns the schedules that are tried, those without rows and tiles in time first.
fn searched_schedules() -> impl Iterator<Item = Schedule> {
    let ways = TIME_STEPS.into_iter().flat_map(|time_steps| [(time_steps, false), (time_steps, true)]);
    ways.flat_map(|(time_steps, rows)| {
        SCHEDULES.map(|[fuses, sums_in_parallel, splits_sums]| Schedule {
            fuses,
            sums_in_parallel,
            coalesces: true,
            splits_sums,
            rows,
            time_steps,
        })
    })
}

/// Returns `true` if kernels differ in what may be done to a sum alone.
///
/// That is more where it may be done in any order.
fn are_alike(some: &[Shape], others: &[Shape]) -> bool {
    let pairs = some.iter().zip(others);
    let mut pairs = pairs.map(|(one, other)| (one, Shape { has_slices: one.has_slices, ..other.clone() }));
    some.len() == others.len() && pairs.all(|(one, other)| *one == other)
}

impl MappingSpace {
    /// Returns the mappings of a nest, with temporaries and wavefronts where these help.
    ///
    /// # Errors
    /// When isl is not granted as many operations as the nest takes.
    pub fn new(nest: &Nest) -> Result<Self, DependenceError> {
        let forms = Forms::new(nest)?;
        // What sets an element next to its sum is always worth it, rows that are one loop are not.
        let mut searched = Vec::new();
        for parts_reductions in [false, true] {
            for (joins_rows, fuses_loops) in [(false, false), (false, true), (true, false), (true, true)] {
                let form = Form { joins_sums: true, joins_rows, parts_reductions };
                searched.push(forms.index(Rewrites { form, fuses_loops }));
            }
        }
        let mut schedules: Vec<(usize, Schedule, Vec<Shape>)> = Vec::new();
        for (at, index) in searched.iter().copied().enumerate() {
            if searched[..at].contains(&index) {
                continue;
            }
            let input = &forms.all[index].1;
            let temporal = shapes(input, Mapping::temporal().schedule());
            let has_stencil = temporal.iter().any(|shape| shape.stencil.is_some());
            for schedule in searched_schedules().filter(|one| one.time_steps == 0 || has_stencil) {
                let shapes = shapes(input, schedule);
                let is_same = |(other, _, others): &(usize, Schedule, Vec<Shape>)| {
                    *other == index && are_alike(others, &shapes)
                };
                if !schedules.iter().any(is_same) {
                    schedules.push((index, schedule, shapes));
                }
            }
        }
        // What takes a thousand times as long as others do is not worth a single run.
        let has_threads =
            |(_, _, shapes): &(usize, Schedule, Vec<Shape>)| !shapes.iter().any(Shape::is_one_thread);
        if schedules.iter().any(has_threads) {
            schedules.retain(has_threads);
        }
        Ok(Self {
            #[cfg(feature = "show")]
            written: nest.clone(),
            forms,
            schedules,
            sizes: None,
        })
    }

    /// Says the sizes of inputs by their names, so that a search begins with tilings that are likely fast at these.
    ///
    /// None are known of an input for which the function returns none.
    ///
    /// ```
    /// use nitro_nest::{Array2, MappingSpace, nest};
    /// use nitro_search::Generator;
    ///
    /// #[nest]
    /// fn square(n: usize, #[shape(n, n)] a: &Array2<f32>, #[shape(n, n)] c: &mut Array2<f32>) {
    ///     for i in 0..n {
    ///         for j in 0..n {
    ///             for k in 0..n {
    ///                 c[[i, j]] += a[[i, k]] * a[[k, j]];
    ///             }
    ///         }
    ///     }
    /// }
    ///
    /// let space = MappingSpace::new(&square::nest())?.with_sizes(|input| Some(vec![input.parse().ok()?]));
    /// let multiprocessors = |feature: &str| (feature == "sm_count").then_some(132.0);
    /// assert!(!space.guesses("1000", &multiprocessors).is_empty());
    /// assert!(space.guesses("what has no sizes", &multiprocessors).is_empty());
    /// # Ok::<(), nitro_nest::DependenceError>(())
    /// ```
    #[must_use]
    pub fn with_sizes(self, sizes: impl Fn(&str) -> Option<Vec<i64>> + Send + Sync + 'static) -> Self {
        Self { sizes: Some(SizesOfInputs(Arc::new(sizes))), ..self }
    }

    /// Returns the nest as it is written, with temporaries and wavefronts.
    #[must_use]
    pub fn nest(&self) -> &Nest {
        &self.forms.get(Rewrites::default()).nest
    }

    /// Returns the program of a mapping of the nest in the mapping's [form](Mapping::form).
    #[must_use]
    pub fn map(&self, mapping: &Mapping) -> Program {
        let rewrites = Rewrites { form: mapping.form(), fuses_loops: false };
        lower_as_it_is(self.forms.get(rewrites), mapping)
    }

    /// Maps as [`map`](Self::map), with fused loops, if any can be.
    #[must_use]
    pub fn map_with_fused_loops(&self, mapping: &Mapping) -> Program {
        let rewrites = Rewrites { form: mapping.form(), fuses_loops: true };
        lower_as_it_is(self.forms.get(rewrites), mapping)
    }

    /// Returns the program that these choices give.
    ///
    /// # Panics
    /// When the path is not complete, or is none of this space.
    #[must_use]
    pub fn program(&self, path: &[Crossing]) -> Program {
        lower_as_it_is(self.input(path), &self.mapping(path))
    }

    /// Returns the form of the nest that a path begins with.
    fn input(&self, path: &[Crossing]) -> &AnalysedNest {
        &self.forms.all[self.schedule(path).0].1
    }

    /// Returns the mapping that these choices give, of the nest with [fused loops](Self::has_fused_loops) or without.
    ///
    /// # Panics
    /// When the path is not complete, or is none of this space.
    #[must_use]
    pub fn mapping(&self, path: &[Crossing]) -> Mapping {
        let (index, schedule, ..) = self.schedule(path);
        let mut mapping = Mapping::sane().with_schedule(schedule).with_form(self.forms.all[index].0.form);
        for (shape, tiling) in self.tilings(path) {
            mapping = mapping.with_tiling(&shape.statements, tiling);
        }
        mapping
    }

    /// Returns the kernels that these choices give, each with its tiling.
    fn tilings(&self, path: &[Crossing]) -> Vec<(&Shape, Tiling)> {
        let (_, _, shapes, mut rest) = self.schedule(path);
        let mut tilings = Vec::new();
        for shape in shapes {
            let questions = questions(shape);
            let (own, others) = rest.split_at(questions.len());
            rest = others;
            let values: Vec<u32> =
                questions.iter().zip(own).map(|(question, one)| question.values[one.option]).collect();
            tilings.push((shape, tiling(shape, &questions, &values)));
        }
        tilings
    }

    /// Returns `true` if these choices begin with fused loops.
    ///
    /// # Panics
    /// When the path is not complete, or is none of this space.
    #[must_use]
    pub fn has_fused_loops(&self, path: &[Crossing]) -> bool {
        self.forms.all[self.schedule(path).0].0.fuses_loops
    }

    /// Returns the name of the part that a kernel is, by its statements.
    fn part(statements: &[usize]) -> Part {
        Part::new(kernel::part(statements))
    }

    /// Returns the form and schedule that a path begins with, its kernels, and the choices about them.
    fn schedule<'a, 'p>(&'a self, path: &'p [Crossing]) -> (usize, Schedule, &'a [Shape], &'p [Crossing]) {
        let (option, rest) = match (self.schedules.len(), path) {
            (1, path) => (0, path),
            (_, [first, rest @ ..]) => (first.option, rest),
            (_, []) => panic!("a path begins with a schedule"),
        };
        let (form, schedule, shapes) = &self.schedules[option];
        (*form, *schedule, shapes, rest)
    }
}

impl Decisions for MappingSpace {
    fn next(&self, path: &[Crossing]) -> Step {
        if self.schedules.len() > 1 && path.is_empty() {
            return Step::Choose(Decision::new(NodeKey::new("schedule"), self.schedules.len()));
        }
        let (_, _, shapes, mut rest) = self.schedule(path);
        for shape in shapes {
            let questions = questions(shape);
            if rest.len() < questions.len() {
                return Step::Choose(decision(shape, &questions, rest));
            }
            rest = &rest[questions.len()..];
        }
        Step::Complete
    }

    fn initial_paths(&self) -> Vec<Vec<Crossing>> {
        self.preset_paths()
    }
}
