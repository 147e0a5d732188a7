//! Launch plans as subjects: kernels that a search found, or anything else that ships as a plan.
//!
//! [`PlannedSubject::workload`] writes how a plan is run as a workload, which a person may change;
//! [`PlannedSubject::new`] compiles the plan to PTX that fits it; and what evolution made of that becomes a plan
//! again by [`PlannedSubject::patched`].

mod cases;
mod formula;
mod write;

use nitro_cuda::{CudaError, Executable, Options, Output};
use nitro_launch::{Integers, LaunchPlan, PlanError, PlannedPtx};

use crate::workload::{Argument, Set, Workload, WorkloadError};
use crate::{Subject, SubjectError};

/// A launch plan with its kernels in PTX, and a workload that fits it.
///
/// ```
/// use nitro_evolve::{PlannedSubject, Set, Workload};
/// use nitro_launch::LaunchPlan;
///
/// # let text = r#"{"format":1,"name":"fill","sizes":["n"],"scalars":["value"],"temporaries":[],"iterators":[],"contracts":true,"cuda":"// ..",
/// #     "arrays":[{"name":"x","shape":[{"terms":[[{"Parameter":0},1]],"constant":0}],"is_written":true}],
/// #     "kernels":[{"name":"fill_0","part":"0","host_iterators":[],"block":[256,1,1],"points":[1,1,1],
/// #         "grid":[{"lower":[{"terms":[],"constant":0}],"upper":[{"terms":[[{"Parameter":0},1]],"constant":0}],"step":1}]}],
/// #     "host":[{"Launch":0}]}"#;
/// let plan = LaunchPlan::from_json(text)?; // `fill`, of the size `n`
/// let workload = PlannedSubject::workload(&plan, &[("n".into(), 1000.0)])?;
/// assert!(workload.contains("kernel = \"fill_0\""), "a person may change it");
/// let workload = Workload::parse("fill.toml".as_ref(), &workload)?;
/// assert_eq!(workload.inputs(Set::Search, 0)?.launches[0].grid, [4, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlannedSubject {
    plan: LaunchPlan,
    integers: Integers,
    subject: Subject,
}

/// Why a plan cannot be evolved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlannedError {
    /// A number is missing, or is none of the plan.
    #[error("{0}")]
    Numbers(String),
    /// The plan is refused, or cannot run with these sizes.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The plan cannot be compiled.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// A workload that was written for the plan is none.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// The workload is of something else.
    #[error(transparent)]
    Subject(#[from] SubjectError),
}

impl PlannedSubject {
    /// A workload for a plan, as text: its buffers, launches and loops, with inputs around these numbers, which are
    /// its sizes by their names, and perhaps scalars. Sizes beside them, larger, smaller and odd, are for the
    /// validation and the test. Arrays that kernels only read, and those that they write, hold numbers from 0 to 1
    /// in the beginning.
    ///
    /// # Errors
    /// When a size has no value or is none, or the plan cannot run with these sizes.
    pub fn workload(plan: &LaunchPlan, numbers: &[(String, f64)]) -> Result<String, PlannedError> {
        plan.check()?;
        write::workload(plan, numbers)
    }

    /// Compiles the kernels of a plan by NVRTC for a compute capability, as in `90`, in the integers that the
    /// workload gives them. A plan of PTX keeps that.
    ///
    /// # Errors
    /// Those of the compiler, and when plan and workload do not fit.
    pub fn new(plan: LaunchPlan, workload: Workload, architecture: u32) -> Result<Self, PlannedError> {
        plan.check()?;
        let integers = match &plan.ptx {
            Some(ptx) => ptx.integers,
            None => counted_in(&plan, &workload)?,
        };
        suffices(&plan, &workload, integers)?;
        let options = Options::new(architecture).with_output(Output::Ptx);
        let image = Executable::image(&plan, integers, options)?;
        let subject = Subject::new(image.ptx().unwrap_or_default(), workload)?;
        Ok(Self { plan, integers, subject })
    }

    /// The PTX with its workload, which [`evolve`](crate::evolve()) takes.
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The plan with a patched text ([`Finding::ptx`](crate::Finding::ptx)) in the place of its kernels:
    /// `nitro_cuda::Executable` runs it.
    ///
    /// # Errors
    /// When the text lacks a kernel, or does not say which devices it is for.
    pub fn patched(&self, ptx: &str) -> Result<LaunchPlan, PlanError> {
        self.plan.with_ptx(PlannedPtx { integers: self.integers, text: ptx.to_owned() })
    }
}

/// The integers that the launches of a workload give the plan's kernels, which take them first.
fn counted_in(plan: &LaunchPlan, workload: &Workload) -> Result<Integers, PlannedError> {
    let is_ours = |kernel: &str| plan.kernels.iter().any(|one| one.name == kernel);
    let inputs = workload.inputs(Set::Search, 0)?;
    let first = inputs.launches.iter().find(|launch| is_ours(&launch.kernel));
    Ok(match first.and_then(|launch| launch.arguments.first()) {
        Some(Argument::Scalar(bytes)) if bytes.len() == 8 && !plan.sizes.is_empty() => Integers::Bits64,
        _ => Integers::Bits32,
    })
}

/// A workload that was changed may have sizes beyond what its integers hold.
fn suffices(plan: &LaunchPlan, workload: &Workload, integers: Integers) -> Result<(), PlannedError> {
    let names = write::names(plan);
    for set in [Set::Search, Set::Validation, Set::Test] {
        for case in 0..workload.cases(set) {
            let size = |name: &String| workload.number(set, case, name).map(|number| number as i64);
            let Some(sizes) = names.sizes[..plan.sizes.len()].iter().map(size).collect::<Option<Vec<_>>>()
            else {
                continue; // whoever wrote it calls sizes otherwise
            };
            if plan.integers(&sizes)? == Integers::Bits64 && integers == Integers::Bits32 {
                return Err(PlannedError::Numbers(format!(
                    "{}: with {}, `{}` takes integers of 64 bits: write i64 in the place of i32 in all arguments",
                    workload.file().display(),
                    workload.case_name(set, case),
                    plan.name
                )));
            }
        }
    }
    Ok(())
}
