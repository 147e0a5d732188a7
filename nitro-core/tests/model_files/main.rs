//! A model file introduces itself: what is damaged, cut off, foreign or of another version is refused with a
//! reason, and never makes the reader panic.

mod sections;

use nitro_core::model::{
    Calibration, Class, Coverage, DeviceRegion, FORMAT_VERSION, Forest, MAX_RATIOS, Model, ModelError, Node,
    Offset, Provenance, Ratio, Region, Scale, Selector, Svm, Transform,
};

fn model() -> Model {
    let scale = Scale { transform: Transform::Log, min: 0.5, max: 12.0 };
    Model {
        function: "spmv".into(),
        choices: vec!["csr".into(), "ell".into()],
        features: vec!["rows".into()],
        device_features: vec!["copy_gbps".into()],
        selector: Selector::Svm(Svm {
            gamma: 0.5,
            scaling: vec![scale; 2],
            classes: vec![Class { choice: 1, support: 1 }, Class { choice: 0, support: 1 }],
            vectors: vec![-1.0, 0.0, 1.0, 0.25],
            coefficients: vec![2.0, -2.0],
            rho: vec![0.125],
        }),
        gate: None,
        caution: None,
        is_distilled: false,
        training_inputs: Default::default(),
        artifacts: vec![],
        calibrations: vec![],
        feature_digests: vec![],
        coverage: Coverage::default(),
        provenance: Provenance {
            strategy: "svm-all".into(),
            sources: vec!["a".into(), "b".into()],
            objective: "total-time".into(),
            training_inputs: 7,
            seed: 1,
            recordings_digest: "c0ffee".into(),
        },
    }
}

/// Two trees over the input feature and the device feature.
fn forest() -> Forest {
    let split = |column: u16| Node::Split { column, threshold: 4.5 };
    Forest {
        inputs: 1,
        choices: 2,
        nodes: vec![split(1), split(0), Node::Leaf, Node::Leaf, Node::Leaf, Node::Leaf],
        values: vec![0, 40, 40, 0, 20, 20, 7, 255],
        origins: vec![],
        ratios: vec![],
    }
}

/// One centre of an input feature, two of a device feature.
fn coverage() -> Coverage {
    let scaling = vec![Scale { transform: Transform::Log, min: 0.5, max: 12.0 }];
    let region = |centers: &[&[f64]]| {
        Region::new(scaling.clone(), centers.iter().copied(), Offset { gap: 0.5, excess: 0.25 })
    };
    Coverage {
        inputs: Some(region(&[&[0.5]])),
        devices: Some(DeviceRegion { features: vec!["threads".into()], region: region(&[&[-1.0], &[1.0]]) }),
    }
}

#[test]
fn what_was_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/spmv.model");
    model().write(&path).unwrap();
    assert_eq!(Model::read(&path).unwrap(), model());
    assert_eq!(
        std::fs::read_dir(path.parent().unwrap()).unwrap().count(),
        1,
        "no temporary file stays behind"
    );
    let model = Model { selector: Selector::Forest(forest()), ..model() };
    assert_eq!(Model::from_bytes(&model.to_bytes()).unwrap(), model);
    let model = Model { coverage: coverage(), ..model };
    assert_eq!(Model::from_bytes(&model.to_bytes()).unwrap(), model);
}

/// Coverage is a part behind all others, so that a model without it has the bytes that it always had.
/// Versions before this one wrote them.
#[test]
fn shipped_models_are_written_as_they_were() {
    let models = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../models")).unwrap();
    let mut forests = 0;
    for path in models
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|own| own == "model"))
    {
        let bytes = std::fs::read(&path).unwrap();
        let model = Model::from_bytes(&bytes).unwrap();
        forests += usize::from(matches!(model.selector, Selector::Forest(_)));
        assert!(model.to_bytes() == bytes, "{}", path.display());
    }
    assert!(forests > 3, "{forests} forests");
}

