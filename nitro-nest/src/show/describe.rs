//! A plan that a search found, described from what it says of its origin.

use nitro_cuda::{Executable, Options};
use nitro_launch::LaunchPlan;
use nitro_search::{BoxError, Description, Target};

use super::{Compiled, NestView};
use crate::kernel::Integers;
use crate::lower::{Forms, Rewrites};
use crate::nest::Nest;
use crate::origin::Origin;

/// Describes what was done by a plan's mapping to a nest that is written so, and has these forms.
pub(crate) fn describe(
    written: &Nest,
    forms: &Forms,
    artifact: &str,
    target: Option<Target<'_>>,
) -> Result<Description, BoxError> {
    let plan = LaunchPlan::from_json(artifact)?;
    let own = written.name();
    if plan.name != own {
        let other = plan.name;
        return Err(format!("this plan is of the nest `{other}`, and the generator is for `{own}`").into());
    }
    let origin = Origin::read(&plan.origin)?;
    let rewrites = origin.rewrites();
    let apart = Rewrites { fuses_loops: false, ..rewrites };
    if rewrites.fuses_loops && forms.index(rewrites) == forms.index(apart) {
        return Err("this plan has fused loops, and of this nest no loops are fused".into());
    }
    let mut view = NestView::rewritten(written, rewrites, &origin.mapping)?;
    let made = LaunchPlan { origin: plan.origin.clone(), ..view.program.plan() };
    if made != plan {
        view.note = Some(OTHER_TEXT.to_owned());
    }
    if let Some(target) = target {
        view = compiled(view, &plan, target);
    }
    Ok(Description { text: view.text(), html: view.page(), passes: view.passes() })
}

const OTHER_TEXT: &str = "This plan was made by another version of the generator, or was changed: from the same \
    mapping this version makes other kernels, which are those shown here. What they take is that of the plan's own.";

fn compiled(view: NestView, plan: &LaunchPlan, target: Target<'_>) -> NestView {
    let image = architecture(target).and_then(|architecture| {
        let image = Executable::image(plan, Integers::Bits32, Options::new(architecture))?;
        Ok((image, architecture))
    });
    match image {
        Ok((image, architecture)) => view.with_image(&image, architecture),
        Err(error) => NestView { compiled: Compiled::Not(Some(error.to_string())), ..view },
    }
}

fn architecture(target: Target<'_>) -> Result<u32, BoxError> {
    match target {
        Target::Architecture(architecture) => Ok(architecture),
        Target::Device(name) => {
            let device = nitro_cuda::parse(name).ok_or_else(|| format!("`{name}` is no CUDA device"))?;
            Ok(device?.architecture())
        }
    }
}
