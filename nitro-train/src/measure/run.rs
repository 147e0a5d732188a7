//! One function on one device: recorded, looked at for the features of its inputs, or shown to a profiler.

use nitro_core::provide::Profiled;
use nitro_core::{Device, Function};

use super::claims::{Claims, SharedStore};
use super::clock::LostTime;
use super::error::{BoxError, RecordError};
use super::inputs::Inputs;
use super::plan::Plan;
use super::profiling::{Extent, Profiling};
use super::progress::Progress;
use super::pulse::Pulse;
use super::recording::{Recording, Shared};
use super::session::{Session, Work};
use super::subject::Subject;
use super::survey::Survey;
use crate::profile::Section;
use crate::recordings::Input;
use crate::store::Store;

/// Records one function on the device that the calling thread works on; what the store holds already is skipped. Inputs that
/// other recorders have claimed are waited for, and measured here after all if their claim expires: `record` is then called again.
/// Returns how many inputs were measured here.
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
) -> Result<usize, RecordError> {
    let subject = Subject { function, device };
    let (store, lost_time) = (SharedStore::new(store), LostTime::new(plan.clock));
    let claims = Claims::new(subject, &plan.share, &store);
    std::thread::scope(|scope| {
        let _heartbeat = Pulse::start(scope, plan.share.period(), || claims.renew());
        let _looks = Pulse::start(scope, LostTime::PERIOD, || {
            lost_time.look();
        });
        let shared = Shared { store: &store, claims: &claims, lost_time: &lost_time };
        let mut measured = 0;
        while one_pass(subject, plan, shared, progress, &mut measured, &record)? {}
        Ok(measured)
    })
}

/// Records the inputs that nobody else has claimed and adds up how many those are; whether there are more now.
fn one_pass<'a>(
    subject: Subject<'a>,
    plan: &'a Plan<'a>,
    shared: Shared<'a>,
    progress: &'a dyn Progress,
    measured: &mut usize,
    record: impl Fn(&mut Session<'_>) -> Result<(), BoxError>,
) -> Result<bool, RecordError> {
    let recording = Recording::new(subject, plan, shared, progress)?;
    let mut session = Session::new(plan.inputs, Work::Record(recording))?;
    let recorded = session.run(record);
    let recording = session.recording().expect("it was made of one");
    *measured += recording.measured();
    if let Some(error) = recording.ended_by() {
        return Err(error);
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
) -> Result<Vec<Input>, RecordError> {
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
    (device, profiled): (&dyn Device, &dyn Profiled),
    inputs: Inputs<'_>,
    extent: Extent,
    out_of_time: &dyn Fn() -> bool,
    announce: &dyn Fn(&Section) -> std::io::Result<()>,
    record: impl FnOnce(&mut Session<'_>) -> Result<(), BoxError>,
) -> Result<(), RecordError> {
    let (subject, (sections, sampled, own_inputs)) = (Subject { function, device }, Default::default());
    let profiling =
        Profiling { subject, profiled, extent, out_of_time, announce, sections, sampled, own_inputs };
    let mut session = Session::new(inputs, Work::Profile(profiling))?;
    match session.run(record) {
        Err(RecordError::OutOfTime { .. }) => Ok(()),
        ended => ended,
    }
}