#[test]
fn a_model_may_say_nothing_of_what_it_was_trained_on() {
    let (without, with) = (model(), Model { coverage: coverage(), ..model() });
    let (short, long) = (without.to_bytes(), with.to_bytes());
    assert_eq!(long[HEADER_BYTES..short.len()], short[HEADER_BYTES..]);
    assert!(long.len() - short.len() < 200, "{} bytes more", long.len() - short.len());
    assert!(Model::from_bytes(&short).unwrap().coverage.is_empty());
}

const HEADER_BYTES: usize = 24;

/// A model file of this body whose header is right.
fn sealed(body: &[u8]) -> Vec<u8> {
    let mut whole = [b"NITROMDL".as_slice(), &FORMAT_VERSION.to_le_bytes()].concat();
    whole.extend(crc32fast::hash(body).to_le_bytes());
    whole.extend((body.len() as u64).to_le_bytes());
    whole.extend(body);
    whole
}

/// A section of a model file.
fn section(name: &[u8; 12], is_required: u32, bytes: &[u8]) -> Vec<u8> {
    [name.as_slice(), &is_required.to_le_bytes(), &(bytes.len() as u64).to_le_bytes(), bytes].concat()
}

#[test]
fn contradicting_numbers_of_coverage_are_refused() {
    let mut wrong = coverage();
    wrong.devices.as_mut().unwrap().features.push("cores".into());
    let message =
        Model::from_bytes(&Model { coverage: wrong, ..model() }.to_bytes()).unwrap_err().to_string();
    assert_eq!(message, "inconsistent model: number of columns of a region");
}

#[test]
fn every_truncation_is_refused() {
    let bytes = model().to_bytes();
    for length in 0..bytes.len() {
        assert!(Model::from_bytes(&bytes[..length]).is_err(), "{length} of {} bytes", bytes.len());
    }
    let longer = [bytes.as_slice(), b"\n"].concat();
    assert!(matches!(Model::from_bytes(&longer), Err(ModelError::Length { .. })));
}

#[test]
fn every_flipped_bit_is_noticed() {
    let bytes = model().to_bytes();
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(Model::from_bytes(&damaged).is_err(), "bit {bit}");
    }
}

#[test]
fn a_later_format_is_named() {
    let mut bytes = model().to_bytes();
    bytes[8] = 9;
    let message = Model::from_bytes(&bytes).unwrap_err().to_string();
    assert!(message.contains("format 9") && message.contains("fit the model again"), "{message}");
}

/// The checksum guards against accidents, not against a writer with a fault: numbers that contradict each other must
/// not reach a prediction either.
#[test]
fn contradicting_numbers_are_refused() {
    type Damage = fn(&mut Model, &mut Svm);
    let damages: [(&str, Damage); 9] = [
        ("choice of a class", |_, svm| svm.classes[0].choice = 2),
        ("number of support-vector values", |_, svm| svm.classes[0].support = usize::MAX / 2),
        ("number of support vectors", |_, svm| svm.classes.iter_mut().for_each(|c| c.support = usize::MAX)),
        ("number of coefficients", |_, svm| {
            svm.coefficients.pop();
        }),
        ("number of offsets", |_, svm| svm.rho.clear()),
        ("number of scaled features", |_, svm| {
            svm.scaling.pop();
        }),
        ("finite numbers", |_, svm| svm.rho[0] = f64::NAN),
        ("gamma", |_, svm| svm.gamma = -1.0),
        ("number of choices", |model, _| model.choices = vec!["x".into(); 65]),
    ];
    for (what, damage) in damages {
        let mut model = model();
        let Selector::Svm(mut svm) = model.selector.clone() else { unreachable!() };
        damage(&mut model, &mut svm);
        model.selector = Selector::Svm(svm);
        let message = Model::from_bytes(&model.to_bytes()).unwrap_err().to_string();
        assert_eq!(message, format!("inconsistent model: {what}"));
    }
}

