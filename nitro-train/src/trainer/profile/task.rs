//! The work of the process that Nsight Compute watches.
//!
//! It makes the calls of one profile, and announces them section by section.

use std::cell::RefCell;
use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use nitro_core::provide::{OpenDevice, Profiled};
use nitro_core::{Artifact, Choice};
use serde::{Deserialize, Serialize};

use crate::measure::{BoxError, Extent, RecordError, profile_choice, profile_inputs, run_on};
use crate::profile::{ProfileError, Section, Shown};
use crate::trainer::builder::Trainer;
use crate::trainer::error::TrainError;
use crate::trainer::tunable::Tunable;

/// Tells a process that a profiler watches it, and what it is to show.
pub(super) const VARIABLE: &str = "NITRO_TRAIN_PROFILE";
/// The highest intensity of a proxy.
const INTENSITIES: u32 = 5;

/// The calls that a process shows the profiler.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Task {
    /// The function; none for the proxies.
    pub(super) function: Option<String>,
    pub(super) device: String,
    /// The folder of real inputs.
    pub(super) inputs: Option<PathBuf>,
    /// The file that the sections are announced in.
    pub(super) sections: PathBuf,
    pub(super) seconds: u64,
    pub(super) sample: u16,
    pub(super) launches: u16,
    /// The only call to make; none for every variant on some inputs.
    pub(super) only: Option<OneCall>,
}

/// A call of generated code.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct OneCall {
    pub(super) variant: String,
    /// The file that the code is in.
    pub(super) artifact: PathBuf,
    pub(super) input: String,
}

/// Returns true if a profiler watches this process, which then runs its task and nothing else.
pub(crate) fn is_watched() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

impl Trainer {
    /// Runs the task of this process if a profiler watches it; returns false if none does.
    pub(crate) fn show_profiler(&self) -> Result<bool, TrainError> {
        let Ok(task) = std::env::var(VARIABLE) else { return Ok(false) };
        let task: Task = serde_json::from_str(&task).map_err(ProfileError::Sections)?;
        let device = self.open_device(&task.device)?;
        let file =
            File::create(&task.sections).map_err(TrainError::io(task.sections.display().to_string()))?;
        let ended = match &task.function {
            None => run_on(&*device, || {
                profiled(&*device).and_then(|profiled| proxies(profiled, file)).map_err(RecordError::Device)
            }),
            Some(name) => {
                let tunable = self.wanted(std::slice::from_ref(name))?[0];
                run_on(&*device, || match &task.only {
                    None => function(tunable, &*device, &task, file),
                    Some(only) => one_call(tunable, &*device, &task, only, file),
                })
            }
        };
        let ended = ended.map_err(RecordError::Device).flatten();
        ended.map_err(|error| TrainError::Session(error.into()))?;
        Ok(true)
    }
}

/// Calls generated code once on its input.
fn one_call(
    tunable: &Tunable,
    device: &dyn OpenDevice,
    task: &Task,
    only: &OneCall,
    file: File,
) -> Result<(), RecordError> {
    let text = std::fs::read_to_string(&only.artifact).map_err(|error| RecordError::Device(error.into()))?;
    let Some(variant) = tunable.function.variant_named(&only.variant) else {
        return Err(RecordError::Device(format!("there is no variant `{}`", only.variant).into()));
    };
    let choice = Choice { variant, configuration: Artifact::keep(&text).into() };
    let file = RefCell::new(file);
    profile_choice(
        tunable.function,
        (&device, profiled(device).map_err(RecordError::Device)?),
        tunable.inputs(task.inputs.as_deref()),
        task.launches.into(),
        (only.input.clone(), choice),
        &|section: &Section| section.announce(&mut *file.borrow_mut()),
        &tunable.record,
    )
}

fn profiled(device: &dyn OpenDevice) -> Result<&dyn Profiled, BoxError> {
    device.profiled().ok_or_else(|| format!("{} cannot be profiled", device.entry().id()).into())
}

/// Launches every proxy once at every intensity.
fn proxies(device: &dyn Profiled, mut file: File) -> Result<(), BoxError> {
    let each = device.proxies().iter().flat_map(|&proxy| (0..=INTENSITIES).map(move |step| (proxy, step)));
    for (section, (proxy, intensity)) in (1..).zip(each) {
        let what = Shown::Proxy { proxy: proxy.to_owned(), intensity };
        Section { section, shown: 1, what }.announce(&mut file)?;
        device.show_proxy(section, proxy, intensity)?;
    }
    Ok(())
}

/// Calls every variant of a function on some inputs, until the time has passed.
fn function(tunable: &Tunable, device: &dyn OpenDevice, task: &Task, file: File) -> Result<(), RecordError> {
    let ends = Instant::now() + Duration::from_secs(task.seconds);
    let (file, extent) =
        (RefCell::new(file), Extent { inputs: task.sample.into(), launches: task.launches.into() });
    profile_inputs(
        tunable.function,
        (&device, profiled(device).map_err(RecordError::Device)?),
        tunable.inputs(task.inputs.as_deref()),
        extent,
        &|| Instant::now() >= ends,
        &|section: &Section| section.announce(&mut *file.borrow_mut()),
        &tunable.record,
    )
}
