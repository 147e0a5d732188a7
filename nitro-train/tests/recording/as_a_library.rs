//! A trainer without its command line: calls return what was measured, what failed and why, and an observer hears
//! the rest.

use std::sync::{Arc, Mutex};

use nitro::code_variant;
use nitro_train::generate::{Crossing, Decisions, Description, Generator, Step, Target};
use nitro_train::measure::{Progress, RecordError};
use nitro_train::{
    BoxError, DataRequest, DescribeRequest, GeneratedRequest, Observer, RecordRequest, SearchRequest,
    Session, TrainError, Trainer, Tunable,
};

use crate::scripted::{Devices, Hidden, Scripted, TIME_NS};

#[code_variant(name = "work", device = Scripted, features(size = n), variants(steady, brittle), default = steady)]
fn work(n: u32) -> Result<u32, String>;

#[expect(clippy::unnecessary_wraps, reason = "the variants have one signature")]
fn steady(n: u32) -> Result<u32, String> {
    TIME_NS.set(1e9);
    Ok(n)
}

fn brittle(n: u32) -> Result<u32, String> {
    TIME_NS.set(1e9);
    if n > 2 { Err("too large".to_owned()) } else { Ok(n) }
}

#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Observer for Heard {
    fn message(&self, line: &str) {
        self.0.lock().unwrap().push(line.to_owned());
    }

    fn recording(&self, function: &str, device: &str) -> Box<dyn Progress> {
        self.message(&format!("begin {function} on {device}"));
        Box::new(self.clone())
    }
}

impl Progress for Heard {
    fn end(&self, input: &str) {
        self.message(input);
    }
}

/// Records inputs of these names.
fn trainer(names: &[&str], heard: &Heard) -> Trainer {
    let closure = |session: &mut Session<'_>| -> Result<(), BoxError> {
        for name in session.inputs("") {
            assert_ne!(name, "panic", "there is no such input");
            let n: u32 = name.parse()?;
            session.input(name, || work(n))?;
        }
        Ok(())
    };
    let tunable = Tunable::new(work::function(), closure).generated_inputs(names.iter().copied());
    Trainer::new().devices(Devices).processors(Hidden).observer(heard.clone()).tunable(tunable)
}

/// To record into a store of the folder.
fn request(folder: &tempfile::TempDir) -> RecordRequest {
    let store = folder.path().join("s.db").display().to_string();
    let data = DataRequest { store: Some(store), ..DataRequest::default() };
    RecordRequest { data, devices: vec!["scripted:0".into()], ..RecordRequest::default() }
}

/// Inputs and faults of each recording.
fn record(
    folder: &tempfile::TempDir,
    names: &[&str],
    heard: &Heard,
) -> Result<Vec<(usize, usize)>, TrainError> {
    let summary = trainer(names, heard).record(&request(folder))?;
    Ok(summary
        .recorded
        .iter()
        .map(|one| (one.inputs, one.faults.iter().map(|fault| fault.inputs).sum()))
        .collect())
}

#[test]
fn a_call_returns_what_was_measured_and_what_failed() {
    let (folder, heard) = (tempfile::tempdir().unwrap(), Heard::default());
    assert_eq!(record(&folder, &["1", "2"], &heard).unwrap(), [(2, 0)]);
    assert_eq!(record(&folder, &["1", "2", "3", "4"], &heard).unwrap(), [(2, 2)], "what is there is skipped");
    let heard = heard.0.lock().unwrap().join("\n");
    assert!(heard.starts_with("begin work on scripted:0\n1\n2\nbegin work on scripted:0\n3\n4\n"), "{heard}");
    assert!(heard.contains("no time of `brittle` on 2 inputs; on 3 it returned an error"), "{heard}");
}

