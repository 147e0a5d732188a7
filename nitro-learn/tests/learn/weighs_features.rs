//! A feature is worth what it brings on an input less what it takes there.

use nitro_learn::check::{Expected, check};
use nitro_learn::evaluate::{EvaluateOptions, Split, evaluate};
use nitro_learn::{FitOptions, fit};
use nitro_stats::random::Random;
use nitro_store::recordings::{DeviceRecord, FeatureTimes, Input, Measurement, Outcome, Recordings};

/// Nanoseconds that the feature `order` takes.
const ORDER_NS: f64 = 2000.0;

/// Two variants of which one takes 1.5 times as long as the other: which one, `order` tells and `length` does not.
/// The best takes a nanosecond for each element. Lengths reach from `lengths.0` to `lengths.1`.
fn recordings(lengths: (f64, f64), inputs: usize) -> Recordings {
    let mut random = Random::new(7);
    let mut recordings = Recordings {
        function: "sort".into(),
        variants: vec!["plain".into(), "adaptive".into()],
        default_variant: Some(0),
        features: vec!["length".into(), "order".into()],
        devices: ["d0", "d1"].map(|id| DeviceRecord { id: id.into(), features: Default::default() }).into(),
        ..Recordings::default()
    };
    for input in 0..inputs {
        let length = lengths.0 * (lengths.1 / lengths.0).powf(random.unit());
        let order = random.unit();
        let part = if input % 4 == 0 { "test" } else { "train" };
        recordings.inputs.push(Input { name: format!("{part}/{input}"), features: vec![length, order] });
        for device in 0..2 {
            let times_ns = vec![Some(0.0), Some(ORDER_NS)];
            recordings.feature_times.push(FeatureTimes { device, input, times_ns });
            for variant in 0..2 {
                let is_best = (variant == 1) == (order > 0.6);
                let time_ns = length * if is_best { 1.0 } else { 1.5 };
                recordings.measurements.push(Measurement {
                    device,
                    input,
                    variant,
                    configuration: String::new(),
                    outcome: Outcome::Time(time_ns),
                    spread_ns: 0.0,
                    repeats: 5,
                    load: None,
                    reason: String::new(),
                });
            }
        }
    }
    recordings
}

#[test]
fn short_inputs_are_decided_without_the_dear_feature_and_long_ones_with_it() {
    let recordings = recordings((100.0, 1e6), 400);
    let model = fit(&recordings, &FitOptions::default()).unwrap().model;
    let gate = model.gate.as_ref().expect("asking is not worth it for short inputs");
    assert_eq!(gate.features, [0], "the length alone");
    let chosen = |length: f64, order: f64| {
        let early = gate.decide(&[length, order], &[]).is_some();
        (early, &*model.choices[model.rank(&[length, order], &[])[0]])
    };
    assert_eq!((chosen(200.0, 0.1), chosen(200.0, 0.9)), ((true, "plain"), (true, "plain")));
    assert_eq!((chosen(9e5, 0.1), chosen(9e5, 0.9)), ((false, "plain"), (false, "adaptive")));
}

#[test]
fn without_times_of_features_nothing_is_weighed() {
    let untimed = Recordings { feature_times: Vec::new(), ..recordings((100.0, 1e6), 400) };
    let model = fit(&untimed, &FitOptions::default()).unwrap().model;
    assert_eq!(model.gate, None);
    assert_eq!(&*model.choices[model.rank(&[200.0, 0.9], &[])[0]], "adaptive");
}

/// The features would cost more than they bring wherever the function is called: one choice for everything is shipped.
#[test]
fn where_no_feature_is_worth_its_time_one_variant_is_shipped() {
    let recordings = recordings((20.0, 500.0), 200);
    let fitted = fit(&recordings, &FitOptions::default()).unwrap();
    assert_eq!((fitted.strategy.name(), &fitted.model.gate), ("static", &None));
    assert!(fitted.notes.iter().any(|note| note.contains("`plain`")), "{:?}", fitted.notes);
}

#[test]
fn an_evaluation_shows_both_what_is_chosen_and_what_choosing_takes() {
    let timed = recordings((100.0, 1e6), 400);
    let split = Split::by_name(&timed);
    let net = |recordings: &Recordings| {
        let evaluation = evaluate(recordings, &split, &EvaluateOptions::default()).unwrap();
        let device = &evaluation.devices[0];
        let forest = device.with_features.get("forest-none").map(|figures| figures.mean);
        (
            device.selectors.get("auto").unwrap().mean,
            device.with_features.get("auto").map(|own| own.mean),
            forest,
        )
    };
    let (chosen, with_features, forest) = net(&timed);
    assert!(
        with_features.unwrap() < chosen && with_features > forest,
        "{chosen} {with_features:?} {forest:?}"
    );
    let untimed = Recordings { feature_times: Vec::new(), ..timed };
    assert_eq!(net(&untimed).1, None);
}

