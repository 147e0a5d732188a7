//! In deterministic mode the same input gets the same variant on every device of one kind, in every process,
//! whatever was measured there.
//!
//! Processes are copies of this test that are told what their device measures.

use std::process::Command;
use std::sync::LazyLock;

use nitro::model::{
    Class, Coverage, DeviceRegion, Gate, Model, Node, Offset, Provenance, Region, Scale, Selector, Svm,
    Transform,
};
use nitro::{Benchmark, Device, DeviceEntry, DeviceFeature, Reason, Stopwatch, code_variant};

/// A device of one kind whose bandwidth is what `NITRO_TEST_GBPS` says: every one measures another.
struct Scripted;

impl Device for Scripted {
    fn entry(&self) -> &'static DeviceEntry {
        let feature = |name: &str, value: f64| vec![DeviceFeature { name: name.into(), value }];
        DeviceEntry::intern(
            "scripted:0@kind",
            || feature("cores", 8.0),
            |_| vec![Benchmark::new("copy_gbps", || Ok(vec![std::env::var("NITRO_TEST_GBPS")?.parse()?]))],
        )
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        unreachable!("nothing is recorded")
    }
}

/// A model that chooses `small` where the scaled length and the scaled device feature together are below 0, and
/// `large` above.
fn model(function: &str, device_feature: &str, devices: Option<DeviceRegion>) -> Vec<u8> {
    let scale = |max| Scale { transform: Transform::Identity, min: 0.0, max };
    let model = Model {
        function: function.into(),
        choices: vec!["small".into(), "large".into()],
        features: vec!["length".into()],
        device_features: vec![device_feature.into()],
        selector: Selector::Svm(Svm {
            gamma: 0.5,
            scaling: vec![scale(100.0), scale(20.0)],
            classes: [0, 1].map(|variant| Class { choice: variant, support: 1 }).into(),
            vectors: vec![-1.0, -1.0, 1.0, 1.0],
            coefficients: vec![1.0, -1.0],
            rho: vec![0.0],
        }),
        gate: None,
        caution: None,
        is_distilled: false,
        training_inputs: Default::default(),
        artifacts: vec![],
        calibrations: vec![],
        feature_digests: vec![],
        coverage: Coverage { inputs: None, devices },
        provenance: Provenance::default(),
    };
    model.to_bytes()
}

fn small(_: usize) -> char {
    's'
}

fn large(_: usize) -> char {
    'l'
}

static DESCRIBED: LazyLock<Vec<u8>> = LazyLock::new(|| model("described", "cores", None));
static MEASURED: LazyLock<Vec<u8>> = LazyLock::new(|| model("measured", "copy_gbps", None));
static BY_SOURCE: LazyLock<Vec<u8>> = LazyLock::new(|| model("by_source", "copy_gbps", Some(sources())));

static GATED: LazyLock<Vec<u8>> = LazyLock::new(|| gated_model("gated", Some(sources())));
static GATED_ALONE: LazyLock<Vec<u8>> = LazyLock::new(|| gated_model("gated_alone", None));

/// A model whose gate decides for `large` where more than 8 GB/s were measured, and otherwise for `small` up to a
/// length of 50.
fn gated_model(function: &str, devices: Option<DeviceRegion>) -> Vec<u8> {
    let split = |column, threshold| Node::Split { column, threshold };
    let nodes = vec![split(1, 8.0), split(0, 50.0), Node::Leaf, Node::Leaf, Node::Leaf];
    let gate = Gate { features: vec![0], nodes, decisions: vec![Some(0), None, Some(1)] };
    let model = Model::from_bytes(&model(function, "copy_gbps", devices)).expect("a model");
    Model { gate: Some(gate), ..model }.to_bytes()
}

/// A source of 4 cores that measured 4 GB/s, and one of 16 cores that measured 16.
fn sources() -> DeviceRegion {
    let scale = |min, max| Scale { transform: Transform::Identity, min, max };
    let sources: [&[f64]; 2] = [&[-1.0, -0.6], &[1.0, 0.6]];
    let limits = Offset { gap: 1.0, excess: 1.0 };
    DeviceRegion {
        features: vec!["cores".into(), "copy_gbps".into()],
        region: Region::new(vec![scale(4.0, 16.0), scale(0.0, 20.0)], sources, limits),
    }
}

#[code_variant(
    name = "described",
    device = Scripted,
    features(length = n),
    variants(small, large),
    default = small,
    model = DESCRIBED.as_slice(),
)]
fn described(n: usize) -> char;

#[code_variant(
    name = "measured",
    device = Scripted,
    features(length = n),
    variants(small, large),
    default = small,
    model = MEASURED.as_slice(),
)]
fn measured(n: usize) -> char;

#[code_variant(
    name = "by_source",
    device = Scripted,
    features(length = n),
    variants(small, large),
    default = small,
    model = BY_SOURCE.as_slice(),
)]
fn by_source(n: usize) -> char;

