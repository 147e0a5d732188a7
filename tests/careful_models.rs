//! A model that is unsure keeps to what its caution names; what it is sure of runs.

mod macro_support;

use std::sync::LazyLock;

use nitro::model::{Caution, Coverage, Model, Node, Offset, Region, Scale, Transform};
use nitro::{Reason, code_variant};

use macro_support::forest;

#[code_variant(
    name = "careful",
    features(length = n),
    variants(plain, quick, tiny if length < 5.0),
    default = plain,
    model = CAREFUL.as_slice(),
)]
fn careful(n: f64) -> &'static str;

fn plain(_: f64) -> &'static str {
    "plain"
}

fn quick(_: f64) -> &'static str {
    "quick"
}

fn tiny(_: f64) -> &'static str {
    "tiny"
}

/// Up to a length of 10 `tiny` is expected to be best and `plain` to lose a hundredth of its speed; above, `quick`
/// is best by far. Trained on lengths up to 100.
static CAREFUL: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let nodes = vec![Node::Split { column: 0, threshold: 10.0 }, Node::Leaf, Node::Leaf];
    let forest = forest(3, nodes, vec![3, 200, 0, 200, 0, 255]);
    let scale = Scale { transform: Transform::Identity, min: 0.0, max: 100.0 };
    let inputs = Region::new(vec![scale], [&[-1.0][..], &[0.0], &[1.0]], Offset { gap: 1.0, excess: 0.5 });
    let model = Model {
        caution: Some(Caution { choice: 0, margin: 0.02, far: true }),
        coverage: Coverage { inputs: Some(inputs), devices: None },
        ..macro_support::model("careful", &["plain", "quick", "tiny"], &["length"], forest)
    };
    model.to_bytes()
});

/// What is selected and why; a call runs the same, remembered or not.
fn selected(length: f64) -> (&'static str, Reason) {
    let selection = careful::select(length);
    let name = selection.variant().to_string();
    assert_eq!([(); 3].map(|()| careful(length)), [name.as_str(); 3]);
    (careful(length), selection.reason())
}

#[test]
fn a_choice_that_is_hardly_ahead_does_not_run() {
    assert_eq!(selected(3.0), ("plain", Reason::Unsure));
    assert_eq!(selected(20.0), ("quick", Reason::Predicted));
}

/// What the constraint forbids was not to run anyway.
#[test]
fn what_is_kept_to_is_not_said_to_be_inadmissible() {
    assert_eq!(selected(7.0), ("plain", Reason::Unsure));
}

#[test]
fn an_input_far_from_the_training_runs_what_the_caution_names() {
    assert_eq!(selected(100.0), ("quick", Reason::Predicted));
    assert_eq!(selected(1e6), ("plain", Reason::Unsure));
}

#[test]
fn a_ranking_begins_with_what_runs() {
    let model = Model::from_bytes(&CAREFUL).unwrap();
    assert_eq!(model.rank(&[3.0], &[]), [0, 2, 1]);
    assert_eq!(model.rank(&[20.0], &[])[0], 1);
    let followed = Model { caution: None, is_distilled: false, ..model };
    assert_eq!(followed.rank(&[3.0], &[])[0], 2);
}

#[test]
fn a_caution_that_does_not_fit_is_refused() {
    let model = Model::from_bytes(&CAREFUL).unwrap();
    let with = |caution| Model::from_bytes(&Model { caution: Some(caution), ..model.clone() }.to_bytes());
    let sound = Caution { choice: 0, margin: 0.02, far: false };
    assert!(with(sound).is_ok());
    for unsound in [Caution { choice: 3, ..sound }, Caution { margin: f64::NAN, ..sound }] {
        assert!(with(unsound).unwrap_err().to_string().contains("unsure"));
    }
}
