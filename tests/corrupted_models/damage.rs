//! Models, and what can happen to them.

use nitro::model::{
    Class, Coverage, DeviceRegion, FORMAT_VERSION, Forest, Model, Node, Offset, Provenance, Ratio, Region,
    Scale, Selector, Svm, Transform,
};

/// A linear congruential generator: the same numbers everywhere.
pub struct Random(pub u64);

impl Random {
    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn byte(&mut self) -> u8 {
        self.below(256) as u8
    }

    /// Two places in order, the second behind the first.
    fn range(&mut self, length: usize) -> (usize, usize) {
        let begin = self.below(length);
        (begin, begin + 1 + self.below(length - begin))
    }
}

/// A sound model: a machine, a forest or a constant, over two input features and a device feature.
pub fn sound(function: &str, kind: usize) -> Model {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let scale = |max| Scale { transform: Transform::Identity, min: 0.0, max };
    let selector = match kind {
        0 => Selector::Svm(Svm {
            gamma: 0.7,
            scaling: vec![scale(200.0), scale(10.0), scale(8.0)],
            classes: [1, 2, 0].map(|variant| Class { choice: variant, support: 2 }).into(),
            vectors: (0..18).map(|n| f64::from(n * 7 % 13) / 6.0 - 1.0).collect(),
            coefficients: (0..12).map(|n| f64::from(n * 5 % 7) - 3.0).collect(),
            rho: vec![0.25, -0.5, 0.125],
        }),
        1 => {
            let split = |column| Node::Split { column, threshold: 3.5 };
            let nodes = vec![split(2), split(3), Node::Leaf, Node::Leaf, split(1), Node::Leaf, Node::Leaf];
            Selector::Forest(Forest {
                inputs: 2,
                choices: 3,
                nodes,
                values: (0..12).map(|n| (n * 37 % 256) as u8).collect(),
                origins: vec![0.0, 1e9, 0.0, 0.0],
                ratios: vec![Ratio { input: 0, device: 0 }],
            })
        }
        _ => Selector::Constant { choice: 1 },
    };
    let region = |columns: usize| {
        let center = vec![0.25; columns];
        Region::new(vec![scale(100.0); columns], [center.as_slice()], Offset { gap: 0.5, excess: 0.25 })
    };
    let devices = DeviceRegion { features: names(&["threads"]), region: region(1) };
    Model {
        function: function.to_owned(),
        choices: names(&["first", "second", "third"]),
        features: names(&["size", "count"]),
        device_features: names(&["threads"]),
        selector,
        gate: None,
        caution: None,
        is_distilled: false,
        training_inputs: Default::default(),
        artifacts: vec![],
        calibrations: vec![],
        feature_digests: vec![],
        coverage: Coverage { inputs: Some(region(2)), devices: Some(devices) },
        provenance: Provenance {
            strategy: "test".into(),
            sources: names(&["a", "b"]),
            ..Provenance::default()
        },
    }
}

/// A model file with something wrong: bytes flipped, cut, added or moved, with or without a checksum that is right
/// all the same, or whole fields swapped.
pub fn damaged(model: &Model, random: &mut Random) -> Vec<u8> {
    let whole = model.to_bytes();
    let body = || whole[HEADER_BYTES..].to_vec();
    match random.below(8) {
        0 => flipped(whole, random),
        1 => resized(whole, random),
        2 => moved(whole, random),
        3 => sealed(flipped(body(), random)),
        4 => sealed(resized(body(), random)),
        5 => sealed(moved(body(), random)),
        6 => header(whole, random),
        _ => swapped(model.clone(), random).to_bytes(),
    }
}

const HEADER_BYTES: usize = 24;

/// A file of this body whose header is right.
fn sealed(body: Vec<u8>) -> Vec<u8> {
    let mut bytes = [b"NITROMDL".as_slice(), &FORMAT_VERSION.to_le_bytes()].concat();
    bytes.extend(crc32fast::hash(&body).to_le_bytes());
    bytes.extend((body.len() as u64).to_le_bytes());
    bytes.extend(body);
    bytes
}

fn flipped(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    for _ in 0..=random.below(4) {
        let place = random.below(bytes.len());
        bytes[place] ^= 1 << random.below(8);
    }
    bytes
}

/// Cut off, or longer.
fn resized(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    if random.below(2) == 0 {
        bytes.truncate(random.below(bytes.len()));
    } else {
        bytes.extend((0..=random.below(40)).map(|_| random.byte()));
    }
    bytes
}

/// A part turned around, set to one byte, or doubled over what follows it.
fn moved(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let (begin, end) = random.range(bytes.len());
    match random.below(3) {
        0 => bytes[begin..end].reverse(),
        1 => bytes[begin..end].fill([0, 1, 0x7f, 0xff][random.below(4)]),
        _ => {
            let target = random.below(bytes.len() - (end - begin) + 1);
            bytes.copy_within(begin..end, target);
        }
    }
    bytes
}

/// The fields of the header swapped or overwritten.
fn header(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let (one, other) = (4 * random.below(6), 4 * random.below(6));
    if random.below(2) == 0 {
        (0..4).for_each(|n| bytes.swap(one + n, other + n));
    } else {
        bytes[one..one + 4].fill(random.byte());
    }
    bytes
}

/// Fields of the model swapped for others of their type.
fn swapped(mut model: Model, random: &mut Random) -> Model {
    for _ in 0..=random.below(2) {
        match random.below(12) {
            0 => model.function = model.choices[0].clone(),
            1 => model.function.push('x'),
            2 => std::mem::swap(&mut model.choices, &mut model.features),
            3 => std::mem::swap(&mut model.features, &mut model.device_features),
            4 => model.features.reverse(),
            5 => model.choices.rotate_left(1),
            6 => model.choices[random.below(2)] = "third".into(),
            7 => model.choices[random.below(2)] = "gone".into(),
            8 => model.device_features[0] = "no_such_feature".into(),
            9 => {
                model.coverage.inputs = model.coverage.devices.as_ref().map(|devices| devices.region.clone())
            }
            10 => model.coverage = Coverage::default(),
            _ => match &mut model.selector {
                Selector::Constant { choice } => *choice = random.below(4),
                Selector::Svm(svm) => swapped_in_machine(svm, random),
                Selector::Forest(forest) => swapped_in_forest(forest, random),
            },
        }
    }
    model
}

fn swapped_in_machine(svm: &mut Svm, random: &mut Random) {
    match random.below(7) {
        0 => std::mem::swap(&mut svm.vectors, &mut svm.coefficients),
        1 => std::mem::swap(&mut svm.rho, &mut svm.coefficients),
        2 => svm.vectors.reverse(),
        3 => svm.classes[0].choice = random.below(5),
        4 => svm.classes[random.below(3)].support = random.below(5),
        5 => svm.scaling.rotate_left(1),
        _ => svm.gamma = [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300][random.below(5)],
    }
}

fn swapped_in_forest(forest: &mut Forest, random: &mut Random) {
    match random.below(4) {
        0 => std::mem::swap(&mut forest.inputs, &mut forest.choices),
        1 => forest.values.reverse(),
        2 => forest.nodes.rotate_left(1),
        _ => forest.nodes[0] = Node::Split { column: random.below(5) as u16, threshold: f32::NAN },
    }
}
