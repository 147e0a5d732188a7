//! Questions about features that a model left out.

use nitro_stats::random::Random;
use nitro_train::recordings::{DeviceRecord, Input, Measurement, Outcome, Recordings};
use nitro_train::{DataRequest, ExplainRequest, FitRequest, Trainer, store};

/// Returns recordings of two devices, where `a` is three times as fast as `b` if `x` is above `y`. `total` is constant.
fn recordings() -> Recordings {
    let mut random = Random::new(11);
    let device = |id: &str| DeviceRecord { id: id.to_owned(), features: Default::default() };
    let mut recordings = Recordings {
        function: "f".into(),
        variants: vec!["a".into(), "b".into()],
        default_variant: Some(0),
        features: ["x", "y", "total"].map(str::to_owned).to_vec(),
        devices: vec![device("d0"), device("d1")],
        ..Recordings::default()
    };
    for input in 0..80 {
        let (x, y) = (random.unit(), random.unit());
        let times_ns = if x > y { [1e6, 3e6] } else { [3e6, 1e6] };
        recordings.inputs.push(Input { name: format!("train/{input}"), features: vec![x, y, 1.0] });
        for (device, variant) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            recordings.measurements.push(Measurement {
                device,
                input,
                variant,
                configuration: String::new(),
                outcome: Outcome::Time(times_ns[variant]),
                spread_ns: 0.0,
                repeats: 5,
                load: None,
                reason: String::new(),
            });
        }
    }
    recordings
}

/// Who asks does not know what the model left out, and names every feature of the recordings.
#[test]
fn a_question_may_name_a_feature_that_the_model_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let (url, models) = (folder.path().join("f.db").display().to_string(), folder.path().join("models"));
    store::open(&url).unwrap().import(&recordings()).unwrap();
    let trainer = Trainer::new();
    let data = DataRequest { store: Some(url.clone()), ..DataRequest::default() };
    trainer
        .fit(&FitRequest { data, models: models.clone(), ..FitRequest::default() })
        .unwrap()
        .all()
        .unwrap();
    let ask = |features: &[(&str, f64)]| {
        trainer.explain(&ExplainRequest {
            device: Some("d0".to_owned()),
            store: Some(url.clone()),
            models: models.clone(),
            ..ExplainRequest::new("f", features.iter().copied())
        })
    };
    let choices = [1.0, 1.00001].map(|total| ask(&[("x", 0.1), ("y", 0.9), ("total", total)]).unwrap());
    assert!(choices.iter().all(|answer| answer.explanation.choice.as_deref() == Some("b")));
    assert!(ask(&[("x", 0.1), ("y", 0.9), ("totl", 1.0)]).is_err(), "a name that nothing knows is a mistake");
    assert!(ask(&[("x", 0.1), ("total", 1.0)]).is_err(), "a feature of the model is missing");
}
