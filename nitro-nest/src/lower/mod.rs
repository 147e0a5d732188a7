//! From a nest to a program: the passes, in the order in which they run.
//!
//! Every program of a nest is made by [`lower`]. Passes over nests give another nest; those after them fill in a
//! [`Draft`], which ends as a [`Program`]. An observer sees the draft after each pass, and a draft prints itself.

mod arrange;
mod bounds;
#[cfg(feature = "polyhedral")]
mod chosen;
mod components;
mod draft;
#[cfg(feature = "polyhedral")]
mod extremes;
mod factors;
#[cfg(feature = "search")]
mod forms;
#[cfg(feature = "polyhedral")]
mod fusion;
mod grid;
mod groups;
#[cfg(feature = "polyhedral")]
mod partials;
#[cfg(feature = "search")]
mod products;
#[cfg(feature = "polyhedral")]
mod recurrences;
mod row_kernels;
#[cfg(feature = "polyhedral")]
mod rows;
#[cfg(feature = "polyhedral")]
mod same_rows;
#[cfg(feature = "polyhedral")]
mod scales;
mod scans;
mod scattered;
#[cfg(feature = "polyhedral")]
mod sums;
mod temporal;
#[cfg(feature = "polyhedral")]
mod temporaries;
mod threads;
mod tilings;
#[cfg(feature = "polyhedral")]
mod turned;
#[cfg(feature = "polyhedral")]
mod wavefronts;

use crate::dependence::{DependenceError, Dependences};
use crate::kernel::Program;
use crate::mapping::{Form, Mapping};
use crate::nest::Nest;

#[cfg(feature = "show")]
pub(crate) use draft::Axis;
use draft::Draft;
#[cfg(any(feature = "search", feature = "show"))]
pub(crate) use draft::KernelDraft;
pub(crate) use factors::factored;
#[cfg(feature = "search")]
pub(crate) use forms::Forms;
#[cfg(feature = "search")]
pub(crate) use grid::rest;
#[cfg(feature = "search")]
pub(crate) use products::{Operand, Product};
#[cfg(feature = "show")]
pub(crate) use temporal::Temporal;
#[cfg(feature = "search")]
pub(crate) use temporal::{Stencil, plan as plan_in_time, usual_tiling as usual_tiling_in_time};
#[cfg(feature = "search")]
pub(crate) use threads::has_slices;
#[cfg(feature = "search")]
pub(crate) use tilings::{operands, reads_across, splits_many, sums, tiles};

/// A nest with its dependences.
#[derive(Clone, Debug)]
pub(crate) struct AnalysedNest {
    pub(crate) nest: Nest,
    pub(crate) dependences: Dependences,
}

#[cfg(feature = "polyhedral")]
impl AnalysedNest {
    /// Finds the dependences of a nest.
    pub(crate) fn new(nest: Nest) -> Result<Self, DependenceError> {
        Ok(Self { dependences: nest.dependences()?, nest })
    }
}

/// The optional passes over nests that a program is made with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rewrites {
    pub(crate) form: Form,
    pub(crate) fuses_loops: bool,
}

/// A pass over nests: gives another nest that computes the same, or none where there is nothing to do.
#[cfg_attr(not(feature = "polyhedral"), allow(dead_code, reason = "without isl there is no such pass"))]
struct NestPass {
    name: &'static str,
    /// The decision that asks for the pass; none: it is always run.
    option: Option<fn(&mut Rewrites) -> &mut bool>,
    run: RunNestPass,
}

type RunNestPass = fn(&AnalysedNest) -> Result<Option<AnalysedNest>, DependenceError>;

/// A pass that brings a draft nearer to a program.
struct DraftPass {
    name: &'static str,
    run: fn(&mut Draft<'_>),
}

/// All passes over nests. What a nest costs and what it may run in parallel changes here, its results do not.
#[cfg(feature = "polyhedral")]
const NEST_PASSES: &[NestPass] = &[
    NestPass { name: "temporaries", option: None, run: temporaries::run },
    NestPass { name: "wavefronts", option: None, run: wavefronts::run },
    NestPass {
        name: "joined sums",
        option: Some(|asked| &mut asked.form.joins_sums),
        run: sums::with_factors,
    },
    NestPass {
        name: "partial results",
        option: Some(|asked| &mut asked.form.parts_reductions),
        run: partials::run,
    },
    NestPass { name: "joined rows", option: Some(|asked| &mut asked.form.joins_rows), run: rows::run },
    NestPass { name: "fused loops", option: Some(|asked| &mut asked.fuses_loops), run: fusion::run },
];
#[cfg(not(feature = "polyhedral"))]
const NEST_PASSES: &[NestPass] = &[];

/// All passes from a nest to the code of its kernels.
const DRAFT_PASSES: &[DraftPass] = &[
    DraftPass { name: "kernels", run: groups::run },
    DraftPass { name: "tiles in time", run: temporal::run },
    DraftPass { name: "tilings", run: tilings::run },
    DraftPass { name: "grid", run: grid::run },
    DraftPass { name: "threads", run: threads::run },
];

impl NestPass {
    fn is_asked(&self, mut rewrites: Rewrites) -> bool {
        self.option.is_none_or(|option| *option(&mut rewrites))
    }
}

/// Called after each pass, with its name.
pub(crate) type Observer<'o> = dyn FnMut(&'static str, &Draft<'_>) + 'o;

/// Lowers a nest to a program, by all passes in order.
///
/// Without `rewrites` no pass over nests is run, as where that was done before.
///
/// # Errors
/// When a pass over nests asks isl for dependences and gets none.
pub(crate) fn lower<'m>(
    input: AnalysedNest,
    rewrites: Option<Rewrites>,
    mapping: &'m Mapping,
    observer: &mut Observer<'_>,
) -> Result<Draft<'m>, DependenceError> {
    let mut draft = Draft::new(input, mapping);
    for pass in NEST_PASSES {
        if !rewrites.is_some_and(|rewrites| pass.is_asked(rewrites)) {
            continue;
        }
        if let Some(output) = (pass.run)(&draft.input)? {
            draft.input = output;
        }
        observer(pass.name, &draft);
    }
    for pass in DRAFT_PASSES {
        (pass.run)(&mut draft);
        observer(pass.name, &draft);
    }
    Ok(draft)
}