#[test]
fn an_input_that_cannot_be_made_costs_itself_alone() {
    let (folder, heard) = (tempfile::tempdir().unwrap(), Heard::default());
    let names = ["1", "many", "2", "panic", "3"];
    let recorded = |heard: &Heard, max_inputs| {
        let summary = trainer(&names, heard).record(&RecordRequest { max_inputs, ..request(&folder) });
        summary.unwrap().recorded.remove(0)
    };
    let first = recorded(&heard, None);
    assert_eq!(first.inputs, 3);
    assert_eq!(first.failed_inputs.keys().collect::<Vec<_>>(), ["many", "panic"]);
    assert!(first.failed_inputs["many"].contains("invalid digit"), "{:?}", first.failed_inputs);
    assert!(first.failed_inputs["panic"].contains("no such input"), "{:?}", first.failed_inputs);
    let told = heard.0.lock().unwrap().join("\n");
    assert!(told.contains("work on scripted:0: input `many` is left out: invalid digit"), "{told}");

    let again = recorded(&Heard::default(), None);
    assert_eq!((again.inputs, again.failed_inputs.len()), (0, 2), "they are tried again");
    let fresh = tempfile::tempdir().unwrap();
    let of_budget = trainer(&names, &heard).record(&RecordRequest { max_inputs: Some(5), ..request(&fresh) });
    let of_budget = of_budget.unwrap().recorded.remove(0);
    assert_eq!((of_budget.inputs, of_budget.failed_inputs), (3, first.failed_inputs));
}

#[test]
fn which_of_several_inputs_at_hand_fails_nobody_can_tell() {
    let closure = |session: &mut Session<'_>| -> Result<(), BoxError> {
        let names: Vec<String> = session.inputs("").map(str::to_owned).collect();
        let numbers = names.iter().map(|name| name.parse()).collect::<Result<Vec<u32>, _>>()?;
        names.iter().zip(numbers).try_for_each(|(name, n)| session.input(name, || work(n)))?;
        Ok(())
    };
    let folder = tempfile::tempdir().unwrap();
    let tunable = Tunable::new(work::function(), closure).generated_inputs(["1", "many", "2"]);
    let error = Trainer::new()
        .devices(Devices)
        .processors(Hidden)
        .tunable(tunable)
        .record(&request(&folder))
        .unwrap_err();
    let TrainError::Record { source, .. } = &error else { panic!("{error}") };
    let RecordError::Closure(own) = &**source else { panic!("{source}") };
    assert!(own.is::<std::num::ParseIntError>(), "{own}");
    assert!(!error.is_device_loss());
}

/// Two functions with tuning parameters.
macro_rules! tiled {
    ($name:ident) => {
        #[allow(dead_code, reason = "one of the two is called by nobody")]
        mod $name {
            use super::{Scripted, TIME_NS};

            #[nitro::code_variant(
                                                        device = Scripted,
                                                        features(size = n),
                                                        variants(whole, tiled { tile: u32 in [1, 2, 4] = 1 }),
                                                        default = whole,
                                                    )]
            pub fn $name(n: u32) -> u32;

            fn whole(n: u32) -> u32 {
                TIME_NS.set(1e9);
                n
            }

            fn tiled(p: $name::Tiled, n: u32) -> u32 {
                TIME_NS.set(1e9 / f64::from(p.tile));
                n
            }
        }
    };
}

tiled!(sound_search);
tiled!(broken_search);

#[test]
fn a_function_whose_search_fails_costs_itself() {
    let heard = Heard::default();
    let broken = |_: &mut Session<'_>| -> Result<(), BoxError> { Err("the archive is damaged".into()) };
    let sound = |session: &mut Session<'_>| Ok(session.input("one", || sound_search::sound_search(1))?);
    let trainer = || {
        let own = Trainer::new().devices(Devices).observer(heard.clone());
        own.function(broken_search::broken_search::function(), broken)
    };
    let folder = tempfile::tempdir().unwrap();
    let request = SearchRequest {
        data: request(&folder).data,
        devices: vec!["scripted:0".into()],
        strategy: Some(nitro_train::search::Strategy::Random.into()),
        ..SearchRequest::default()
    };
    let both = trainer().function(sound_search::sound_search::function(), sound);
    let summary = both.search(&request).unwrap();
    assert!(summary.searched.len() == 1 && summary.recorded[0].function.ends_with("sound_search"));
    assert_eq!(summary.kept[0].choices[0], "tiled{tile=4}");
    let [failed] = &summary.failed[..] else { panic!("{summary:?}") };
    assert!(
        failed.function.ends_with("broken_search") && failed.why == "the archive is damaged",
        "{failed:?}"
    );
    let told = heard.0.lock().unwrap().join("\n");
    assert!(
        told.contains("broken_search on scripted:0 is searched no further: the archive is damaged"),
        "{told}"
    );
    let error = trainer().search(&request).unwrap_err();
    assert!(matches!(error, TrainError::Record { .. }), "{error}");
}

