//! A sample of what is recorded: `record` measures some of it again and says what does not hold any more, keeps nothing
//! of it, and takes no longer than a share of the recording. Time is scripted, and so is what a body has become.

use std::cell::Cell;
use std::sync::{Arc, Mutex};

use nitro::code_variant;
use nitro_train::recordings::{Outcome, Recordings};
use nitro_train::{
    BoxError, DataRequest, DeviceSample, Observer, RecordRequest, RecordSummary, SampleOptions, Session,
    Trainer, Tunable, store,
};

use crate::scripted::{Devices, Hidden, Scripted, TIME_NS};

/// What has become of the body of a variant.
#[derive(Clone, Copy)]
enum Body {
    Takes(f64),
    Fails,
    Panics,
    AnswersWrong,
}

thread_local! {
    static BODIES: Cell<[Body; 3]> = const { Cell::new([Body::Takes(1.0); 3]) };
    /// The time of a run on the input 1.
    static BASE_NS: Cell<f64> = const { Cell::new(1e5) };
    static RUNS: Cell<u32> = const { Cell::new(0) };
    /// By how much inputs have become larger than their names say.
    static GROWN: Cell<u32> = const { Cell::new(0) };
    static SPENT_NS: Cell<f64> = const { Cell::new(0.0) };
    /// By how much the runs of a process differ from each other.
    static JITTER: Cell<f64> = const { Cell::new(0.0) };
}

#[code_variant(
    name = "sampled",
    device = Scripted,
    features(size = n),
    variants(array, bitmap if size > 2, hash),
    default = array,
)]
fn sampled(n: u32) -> Result<u32, String>;

fn run(variant: usize, n: u32) -> Result<u32, String> {
    let runs = RUNS.get();
    RUNS.set(runs + 1);
    let factor = match BODIES.get()[variant] {
        Body::Takes(factor) => factor,
        Body::Fails => return Err("not any more".to_owned()),
        Body::Panics => panic!("not any more"),
        Body::AnswersWrong => return Ok(n + 1),
    };
    let jitter = 1.0 + JITTER.get() * f64::from(runs * 7 % 11).mul_add(0.2, -1.0);
    let time_ns = BASE_NS.get() * f64::from(n) * factor * jitter;
    TIME_NS.set(time_ns);
    SPENT_NS.set(SPENT_NS.get() + time_ns);
    Ok(n)
}

fn array(n: u32) -> Result<u32, String> {
    run(0, n)
}

fn bitmap(n: u32) -> Result<u32, String> {
    run(1, n)
}

fn hash(n: u32) -> Result<u32, String> {
    run(2, n)
}

#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Observer for Heard {
    fn message(&self, line: &str) {
        self.0.lock().unwrap().push(line.to_owned());
    }
}

/// A store and who records into it, and what was said in the last recording.
struct Desk {
    folder: tempfile::TempDir,
    inputs: Vec<String>,
    request: RecordRequest,
}

fn is_same(expected: &Result<u32, String>, found: &Result<u32, String>) -> bool {
    expected == found
}

impl Desk {
    fn new(inputs: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("s.db").display().to_string();
        let data = DataRequest { store: Some(store), ..DataRequest::default() };
        let request = RecordRequest { data, devices: vec!["scripted:0".into()], ..RecordRequest::default() };
        Self { folder, inputs: (1..=inputs).map(|n| n.to_string()).collect(), request }
    }

    fn record(&self) -> (RecordSummary, Vec<String>) {
        RUNS.set(0);
        SPENT_NS.set(0.0);
        let heard = Heard::default();
        let closure = |session: &mut Session<'_>| -> Result<(), BoxError> {
            for name in session.inputs("") {
                let n = name.parse::<u32>()? + GROWN.get();
                session.checked_input(name, || sampled(n), is_same)?;
            }
            Ok(())
        };
        let tunable = Tunable::new(sampled::function(), closure).generated_inputs(self.inputs.clone());
        let trainer =
            Trainer::new().devices(Devices).processors(Hidden).observer(heard.clone()).tunable(tunable);
        let summary = trainer.record(&self.request).unwrap();
        let said = heard.0.lock().unwrap().clone();
        (summary, said)
    }

    /// What a second recording says, in which bodies are others; it keeps nothing.
    fn again(&self, bodies: [Body; 3]) -> (Vec<DeviceSample>, Vec<String>) {
        let before = self.recordings();
        BODIES.set(bodies);
        let (summary, said) = self.record();
        assert_eq!(summary.recorded[0].inputs, 0);
        assert_eq!(self.recordings(), before, "nothing of a sample is kept");
        assert!(summary.failed.is_empty() && summary.recorded[0].failed_inputs.is_empty());
        (summary.samples, said)
    }

    fn recordings(&self) -> Recordings {
        let path = self.folder.path().join("s.db").display().to_string();
        store::open(&path).unwrap().load("sampled").unwrap()
    }
}