#[code_variant(
    name = "gated",
    device = Scripted,
    features(length = n),
    variants(small, large),
    default = large,
    model = GATED.as_slice(),
)]
fn gated(n: usize) -> char;

#[code_variant(
    name = "gated_alone",
    device = Scripted,
    features(length = n),
    variants(small, large),
    default = large,
    model = GATED_ALONE.as_slice(),
)]
fn gated_alone(n: usize) -> char;

/// What a process does: every choice of all functions.
#[test]
#[ignore = "run by the other tests, which say what the device measures"]
fn child() {
    if let Ok(said) = std::env::var("NITRO_TEST_SAYS") {
        nitro::set_deterministic(said == "on");
    }
    for prepare in [measured::prepare, by_source::prepare, gated::prepare, gated_alone::prepare] {
        // So that it is known where.
        for function in [measured, by_source, gated, gated_alone] {
            function(1);
        }
        prepare().expect("nothing is compiled");
    }
    let all = |choose: fn(usize) -> char| (1..100).step_by(2).map(choose).collect::<String>();
    println!("chosen: {} {} {}", all(described), all(measured), all(by_source));
    println!("at gates: {} {}", all(gated), all(gated_alone));
    let reasons =
        (described::select(1).reason(), measured::select(1).reason(), by_source::select(1).reason());
    println!("reason: {reasons:?}");
}

/// What the processes say whose devices measure 4, 9 and 16 GB/s.
fn processes(settings: &[(&str, &str)]) -> [[String; 3]; 3] {
    ["4", "9", "16"].map(|gbps| {
        let cache = tempfile::tempdir().expect("a folder"); // each is a machine of its own
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "child", "--ignored", "--nocapture"]);
        command
            .env("NITRO_TEST_GBPS", gbps)
            .env("XDG_CACHE_HOME", cache.path())
            .envs(settings.iter().copied());
        let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let said = |key: &str| text.lines().find_map(|line| Some(line.split_once(key)?.1.to_owned()));
        ["chosen: ", "reason: ", "at gates: "]
            .map(|key| said(key).unwrap_or_else(|| panic!("the process said {text}")))
    })
}

#[test]
fn otherwise_what_a_device_measures_decides() {
    for settings in [&[][..], &[("NITRO_DETERMINISTIC", "0")], &[("NITRO_DETERMINISTIC", "")]] {
        let [a, b, c] = processes(settings);
        assert!(a != b && b != c && a != c, "else the other tests show nothing: {a:?}");
        assert_eq!(a[1], format!("{:?}", (Reason::Predicted, Reason::Predicted, Reason::Predicted)));
    }
}

#[test]
fn equal_devices_choose_equally() {
    let [a, b, c] = processes(&[("NITRO_DETERMINISTIC", "1")]);
    assert!(a == b && b == c, "{a:?}\n{b:?}\n{c:?}");
    let [described, measured, by_source] = choices(&a);
    assert!(described.contains('s') && described.contains('l'), "the model decides: {described}");
    assert!(measured.chars().all(|choice| choice == 's'), "the default: {measured}");
    // This device has 8 cores: the source of 4 is nearer than that of 16.
    let [like_the_source, _, _] = processes(&[]);
    assert_eq!(by_source, choices(&like_the_source)[2], "as where 4 GB/s are measured");
    assert_eq!(a[1], format!("{:?}", (Reason::Predicted, Reason::DeviceFeatureVaries, Reason::Predicted)));
}

#[test]
fn equal_devices_choose_equally_at_gates() {
    let [a, b, c] = processes(&[]).map(|[_, _, at_gates]| at_gates);
    let all_large = "l".repeat(50);
    let as_at_the_source = a.split_once(' ').expect("two functions").0.to_owned();
    assert!(as_at_the_source.contains('s') && as_at_the_source.contains('l'), "{as_at_the_source}");
    assert_eq!([b, c], [(); 2].map(|()| format!("{all_large} {all_large}")), "else this shows nothing");
    let expected = format!("{as_at_the_source} {all_large}");
    let same = processes(&[("NITRO_DETERMINISTIC", "1")]).map(|[_, _, at_gates]| at_gates);
    assert_eq!(same, [(); 3].map(|()| expected.clone()), "the nearest source's, and the default");
}

/// The choices of the three functions.
fn choices(process: &[String; 3]) -> [String; 3] {
    let choices: Vec<String> = process[0].split(' ').map(str::to_owned).collect();
    choices.try_into().expect("one word a function")
}

#[test]
fn the_programs_word_goes_before_the_environments() {
    let on = processes(&[("NITRO_TEST_SAYS", "on"), ("NITRO_DETERMINISTIC", "0")]);
    assert_eq!(on, processes(&[("NITRO_DETERMINISTIC", "1")]));
    let off = processes(&[("NITRO_TEST_SAYS", "off"), ("NITRO_DETERMINISTIC", "1")]);
    assert_eq!(off, processes(&[]));
}
