//! The process that Nsight Compute watches: it makes the calls of one profile, and announces them section by section.

use std::cell::RefCell;
use std::fs::File;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use nitro_core::provide::{Watched, Workplace};

use super::args::ProfileWorkerArgs;
use super::data;
use super::named;
use crate::measure::{BoxError, Extent, Inputs, profile_inputs, run_on};
use crate::profile::{Section, Shown};
use crate::trainer::{Registered, Trainer};

/// The highest intensity of a proxy.
const INTENSITIES: u32 = 5;

pub(super) fn run(trainer: &Trainer, args: &ProfileWorkerArgs) -> Result<()> {
    let device = named::open(trainer, &args.device)?;
    let file = File::create(&args.sections).with_context(|| format!("{}", args.sections.display()))?;
    let ended = match &args.function {
        None => run_on(&*device, || proxies(watched(&*device)?, file)),
        Some(name) => {
            let registered = data::registered(trainer, std::slice::from_ref(name))?[0];
            run_on(&*device, || function(registered, &*device, args, file))
        }
    };
    ended.flatten().map_err(anyhow::Error::from_boxed)
}

fn watched(device: &dyn Workplace) -> Result<&dyn Watched, BoxError> {
    device.watched().ok_or_else(|| format!("{} cannot be watched", device.entry().id()).into())
}

/// One launch of every proxy at every intensity.
fn proxies(device: &dyn Watched, mut file: File) -> Result<(), BoxError> {
    let each = device.proxies().iter().flat_map(|&proxy| (0..=INTENSITIES).map(move |step| (proxy, step)));
    for (section, (proxy, intensity)) in (1..).zip(each) {
        let what = Shown::Proxy { proxy: proxy.to_owned(), intensity };
        Section { section, shown: 1, what }.announce(&mut file)?;
        device.show_proxy(section, proxy, intensity)?;
    }
    Ok(())
}

/// Every variant of a function on some inputs, until the time has passed.
fn function(
    registered: &Registered,
    device: &dyn Workplace,
    args: &ProfileWorkerArgs,
    file: File,
) -> Result<(), BoxError> {
    let ends = Instant::now() + Duration::from_secs(args.seconds.into());
    let (file, extent) =
        (RefCell::new(file), Extent { inputs: args.sample.into(), launches: args.launches.into() });
    let inputs = match &args.inputs {
        Some(folder) => Inputs::Folder(folder),
        None => Inputs::Generated(&registered.generated),
    };
    profile_inputs(
        registered.function,
        (&device, watched(device)?),
        inputs,
        extent,
        &|| Instant::now() >= ends,
        &|section: &Section| section.announce(&mut *file.borrow_mut()),
        &registered.record,
    )
}