const SAME: Body = Body::Takes(1.0);

#[test]
fn a_body_that_has_changed_is_named_with_its_inputs_and_what_to_do() {
    let desk = Desk::new(40);
    let (first, said) = desk.record();
    assert!(first.samples.is_empty() && said.is_empty(), "there was nothing to take a sample of: {said:?}");

    let (samples, said) = desk.again([SAME, Body::Takes(0.4), SAME]);
    let expected = "sampled on scripted:0: `bitmap` takes 0.4 of what was recorded, on 3 of 3 inputs: \
                    `record --again --variant bitmap --device scripted:0`";
    assert_eq!(said, [expected]);
    let [sample] = &samples[..] else { panic!("{samples:?}") };
    let [changed] = &sample.changed[..] else { panic!("{sample:?}") };
    assert_eq!((&*changed.name.variant, changed.inputs.len(), changed.measured_inputs), ("bitmap", 3, 3));
    assert!((changed.ratio.unwrap() - 0.4).abs() < 1e-9 && sample.shift.is_none());
    let sizes: Vec<u32> = changed.inputs.iter().map(|input| input.parse().unwrap()).collect();
    assert!(
        sizes.iter().min() < Some(&17) && sizes.iter().max() > Some(&27),
        "short and long times: {sizes:?}"
    );
    assert!(RUNS.get() < 40 * 3, "few runs: {}", RUNS.get());

    // The default too, without which nothing else could be measured.
    let (_, said) = desk.again([Body::Takes(3.0), SAME, SAME]);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("`array` takes 3 of what was recorded, on 3 of 3 inputs"), "{said:?}");
}

#[test]
fn what_is_the_same_within_its_noise_says_nothing() {
    JITTER.set(0.1);
    let desk = Desk::new(40);
    desk.record();
    let (samples, said) = desk.again([Body::Takes(1.04), Body::Takes(0.95), SAME]);
    assert!(said.is_empty(), "{said:?}");
    assert!(samples[0].measurements >= 9, "{samples:?}");
    // What is within three spreads is noise as well, whatever the factor.
    JITTER.set(0.6);
    let desk = Desk::new(40);
    desk.record();
    assert!(desk.again([SAME, Body::Takes(1.3), SAME]).1.is_empty());
}

#[test]
fn what_changes_all_variants_is_one_line() {
    let desk = Desk::new(40);
    desk.record();
    let (samples, said) = desk.again([Body::Takes(1.8), Body::Takes(1.75), Body::Takes(1.84)]);
    let expected = "on scripted:0 all variants take 1.8 of what was recorded: compiler, driver, clock or load changed: \
                    `record --again --device scripted:0`";
    assert_eq!(said, [expected]);
    let shift = samples[0].shift.unwrap();
    assert_eq!((shift.variants, shift.of, samples[0].changed.len()), (3, 3, 0));
}

#[test]
fn a_variant_that_has_no_time_any_more_is_named() {
    let cases = [
        (Body::Fails, "it returned an error"),
        (Body::Panics, "it panicked: not any more"),
        (Body::AnswersWrong, "it gave another output than the default variant"),
    ];
    for (body, did) in cases {
        BODIES.set([SAME; 3]);
        let desk = Desk::new(12);
        desk.record();
        let (samples, said) = desk.again([SAME, SAME, body]);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(
            said[0].contains("`hash` has no time any more on 3 of 3 inputs where one is recorded"),
            "{said:?}"
        );
        assert!(
            said[0].contains(did) && said[0].contains("`record --again --variant hash --device"),
            "{said:?}"
        );
        let changed = &samples[0].changed[0];
        let reason = changed.reason.as_deref().unwrap_or_default();
        assert!(changed.ratio.is_none() && format!("it {reason}").starts_with(did), "{reason}");
    }
    BODIES.set([SAME; 3]);
    let desk = Desk::new(12);
    desk.record();
    let (samples, said) = desk.again([Body::Panics, SAME, SAME]);
    assert_eq!(samples[0].failed_inputs["sampled"].len(), 3, "{samples:?}");
    assert!(
        said.iter().all(|line| line.contains("which is recorded, cannot be measured any more")),
        "{said:?}"
    );
}