/// Without columns and pairs no length in the file would be bound to what a machine claims to have, and a
/// prediction would never end.
#[test]
fn support_vectors_that_are_not_there_are_refused() {
    let svm = Svm {
        gamma: 1.0,
        scaling: vec![],
        classes: vec![Class { choice: 0, support: usize::MAX }],
        vectors: vec![],
        coefficients: vec![],
        rho: vec![],
    };
    let model = Model { features: vec![], device_features: vec![], selector: Selector::Svm(svm), ..model() };
    let bytes = model.to_bytes();
    assert!(bytes.len() < 250, "{} bytes", bytes.len());
    let message = Model::from_bytes(&bytes).unwrap_err().to_string();
    assert_eq!(message, "inconsistent model: number of support vectors");
}

/// As many classes as there may be, on the stack of a small thread.
#[test]
fn a_machine_of_many_classes_fits_a_small_stack() {
    const CLASSES: usize = 64;
    let scale = Scale { transform: Transform::Identity, min: -1.0, max: 1.0 };
    let svm = Svm {
        gamma: 1.0,
        scaling: vec![scale],
        classes: (0..CLASSES).map(|choice| Class { choice, support: 1 }).collect(),
        vectors: (0..CLASSES).map(|class| class as f64 / 32.0 - 1.0).collect(),
        coefficients: (0..CLASSES - 1)
            .flat_map(|row| (0..CLASSES).map(move |own| if row < own { -1.0 } else { 1.0 }))
            .collect(),
        rho: vec![0.0; CLASSES * (CLASSES - 1) / 2],
    };
    let choices = (0..CLASSES).map(|choice| format!("v{choice}")).collect();
    let model = Model { choices, device_features: vec![], selector: Selector::Svm(svm), ..model() };
    let model = Model::from_bytes(&model.to_bytes()).unwrap();
    let rank = move || model.rank(&[0.25], &[]);
    let ranked = std::thread::Builder::new().stack_size(64 << 10).spawn(rank).unwrap().join().unwrap();
    assert_eq!(ranked[0], 40, "the class whose vector is at 0.25");
}

#[test]
fn contradicting_numbers_of_a_forest_are_refused() {
    type Damage = fn(&mut Forest);
    assert_eq!(forest().trees(), 2);
    let damages: [(&str, Damage); 12] = [
        ("number of choices of the forest", |forest| forest.choices = 3),
        ("number of input features of the forest", |forest| forest.inputs = 0),
        ("number of trees", |forest| (forest.nodes, forest.values) = (vec![], vec![])),
        ("number of trees", |forest| {
            (forest.nodes, forest.values) = (vec![Node::Leaf; 257], vec![0; 514]);
        }),
        ("number of leaf values", |forest| forest.values.truncate(7)),
        ("split of a tree", |forest| forest.nodes[1] = Node::Split { column: 2, threshold: 0.0 }),
        ("split of a tree", |forest| forest.nodes[1] = Node::Split { column: 0, threshold: f32::INFINITY }),
        ("last tree", |forest| forest.nodes.truncate(4)),
        ("ratios of the forest", |forest| forest.ratios = vec![Ratio { input: 1, device: 0 }]),
        ("ratios of the forest", |forest| forest.ratios = vec![Ratio { input: 0, device: 1 }]),
        ("split of a tree", |forest| {
            forest.ratios = vec![Ratio { input: 0, device: 0 }];
            forest.nodes[1] = Node::Split { column: 3, threshold: 0.0 };
        }),
        ("depth of a tree", |forest| forest.nodes = vec![Node::Split { column: 0, threshold: 0.0 }; 99]),
    ];
    for (what, damage) in damages {
        let mut forest = forest();
        damage(&mut forest);
        let model = Model { selector: Selector::Forest(forest), ..model() };
        let message = Model::from_bytes(&model.to_bytes()).unwrap_err().to_string();
        assert_eq!(message, format!("inconsistent model: {what}"));
    }
}

