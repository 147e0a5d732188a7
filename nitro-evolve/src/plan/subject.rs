//! A launch plan as a subject.

use nitro_cuda::{Executable, Options, Output};
use nitro_launch::{Integers, LaunchPlan, PlanError, PlannedPtx};

use super::error::PlannedError;
use super::formula::Names;
use super::write;
use crate::subject::Subject;
use crate::workload::{Argument, Set, Workload};

/// A launch plan with its kernels in PTX, and a workload that fits it.
///
/// ```
/// use nitro_evolve::{PlannedSubject, Set, Workload};
/// use nitro_launch::LaunchPlan;
///
/// # let text = r#"{"format":1,"name":"fill","sizes":["n"],"scalars":["value"],"temporaries":[],"iterators":[],
/// #     "contracts":true,"cuda":"// ..",
/// #     "arrays":[{"name":"x","shape":[{"terms":[[{"Parameter":0},1]],"constant":0}],"is_written":true}],
/// #     "kernels":[{"name":"fill_0","part":"0","host_iterators":[],"block":[256,1,1],"points":[1,1,1],
/// #         "grid":[{"lower":[{"terms":[],"constant":0}],
/// #             "upper":[{"terms":[[{"Parameter":0},1]],"constant":0}],"step":1}]}],
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

impl PlannedSubject {
    /// Writes a workload for a plan: its buffers, launches and loops, with inputs around these numbers.
    ///
    /// The numbers are the plan's sizes by their names, and perhaps scalars. Sizes beside them, larger, smaller and
    /// odd, are for the validation and the test. Arrays that are read or written hold numbers from 0 to 1 in the
    /// beginning.
    ///
    /// # Errors
    /// When a size has no value or is none, or the plan cannot run with these sizes.
    pub fn workload(plan: &LaunchPlan, numbers: &[(String, f64)]) -> Result<String, PlannedError> {
        plan.check()?;
        write::workload(plan, numbers)
    }

    /// Compiles the kernels of a plan by NVRTC for a compute capability such as `90`.
    ///
    /// They count in the integers that the workload gives them. A plan of PTX keeps that.
    ///
    /// # Errors
    /// When the plan cannot be compiled, or does not fit the workload.
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

    /// Returns the PTX with its workload, which [`evolve`](crate::evolve()) takes.
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Returns the plan with a patched text ([`Finding::ptx`](crate::Finding::ptx)) in the place of its kernels.
    ///
    /// `nitro_cuda::Executable` runs it.
    ///
    /// # Errors
    /// When the text lacks a kernel, or does not say which devices it is for.
    pub fn patched(&self, ptx: &str) -> Result<LaunchPlan, PlanError> {
        self.plan.with_ptx(PlannedPtx { integers: self.integers, text: ptx.to_owned() })
    }
}

/// Returns the integers that the launches of a workload give the plan's kernels, which take them first.
fn counted_in(plan: &LaunchPlan, workload: &Workload) -> Result<Integers, PlannedError> {
    let inputs = workload.inputs(Set::Search, 0)?;
    let mut launches = inputs.launches.iter();
    let first = launches.find(|launch| plan.kernels.iter().any(|kernel| kernel.name == launch.kernel));
    Ok(match first.and_then(|launch| launch.arguments.first()) {
        Some(Argument::Scalar(bytes)) if bytes.len() == 8 && !plan.sizes.is_empty() => Integers::Bits64,
        _ => Integers::Bits32,
    })
}

/// Checks that the integers of a workload hold its sizes: somebody may have changed them.
fn suffices(plan: &LaunchPlan, workload: &Workload, integers: Integers) -> Result<(), PlannedError> {
    let names = Names::new(plan);
    for set in [Set::Search, Set::Validation, Set::Test] {
        for case in 0..workload.cases(set) {
            let own = names.sizes[..plan.sizes.len()].iter();
            let sizes: Option<Vec<i64>> =
                own.map(|name| workload.number(set, case, name).map(|number| number as i64)).collect();
            let Some(sizes) = sizes else { continue }; // whoever wrote it calls sizes otherwise
            if plan.integers(&sizes)? == Integers::Bits64 && integers == Integers::Bits32 {
                return Err(PlannedError::Numbers(format!(
                    "{}: with {}, `{}` takes integers of 64 bits: write i64 in the place of i32 in all \
                     arguments",
                    workload.file().display(),
                    workload.case_name(set, case),
                    plan.name
                )));
            }
        }
    }
    Ok(())
}