/// Adds the feature `span`, which says nothing and takes this long.
fn with_span(mut recordings: Recordings, span_ns: f64) -> Recordings {
    let mut random = Random::new(11);
    recordings.features.push("span".into());
    recordings.inputs.iter_mut().for_each(|input| input.features.push(random.unit()));
    recordings.feature_times.iter_mut().for_each(|one| one.times_ns.push(Some(span_ns)));
    recordings
}

#[test]
fn a_dear_feature_that_says_nothing_is_left_out_and_one_that_decides_stays() {
    let recordings = with_span(recordings((2e4, 1e6), 400), 5000.0);
    let fitted = fit(&recordings, &FitOptions::default()).unwrap();
    assert_eq!(fitted.model.features, ["length", "order"]);
    assert!(fitted.strategy.uses_features());
    let [span, order] = &fitted.features[..] else { panic!("{:?}", fitted.features) };
    assert_eq!((&*span.feature, span.time_ns, span.is_left_out), ("span", 5000.0, true));
    assert_eq!((&*order.feature, order.time_ns, order.is_left_out), ("order", ORDER_NS, false));
    assert!((span.without - span.with).abs() < 0.01, "a tree does not ask for it: {span:?}");
    assert!(order.without < order.with, "{order:?}");
    assert_eq!(fitted.score(), Some(order.with), "the score is that of the features that are left");
    let says = |feature: &str, what: &str| {
        let begins = format!("`{feature}` takes ");
        fitted.notes.iter().any(|note| note.starts_with(&begins) && note.contains(what))
    };
    assert!(says("span", "does not pay, and is left out"), "{:?}", fitted.notes);
    assert!(says("order", ", and pays"), "{:?}", fitted.notes);
}

/// With `span` one variant for everything would be better than to ask for features.
#[test]
fn a_strategy_that_pays_without_a_dear_feature_is_found_among_those_that_do_not() {
    let recordings = with_span(recordings((1e4, 1e5), 400), 3e4);
    let fitted = fit(&recordings, &FitOptions::default()).unwrap();
    assert!(fitted.strategy.uses_features(), "{:?}", fitted.scores);
    assert_eq!(fitted.model.features, ["length", "order"]);
    assert!(fitted.scores.iter().all(|(_, score)| fitted.score() >= Some(*score)), "{:?}", fitted.scores);
}

#[test]
fn without_times_of_features_none_is_left_out_and_nothing_said() {
    let timed = with_span(recordings((2e4, 1e6), 400), 5000.0);
    let fitted = fit(&Recordings { feature_times: Vec::new(), ..timed }, &FitOptions::default()).unwrap();
    assert_eq!((&fitted.features[..], fitted.model.features.len()), (&[][..], 3));
    assert!(fitted.notes.iter().all(|note| !note.contains("takes")), "{:?}", fitted.notes);
}

#[test]
fn an_evaluation_judges_what_is_shipped_without_the_features_that_do_not_pay() {
    let recordings = with_span(recordings((2e4, 1e6), 400), 5000.0);
    let options = EvaluateOptions { calibration: vec![30], draws: 1, ..EvaluateOptions::default() };
    let evaluation = evaluate(&recordings, &Split::by_name(&recordings), &options).unwrap();
    for device in &evaluation.devices {
        assert_eq!(device.auto_model.features, ["length", "order"]);
        let net = |name| device.with_features.get(name).unwrap().mean;
        assert!(net("auto") > net("forest-none"), "{:?}", device.with_features);
        assert!(device.calibrated.contains_key(&30), "{:?}", device.calibrated);
    }
}

#[test]
fn a_check_counts_the_time_for_choosing_as_a_fit_does() {
    let timed = recordings((1e3, 1e5), 400);
    let split = Split::by_name(&timed);
    let options = FitOptions { inputs: Some(split.train.clone()), ..FitOptions::default() };
    let model = fit(&timed, &options).unwrap().model;
    let checked = |recordings: &Recordings| {
        let expected = Expected { function: None, recordings, split: &split, devices: &[], max_regret: 1.0 };
        let checked = check(&model, &expected);
        (checked.counts_choosing, checked.mean_regret().unwrap())
    };
    let ((counts, net), (counts_untimed, gross)) =
        (checked(&timed), checked(&Recordings { feature_times: Vec::new(), ..timed.clone() }));
    assert_eq!((counts, counts_untimed), (true, false));
    // The dear feature takes 2 to 200 % of a call, and most of these are not worth it.
    assert!(gross < 0.2 && net > gross + 0.01 && net < 0.35, "{net} {gross}");
}