#[test]
fn ratios_of_a_forest_read_back() {
    let with = |ratios: Vec<Ratio>, origins: Vec<f64>| {
        let nodes = vec![Node::Split { column: 2, threshold: 4.5 }, Node::Leaf, Node::Leaf];
        let columns = Forest { nodes, values: vec![0, 40, 40, 0], origins, ratios, ..forest() };
        Model { selector: Selector::Forest(columns), ..model() }
    };
    for origins in [vec![], vec![1.0, 2.0, 3.0]] {
        let model = with(vec![Ratio { input: 0, device: 0 }], origins);
        assert_eq!(Model::from_bytes(&model.to_bytes()).unwrap(), model);
    }
    let over = with(vec![Ratio { input: 0, device: 0 }], vec![]);
    assert_eq!(
        (over.rank(&[89.0], &[20.0])[0], over.rank(&[91.0], &[20.0])[0]),
        (0, 1),
        "4.5 times 20 is 90"
    );
    let many = with(vec![Ratio { input: 0, device: 0 }; MAX_RATIOS + 1], vec![]);
    assert!(matches!(Model::from_bytes(&many.to_bytes()), Err(ModelError::Body { .. })));
}

/// Whatever trees a file describes, it is refused or a prediction ends.
#[test]
fn random_trees_are_refused_or_predict() {
    let mut state = 7u64;
    let mut below = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % bound
    };
    let mut accepted = 0;
    for _ in 0..5_000 {
        let nodes: Vec<Node> = (0..below(12))
            .map(|_| match below(5) {
                0..=2 => Node::Leaf,
                _ => Node::Split { column: below(4) as u16, threshold: below(9) as f32 },
            })
            .collect();
        let ratios = vec![Ratio { input: 0, device: 0 }; below(2) as usize];
        let leaves = nodes.iter().filter(|node| **node == Node::Leaf).count();
        let values = (0..2 * leaves).map(|_| below(256) as u8).collect();
        let model =
            Model { selector: Selector::Forest(Forest { nodes, values, ratios, ..forest() }), ..model() };
        if let Ok(model) = Model::from_bytes(&model.to_bytes()) {
            accepted += 1;
            assert_eq!(model.rank(&[below(9) as f64], &[below(9) as f64]).len(), 2);
        }
    }
    assert!(accepted > 100, "{accepted} of 5000 were whole trees");
}

/// Bodies of random bytes behind a right header: refused, without panic and without memory for lengths they claim.
#[test]
fn random_bodies_are_refused() {
    let mut state = 1u64;
    for round in 0..20_000 {
        let body: Vec<u8> = (0..round % 97)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 56) as u8
            })
            .collect();
        // As a whole, and as what a section holds.
        let selector = section(b"selector\0\0\0\0", 1, &body);
        let parts = model().to_bytes()[HEADER_BYTES..].to_vec();
        let start = parts.windows(8).position(|window| window == b"selector").unwrap();
        for whole in [body.clone(), [&parts[..start], &selector].concat()] {
            let error = Model::from_bytes(&sealed(&whole)).err();
            let is_refused = matches!(error, Some(ModelError::Body { .. } | ModelError::Inconsistent { .. }));
            assert!(is_refused || body.first() == Some(&0), "{error:?}"); // a constant of the first choice is sound
        }
    }
}

#[cfg(unix)]
#[test]
fn what_has_no_end_is_no_model() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for endless in [&*pipe, "/dev/zero".as_ref()] {
        let error = Model::read(endless).unwrap_err();
        assert!(
            matches!(&error, ModelError::Io { source, .. } if source.to_string() == "it is no regular file")
        );
    }
}

#[test]
fn digests_of_features_read_back_and_are_as_many_as_these() {
    let known = Model { feature_digests: vec![u64::MAX; model().features.len()], ..model() };
    assert_eq!(Model::from_bytes(&known.to_bytes()).unwrap(), known);
    let many = Model { feature_digests: vec![1; model().features.len() + 1], ..model() };
    assert!(Model::from_bytes(&many.to_bytes()).is_err());
    assert!(model().to_bytes().len() < known.to_bytes().len(), "a model without is as before");
}