/// Whoever kills the second recording loses nothing: what failed has failed until it is tried again.
#[test]
fn a_failure_that_is_due_stays_until_it_is_tried_again() {
    BODIES.set([SAME, SAME, Body::Fails]);
    let desk = Desk::new(4);
    desk.record();
    let before = desk.recordings();
    let path = desk.request.data.store.clone().unwrap();
    let of_hash = nitro_train::store::Selected::new(Some("hash"), None, None).unwrap();
    assert_eq!(store::open(&path).unwrap().measure_again("sampled", &of_hash).unwrap(), 4);
    let marked = desk.recordings();
    assert_eq!((&marked.measurements, marked.due.len()), (&before.measurements, 4));
    BODIES.set([SAME; 3]);
    assert_eq!(desk.record().0.recorded[0].inputs, 4);
    let after = desk.recordings();
    let failed = after.measurements.iter().filter(|one| one.outcome == Outcome::Failed).count();
    assert_eq!((failed, after.due.len()), (0, 0));
}

#[test]
fn an_input_that_is_another_now_is_told_of() {
    BODIES.set([SAME; 3]);
    BASE_NS.set(1e5);
    let desk = Desk::new(12);
    desk.record();
    GROWN.set(100);
    let (samples, said) = desk.again([SAME; 3]);
    GROWN.set(0);
    assert_eq!(samples[0].failed_inputs["sampled"].len(), said.len(), "{said:?}");
    assert!(
        said.len() >= 3 && samples[0].changed.is_empty(),
        "their times tell nothing of variants: {said:?}"
    );
    let expected = "it is another input now, whose feature `size` is 1";
    assert!(said.iter().all(|line| line.contains(expected)), "{said:?}");
    assert!(said[0].contains("`forget --function sampled --input '"), "{said:?}");
    assert!(desk.again([SAME; 3]).1.is_empty());
}

#[test]
fn a_sample_takes_a_share_of_what_was_recorded() {
    for (base_ns, inputs, max_inputs, is_sampled) in [
        (1e7, 150, None, true),
        (1e9, 8, None, false),
        (1e7, 150, Some(150), true),
        (1e7, 150, Some(1), false),
    ] {
        BASE_NS.set(base_ns);
        BODIES.set([SAME; 3]);
        let mut desk = Desk::new(inputs);
        desk.record();
        let recorded = desk.recordings();
        let all_ns: f64 = recorded
            .measurements
            .iter()
            .filter_map(|one| Some(one.outcome.time_ns()? * f64::from(one.repeats)))
            .sum();
        desk.request.max_inputs = max_inputs;
        // The features of all inputs are looked at where only some are to be recorded.
        desk.request.sample.inputs = 0;
        assert!(desk.again([SAME; 3]).0.is_empty(), "none is asked for");
        let without_ns = SPENT_NS.get();
        desk.request.sample = SampleOptions::default();
        let (samples, _) = desk.again([SAME; 3]);
        let budget_ns = all_ns * max_inputs.map_or(1.0, |most| most as f64 / f64::from(inputs));
        // Where nothing bounds the recording a sample may take a second, however little is recorded.
        let most_ns = (0.05 * budget_ns).max(if max_inputs.is_none() { 1e9 } else { 0.0 });
        let spent_ns = SPENT_NS.get() - without_ns;
        assert!(spent_ns <= most_ns, "{spent_ns:e} of {budget_ns:e}");
        assert_eq!(!samples.is_empty(), is_sampled, "{inputs} {max_inputs:?} {samples:?}");
    }
}

#[test]
fn only_what_the_recording_is_offered_and_does_not_measure_anyway_is_in_the_sample() {
    let mut desk = Desk::new(30);
    desk.record();
    desk.inputs = ["7", "11", "12", "13", "29"].map(str::to_owned).into();
    let (samples, _) = desk.again([SAME, SAME, Body::Takes(9.0)]);
    let of_these =
        |sample: &DeviceSample| sample.changed[0].inputs.iter().all(|input| desk.inputs.contains(input));
    assert!(samples[0].changed[0].inputs.len() == 3 && of_these(&samples[0]), "{samples:?}");
    // What is due is measured, and not compared with what it takes the place of.
    let path = desk.request.data.store.clone().unwrap();
    store::open(&path).unwrap().measure_again("sampled", &nitro_train::store::Selected::default()).unwrap();
    let (summary, said) = desk.record();
    assert_eq!((summary.recorded[0].inputs, summary.samples.len()), (5, 0), "{said:?}");
}
