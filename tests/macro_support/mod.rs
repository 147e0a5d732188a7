//! Models made in the test, for `model = EXPR`.

#![allow(dead_code)] // each test file uses what it needs

use nitro::model::{Class, Coverage, Forest, Model, Node, Provenance, Scale, Selector, Svm, Transform};

/// A model that ranks one variant first whatever the input.
pub fn constant(function: &str, variants: &[&str], chosen: &str) -> Vec<u8> {
    let variant = variants.iter().position(|variant| *variant == chosen).expect("one of the variants");
    model(function, variants, &[], Selector::Constant { choice: variant }).to_bytes()
}

/// A model of two variants that chooses `variants[0]` where the feature is below `limit` and `variants[1]` above it.
pub fn threshold(function: &str, variants: [&str; 2], feature: &str, limit: f64) -> Vec<u8> {
    let class = |variant| Class { choice: variant, support: 1 };
    let svm = Svm {
        gamma: 0.5,
        scaling: vec![Scale { transform: Transform::Identity, min: 0.0, max: 2.0 * limit }],
        classes: vec![class(0), class(1)],
        vectors: vec![-1.0, 1.0],
        coefficients: vec![1.0, -1.0],
        rho: vec![0.0],
    };
    model(function, &variants, &[feature], Selector::Svm(svm)).to_bytes()
}

/// A forest over one input feature.
pub fn forest(choices: usize, nodes: Vec<Node>, values: Vec<u8>) -> Selector {
    Selector::Forest(Forest { inputs: 1, choices, nodes, values, origins: vec![], ratios: vec![] })
}

/// A model of these choices and input features, of which nothing else is known.
pub fn model(function: &str, variants: &[&str], features: &[&str], selector: Selector) -> Model {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Model {
        function: function.to_owned(),
        choices: owned(variants),
        features: owned(features),
        device_features: Vec::new(),
        selector,
        gate: None,
        caution: None,
        is_distilled: false,
        training_inputs: Default::default(),
        artifacts: vec![],
        calibrations: vec![],
        feature_digests: vec![],
        coverage: Coverage::default(),
        provenance: Provenance::default(),
    }
}