fn calibrated() -> Model {
    let forest = Forest {
        inputs: 1,
        choices: 2,
        nodes: vec![Node::Split { column: 0, threshold: 4.5 }, Node::Leaf, Node::Leaf],
        values: vec![0, 40, 40, 0],
        origins: vec![],
        ratios: vec![],
    };
    let calibration =
        Calibration { device: "host:4@desk".into(), measured_inputs: 10, selector: Selector::Forest(forest) };
    Model { calibrations: vec![calibration], ..model() }
}

#[test]
fn calibrations_are_read_back() {
    let read = Model::from_bytes(&calibrated().to_bytes()).unwrap();
    assert_eq!(read, calibrated());
    assert_eq!(read.on_device("host:4@desk", &[]).first(&[9.0]), Some(1));
    assert!(read.calibration("host:2@desk").is_none());
}

#[test]
fn calibrations_that_cannot_choose_are_refused() {
    type Damage = fn(&mut Calibration);
    let damages: [(&str, Damage); 3] = [
        ("name of a calibrated device", |own| own.device = "\x1b".into()),
        ("constant choice", |own| own.selector = Selector::Constant { choice: 2 }),
        // A device feature has no column there.
        ("split of a tree", |own| own.selector = Selector::Forest(forest())),
    ];
    for (expected, damage) in damages {
        let mut model = calibrated();
        damage(&mut model.calibrations[0]);
        let refused = Model::from_bytes(&model.to_bytes());
        assert!(
            matches!(refused, Err(ModelError::Inconsistent { what }) if what == expected),
            "{expected}: {refused:?}"
        );
    }
    let mut many = calibrated();
    many.calibrations = vec![many.calibrations[0].clone(); 65];
    let refused = Model::from_bytes(&many.to_bytes());
    assert!(
        matches!(refused, Err(ModelError::Inconsistent { what: "number of calibrations" })),
        "{refused:?}"
    );
}

#[test]
fn a_missing_file_is_named_and_the_reason_is_its_source() {
    let error = Model::read("no/such.model".as_ref()).unwrap_err();
    assert_eq!(error.to_string(), "no/such.model");
    assert!(std::error::Error::source(&error).is_some());
}

/// Names reach terminals, and the function's is that of a file.
#[test]
fn names_that_nothing_is_called_are_refused() {
    type Damage = fn(&mut Model);
    let damages: [(&str, Damage); 7] = [
        ("name of the function", |model| model.function = "../../spmv".into()),
        ("name of a choice", |model| model.choices[1] = "\x1b]0;ell\x07".into()),
        ("name of a feature", |model| model.features[0] = String::new()),
        ("name of a device feature", |model| model.device_features[0] = "a".repeat(2000)),
        ("name of a source", |model| model.provenance.sources[1] = "b\n".into()),
        ("name of a column", |model| {
            model.coverage = coverage();
            model.coverage.devices.as_mut().unwrap().features[0] = "\u{9b}2J".into();
        }),
        ("strategy", |model| model.provenance.strategy = "\r".into()),
    ];
    for (expected, damage) in damages {
        let mut model = model();
        damage(&mut model);
        let refused = Model::from_bytes(&model.to_bytes());
        assert!(
            matches!(refused, Err(ModelError::Inconsistent { what }) if what == expected),
            "{expected}: {refused:?}"
        );
    }
}

#[test]
fn what_could_not_be_read_takes_no_models_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spmv.model");
    model().write(&path).unwrap();
    let wide = Model { features: (0..33).map(|n| format!("f{n}")).collect(), ..model() };
    let huge = Model { choices: vec!["a".repeat(1024); 64 << 10], ..model() };
    for (refused, why) in [(wide, "number of features"), (huge, "fewer inputs or devices")] {
        let error = refused.write(&path).unwrap_err();
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert!(error.to_string().ends_with("spmv.model") && source.contains(why), "{error}: {source}");
    }
    assert_eq!(Model::read(&path).unwrap(), model());
}
