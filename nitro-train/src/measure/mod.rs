//! Measuring: variants run through ordinary calls, on a device, repeated until their medians are known.

mod claims;
mod clock;
mod error;
mod folder;
mod inputs;
mod pool;
mod profiling;
mod progress;
mod pulse;
mod recording;
mod repeat;
mod session;
mod share;
mod subject;
mod survey;

use std::collections::BTreeSet;
use std::error::Error;
use std::time::Duration;

use nitro_core::provide::Watched;
use nitro_core::{Device, Function};

pub(crate) use clock::Watch;
pub use clock::{Clock, SystemClock};
pub use error::RecordError;
pub use inputs::Inputs;
pub use pool::{HostDeviceError, HostDevices, run_on, whole_host};
pub use profiling::Extent;
pub use progress::{Attempt, Progress};
pub use repeat::{Repeats, Summary};
pub use session::Session;
pub use share::{DueInputs, Share};
pub use subject::describe_device;

use crate::profile::Section;
use crate::recordings::Input;
use crate::store::Store;
use claims::{Claims, SharedStore};
use clock::LostTime;
use profiling::Profiling;
use pulse::Pulse;
use recording::{Recording, Shared};
use session::Work;
use subject::Subject;
use survey::Survey;

/// The error of a recording closure: whatever its own work may raise.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// What to record and how.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// The inputs.
    pub inputs: Inputs<'a>,
    /// Of these the ones to record, by name; none for all.
    pub only: Option<BTreeSet<String>>,
    /// When the repeats of one variant on one input end.
    pub repeats: Repeats,
    /// With whom the inputs are shared.
    pub share: Share,
    /// When, by the clock, no further input is begun, and of the one under way nothing is repeated; none for never.
    pub until: Option<Duration>,
    /// The clock.
    pub clock: &'a dyn Clock,
}

impl<'a> Plan<'a> {
    /// All inputs, however long it takes.
    #[must_use]
    pub fn new(inputs: Inputs<'a>, repeats: Repeats, share: Share) -> Self {
        Self { inputs, only: None, repeats, share, until: None, clock: &SystemClock }
    }
}

/// Records one function on the device that the calling thread works on; what the store holds already is skipped. Inputs that
/// other recorders have claimed are waited for, and measured here after all if their claim expires: `record` is then called again.
///
/// # Errors
/// What `record` returns, and when the store or the folder of inputs cannot be used. [`RecordError::DeviceLost`] when a
/// variant took the device away from this process, whatever `record` returns: the variant is recorded as failed on that
/// input, and a fresh process goes on after it. What was measured until then is kept.
pub fn record_inputs(
    function: &'static Function,
    device: &dyn Device,
    plan: &Plan<'_>,
    store: &mut dyn Store,
    progress: &dyn Progress,
    record: impl Fn(&mut Session<'_>) -> Result<(), BoxError>,
) -> Result<(), BoxError> {
    let subject = Subject { function, device };
    let (store, lost_time) = (SharedStore::new(store), LostTime::new(plan.clock));
    let claims = Claims::new(subject, &plan.share, &store);
    std::thread::scope(|scope| {
        let _heartbeat = Pulse::start(scope, plan.share.period(), || claims.renew());
        let _looks = Pulse::start(scope, LostTime::PERIOD, || {
            lost_time.look();
        });
        let shared = Shared { store: &store, claims: &claims, lost_time: &lost_time };
        while one_pass(subject, plan, shared, progress, &record)? {}
        Ok(())
    })
}

/// Records the inputs that nobody else has claimed; whether there are more now.
fn one_pass<'a>(
    subject: Subject<'a>,
    plan: &'a Plan<'a>,
    shared: Shared<'a>,
    progress: &'a dyn Progress,
    record: impl Fn(&mut Session<'_>) -> Result<(), BoxError>,
) -> Result<bool, BoxError> {
    let recording = Recording::new(subject, plan, shared, progress)?;
    let mut session = Session::new(plan.inputs, Work::Record(recording))?;
    let recorded = session.run(record);
    let recording = session.recording().expect("it was made of one");
    if let Some(error) = recording.ended_by() {
        return Err(error.into());
    }
    recorded.inspect_err(|_| shared.claims.release())?;
    Ok(recording.wait_for_others()?)
}

/// The inputs with their features, on the device that the calling thread works on: the default variant runs once on each.
///
/// # Errors
/// What `record` returns, and when the folder of inputs cannot be used.
pub fn survey_inputs(
    function: &'static Function,
    device: &dyn Device,
    inputs: Inputs<'_>,
    record: impl Fn(&mut Session<'_>) -> Result<(), BoxError>,
) -> Result<Vec<Input>, BoxError> {
    let mut session = Session::new(inputs, Work::Survey(Survey::new(Subject { function, device })))?;
    session.run(record)?;
    Ok(session.found())
}

/// Shows calls of one function, on the device that the calling thread works on, to a profiler that watches this process.
/// `announce` takes each section before it begins; the profile ends early once `out_of_time` says so.
///
/// # Errors
/// What `record` returns except [`RecordError::OutOfTime`], and when the folder of inputs cannot be used.
pub fn profile_inputs(
    function: &'static Function,
    (device, watched): (&dyn Device, &dyn Watched),
    inputs: Inputs<'_>,
    extent: Extent,
    out_of_time: &dyn Fn() -> bool,
    announce: &dyn Fn(&Section) -> std::io::Result<()>,
    record: impl FnOnce(&mut Session<'_>) -> Result<(), BoxError>,
) -> Result<(), BoxError> {
    let (subject, (sections, sampled, own_inputs)) = (Subject { function, device }, Default::default());
    let profiling =
        Profiling { subject, watched, extent, out_of_time, announce, sections, sampled, own_inputs };
    let mut session = Session::new(inputs, Work::Profile(profiling))?;
    match session.run(record) {
        Err(error) if is_out_of_time(&error) => Ok(()),
        ended => ended,
    }
}

fn is_out_of_time(error: &BoxError) -> bool {
    matches!(error.downcast_ref(), Some(RecordError::OutOfTime { .. }))
}