#[code_variant(
    name = "generated",
    device = Scripted,
    features(size = n),
    variants(plain, left { kernel in artifacts }, right { kernel in artifacts }),
    default = plain,
)]
fn generated(n: u32) -> u32;

fn plain(n: u32) -> u32 {
    n
}

fn left(_: generated::Left, n: u32) -> u32 {
    n
}

fn right(_: generated::Right, n: u32) -> u32 {
    n
}

/// Two names of one text, and one that both variants have; it says of a text where it is to run, or nothing at all.
struct Texts {
    describes: bool,
}

impl Decisions for Texts {
    fn next(&self, _: &[Crossing]) -> Step {
        Step::Complete
    }
}

impl Generator for Texts {
    fn decisions(&self) -> &dyn Decisions {
        self
    }

    fn artifact(&self, _: &[Crossing]) -> Result<String, BoxError> {
        Ok("text".to_owned())
    }

    fn presets(&self) -> Vec<(String, String)> {
        let own = if self.describes { "left" } else { "right" };
        [("first", "text"), ("again", "text"), (own, own)]
            .map(|(name, text)| (name.into(), text.into()))
            .into()
    }

    fn describe(&self, text: &str, target: Option<Target<'_>>) -> Option<Result<Description, BoxError>> {
        let text = format!("{text} for {target:?}");
        self.describes.then(|| Ok(Description { html: format!("<p>{text}"), text, ..Description::default() }))
    }
}

#[test]
fn generated_code_is_described_by_its_generator_for_the_target_that_is_asked_for() {
    let tunable = Tunable::new(generated::function(), |session| {
        session.input("1", || generated(1))?;
        Ok(())
    });
    let tunable =
        tunable.generated("left", Texts { describes: true }).generated("right", Texts { describes: false });
    let trainer = Trainer::new().devices(Devices).processors(Hidden).tunable(tunable);
    let folder = tempfile::tempdir().unwrap();
    let data = DataRequest {
        store: Some(folder.path().join("my.db").display().to_string()),
        ..DataRequest::default()
    };
    let all = GeneratedRequest { data, models: folder.path().to_owned(), variant: None };
    let names = |request: &GeneratedRequest| -> Vec<String> {
        trainer
            .generated(request)
            .unwrap()
            .into_iter()
            .map(|own| format!("{} {}", own.variant, own.name))
            .collect()
    };
    assert_eq!(
        names(&all),
        ["left first", "left again", "left left", "right first", "right again", "right right"]
    );
    let of_left = GeneratedRequest { variant: Some("left".into()), ..all.clone() };
    assert_eq!(names(&of_left), ["left first", "left again", "left left"]);

    let text =
        |request: &DescribeRequest| trainer.describe_generated(request).map(|own| own.description.text);
    let request = |name: &str| DescribeRequest { among: all.clone(), ..DescribeRequest::new(name) };
    assert_eq!(text(&request("left")).unwrap(), "left for None");
    let of_architecture = DescribeRequest { architecture: Some(90), ..request("left") };
    assert_eq!(text(&of_architecture).unwrap(), "left for Some(Architecture(90))");
    // Two names of one digest are one text.
    let digest = trainer.generated(&all).unwrap()[0].digest.clone();
    assert_eq!(text(&DescribeRequest { among: of_left, ..request(&digest) }).unwrap(), "text for None");

    let refusal = |request: &DescribeRequest| text(request).unwrap_err();
    assert!(
        matches!(refusal(&request("first")), TrainError::SeveralGenerated { found, .. } if found.len() == 2)
    );
    assert!(
        matches!(refusal(&request("")), TrainError::UnknownGenerated { known, more: 0, .. } if known.len() == 6)
    );
    assert!(
        matches!(refusal(&request("right")), TrainError::NoDescription { variant, .. } if variant == "right")
    );
    let nowhere = DescribeRequest { device: Some("tpu:0".into()), ..request("left") };
    assert!(matches!(refusal(&nowhere), TrainError::UnknownDevice { .. }));
    let of_plain = GeneratedRequest { variant: Some("plain".into()), ..all.clone() };
    assert!(
        matches!(trainer.generated(&of_plain), Err(TrainError::NoGenerated { known, .. }) if known.len() == 2)
    );
}