/// Lowers a nest as it is: by the passes after those over nests.
pub(crate) fn lower_as_it_is(input: &AnalysedNest, mapping: &Mapping) -> Program {
    let draft = lower(input.clone(), None, mapping, &mut |_, _| {});
    draft.expect("only passes over nests fail").into_program()
}

/// Groups the statements of a nest into kernels, without code: the first passes over a draft alone.
#[cfg(feature = "search")]
pub(crate) fn grouped<'m>(input: &AnalysedNest, mapping: &'m Mapping) -> Draft<'m> {
    let mut draft = Draft::new(input.clone(), mapping);
    groups::run(&mut draft);
    temporal::run(&mut draft);
    draft
}

/// Runs one pass over a nest.
#[cfg(feature = "polyhedral")]
fn rewritten(nest: &Nest, run: RunNestPass) -> Result<Nest, DependenceError> {
    let input = AnalysedNest::new(nest.clone())?;
    Ok(run(&input)?.unwrap_or(input).nest)
}

impl Nest {
    /// Maps the nest as it is to kernels. `dependences` have to be those of this nest.
    ///
    #[cfg_attr(feature = "polyhedral", doc = "```")]
    #[cfg_attr(not(feature = "polyhedral"), doc = "```ignore")]
    /// use nitro_nest::{Array2, Mapping, nest};
    ///
    /// #[nest]
    /// fn column_sums(n: usize, m: usize, #[shape(n, m)] a: &Array2<f32>, #[shape(m)] sums: &mut [f32]) {
    ///     for i in 0..n {
    ///         for j in 0..m {
    ///             sums[j] += a[[i, j]];
    ///         }
    ///     }
    /// }
    ///
    /// let nest = column_sums::nest();
    /// let program = nest.map(&nest.dependences()?, &Mapping::naive());
    /// // The loop over `j` is parallel: a thread for each column, which goes through the rows.
    /// assert!(program.to_string().contains("kernel column_sums_0 over 0..m in blocks of 256 × 1 × 1"), "{program}");
    /// # Ok::<(), nitro_nest::DependenceError>(())
    /// ```
    #[must_use]
    pub fn map(&self, dependences: &Dependences, mapping: &Mapping) -> Program {
        let input = AnalysedNest { nest: self.clone(), dependences: dependences.clone() };
        lower_as_it_is(&input, mapping)
    }

    /// Lowers the nest to kernels by all passes, those over nests too, and tells of each.
    ///
    /// `observer` is given the name of each pass and a dump of what there is after it: the nest, what is decided
    /// about kernels, and in the end their code. Passes over nests are those of the mapping's [`Form`], without
    /// fused loops.
    ///
    /// ```
    /// use nitro_nest::{Mapping, nest};
    ///
    /// #[nest]
    /// fn scale(n: usize, factor: f32, #[shape(n)] x: &mut [f32]) {
    ///     for i in 0..n {
    ///         x[i] *= factor;
    ///     }
    /// }
    ///
    /// let mut passes = Vec::new();
    /// scale::nest().lower_with(&Mapping::naive(), &mut |pass, dump| passes.push((pass, dump.to_owned())))?;
    /// assert_eq!(passes.first().unwrap().0, "temporaries");
    /// assert!(passes.last().unwrap().1.contains("x[i] = x[i] * factor;"));
    /// # Ok::<(), nitro_nest::DependenceError>(())
    /// ```
    ///
    /// # Errors
    /// As `Nest::dependences`.
    #[cfg(feature = "polyhedral")]
    pub fn lower_with(
        &self,
        mapping: &Mapping,
        observer: &mut dyn FnMut(&'static str, &str),
    ) -> Result<Program, DependenceError> {
        let rewrites = Rewrites { form: mapping.form(), fuses_loops: false };
        let input = AnalysedNest::new(self.clone())?;
        let mut tell = |pass, draft: &Draft<'_>| observer(pass, &draft.to_string());
        Ok(lower(input, Some(rewrites), mapping, &mut tell)?.into_program())
    }
}
