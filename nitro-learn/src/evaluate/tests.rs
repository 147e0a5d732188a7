use nitro_store::recordings::{DeviceRecord, Input, Measurement, Outcome};

use super::*;

/// One feature, whose sign decides which of two variants is twice as fast, on every device alike; a third variant is
/// always four times slower than the best. Inputs `train/…` and `test/…` alternate.
fn recordings(devices: usize) -> Recordings {
    let mut recordings = Recordings {
        function: "f".into(),
        variants: ["left", "right", "slow"].map(String::from).to_vec(),
        features: vec!["x".into()],
        ..Recordings::default()
    };
    for device in 0..devices {
        let features = [("speed".to_owned(), 1.0 + device as f64), ("same".to_owned(), 3.0)].into();
        recordings.devices.push(DeviceRecord { id: format!("d{device}"), features });
    }
    for input in 0..40 {
        let x = (f64::from(input / 2) - 9.5) / 10.0;
        let side = if input % 2 == 0 { "train" } else { "test" };
        recordings.inputs.push(Input { name: format!("{side}/{input}"), features: vec![x] });
        for device in 0..devices {
            for (variant, time) in
                [if x < 0.0 { 10.0 } else { 20.0 }, if x < 0.0 { 20.0 } else { 10.0 }, 40.0]
                    .into_iter()
                    .enumerate()
            {
                recordings.measurements.push(Measurement {
                    device,
                    input: recordings.inputs.len() - 1,
                    variant,
                    configuration: String::new(),
                    outcome: Outcome::Time(time),
                    spread_ns: 0.0,
                    repeats: 3,
                    load: None,
                    reason: String::new(),
                });
            }
        }
    }
    recordings
}

fn set(recordings: &mut Recordings, device: usize, input: usize, variant: usize, outcome: Outcome) {
    let row = |row: &&mut Measurement| (row.device, row.input, row.variant) == (device, input, variant);
    recordings.measurements.iter_mut().find(row).expect("it was measured").outcome = outcome;
}

fn evaluation(recordings: &Recordings) -> Evaluation {
    evaluate(recordings, &Split::by_name(recordings), &EvaluateOptions::default()).unwrap()
}

#[test]
fn figures_of_a_small_table_are_those_worked_out_by_hand() {
    let evaluation = evaluation(&recordings(3));
    assert_eq!((evaluation.train_inputs, evaluation.test_inputs, evaluation.devices.len()), (20, 20, 3));
    for device in &evaluation.devices {
        let figures = |name: &str| device.selectors.get(name).unwrap();
        // Half of the inputs at full speed, half at half speed.
        assert_eq!(figures("static"), Figures { mean: 0.75, p05: 0.5, worst: 0.5 });
        // (1 + 1/2 + 1/4) / 3 on every input.
        assert!((figures("random").mean - 1.75 / 3.0).abs() < 1e-12);
        let names = ["majority", "svm-none", "svm-cross-validation", "forest-all", "auto"];
        for name in names.into_iter().chain(["nitro-2014", "target-trained"]) {
            assert_eq!(
                figures(name),
                Figures { mean: 1.0, p05: 1.0, worst: 1.0 },
                "{name} on {}",
                device.held_out
            );
        }
        assert_eq!(device.left_out, 0);
    }
}

#[test]
fn a_chosen_variant_that_failed_counts_as_zero() {
    let mut recordings = recordings(2);
    // On a test input where `right` is best elsewhere, it fails on the held-out device d0, and so does `slow`.
    set(&mut recordings, 0, 39, 1, Outcome::Failed);
    set(&mut recordings, 0, 39, 2, Outcome::Wrong);
    let evaluation = evaluation(&recordings);
    let none = evaluation.devices[0].selectors.get("svm-none").unwrap();
    assert_eq!(none.worst, 0.0);
    assert!((none.mean - 19.0 / 20.0).abs() < 1e-12);
    assert_eq!(evaluation.devices[1].selectors.get("svm-none").unwrap().worst, 1.0);
}

#[test]
fn a_draw_among_those_that_succeed_stands_beside_random_which_counts_failures_as_zero() {
    let mut recordings = recordings(2);
    set(&mut recordings, 0, 39, 1, Outcome::Failed);
    set(&mut recordings, 0, 39, 2, Outcome::Inadmissible);
    let evaluation = evaluation(&recordings);
    let [with_failure, without] = [0, 1].map(|device| &evaluation.devices[device]);
    // On that input `left` has 1, and `right` failed.
    let others = 19.0 * 1.75 / 3.0;
    assert!((with_failure.selectors.get("random").unwrap().mean - (others + 0.5) / 20.0).abs() < 1e-12);
    assert!((with_failure.random_successful.unwrap().mean - (others + 1.0) / 20.0).abs() < 1e-12);
    assert_eq!(without.random_successful, None, "none failed there");
    // Means over both devices: (57.92 + 58.33) / 2 and (60.42 + 58.33) / 2.
    let line = "random: a variant that failed counts as 0, which makes 58.1 of 59.4 for those that succeed\n";
    assert!(evaluation.to_string().contains(line), "{evaluation}");
    let json = serde_json::to_value(&evaluation).unwrap();
    assert!(json["devices"][0]["random_successful"]["mean"].as_f64().unwrap() > 0.6);
}

#[test]
fn nothing_is_said_of_failures_where_none_failed() {
    let text = evaluation(&recordings(2)).to_string();
    assert!(!text.contains("random: "), "{text}");
}

#[test]
fn an_inadmissible_choice_is_passed_over_for_the_next() {
    let mut recordings = recordings(2);
    set(&mut recordings, 0, 39, 1, Outcome::Inadmissible);
    let device = &evaluation(&recordings).devices[0];
    // `left` is next, and now the best there is.
    assert_eq!(device.selectors.get("svm-none").unwrap().worst, 1.0);
    // (1 + 1/2) / 2 on that input, since only `left` and `slow` are left there.
    let random = (19.0 * 1.75 / 3.0 + (1.0 + 0.5) / 2.0) / 20.0;
    assert!((device.selectors.get("random").unwrap().mean - random).abs() < 1e-12);
}

#[test]
fn inputs_without_complete_measurements_or_success_are_left_out_and_counted() {
    let mut recordings = recordings(2);
    (0..3).for_each(|variant| set(&mut recordings, 0, 39, variant, Outcome::Failed));
    recordings.measurements.retain(|row| (row.device, row.input, row.variant) != (0, 37, 2));
    let evaluation = evaluation(&recordings);
    assert_eq!((evaluation.devices[0].left_out, evaluation.devices[1].left_out), (2, 0));
    assert_eq!(evaluation.devices[0].selectors.get("svm-none").unwrap().mean, 1.0);
}

#[test]
fn json_is_the_form_of_the_contract() {
    let mut recordings = recordings(3);
    let json = serde_json::to_value(evaluation(&recordings)).unwrap();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&json), ["devices", "function", "test_inputs", "train_inputs", "variants"]);
    let device = &json["devices"][0];
    assert_eq!(keys(device), ["auto_is", "device_features", "held_out", "machine", "selectors", "sources"]);
    assert_eq!(device["held_out"], "d0");
    assert_eq!(device["sources"], serde_json::json!(["d1", "d2"]));
    assert_eq!(keys(&device["selectors"]["static"]), ["mean", "p05", "worst"]);
    assert!(device["selectors"].get("svm-profile").is_none());
    assert!(device["selectors"].get("best-single-feature").is_some());
    // Without device features the selectors that are about them are absent, not zero.
    recordings.devices.iter_mut().for_each(|device| device.features.clear());
    let json = serde_json::to_value(evaluation(&recordings)).unwrap();
    assert!(json["devices"][0]["selectors"].get("svm-all").is_none());
    assert!(json["devices"][0]["selectors"].get("best-single-feature").is_none());
}

#[test]
fn a_device_alone_cannot_be_held_out() {
    let recordings = recordings(1);
    let error = evaluate(&recordings, &Split::by_name(&recordings), &EvaluateOptions::default()).unwrap_err();
    assert_eq!(error, EvaluateError::TooFewDevices { function: "f".into(), devices: 1 });
}

#[test]
fn the_table_names_devices_and_selectors() {
    let text = evaluation(&recordings(3)).to_string();
    for part in
        ["f: % of exhaustive search, 20 training and 20 test inputs", "d2", "majority", "75.0", "100.0"]
    {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn the_same_learner_is_compared_over_the_same_devices() {
    let mut recordings = recordings(3);
    // The last device is another world, which only what is told of devices could say.
    for row in recordings.measurements.iter_mut().filter(|row| row.device == 2 && row.variant < 2) {
        row.variant = 1 - row.variant;
    }
    let mut evaluation = evaluation(&recordings);
    let mean = |evaluation: &Evaluation, name: &str| {
        let shares = evaluation.devices.iter().map(|device| device.selectors.get(name).unwrap().mean);
        shares.sum::<f64>() / 3.0
    };
    for one in evaluation.by_device_features() {
        let names: Vec<_> = one.sets.iter().map(|set| set.device_features.name()).collect();
        assert_eq!(names, ["none", "cross-validation", "all"], "nothing was profiled");
        for set in &one.sets {
            let name = format!("{}-{}", one.learner, set.device_features.name());
            assert_eq!((set.mean, set.applies_to), (mean(&evaluation, &name), 3), "{name}");
        }
    }
    // Where all device features do not apply, none stand in.
    let (none, all) = ("forest-none", "forest-all");
    let without = |device: &DeviceEvaluation| {
        let kept = device.shares.iter().filter(|(name, _)| !name.ends_with("-all"));
        Selectors::of(&kept.map(|(&name, shares)| (name, shares.clone())).collect())
    };
    let before = [none, all].map(|name| evaluation.devices[2].selectors.get(name).unwrap().mean);
    let expected = mean(&evaluation, all) + (before[0] - before[1]) / 3.0;
    evaluation.devices[2].selectors = without(&evaluation.devices[2]);
    let compared = evaluation.by_device_features();
    let forest = compared.iter().find(|one| one.learner == "forest").unwrap();
    let of_all = forest.sets.last().unwrap();
    assert!((of_all.mean - expected).abs() < 1e-12 && of_all.applies_to == 2, "{of_all:?}");
    let text = evaluation.to_string();
    assert!(
        text.contains("all applies to 2 of 3 held-out devices; on the others `none` stands in"),
        "{text}"
    );
}

#[test]
fn figures_end_below_the_ends_of_their_heads() {
    let text = evaluation(&recordings(3)).to_string();
    let mut lines = text.lines().skip(1);
    let heads = lines.next().expect("a line of heads");
    for line in lines.take(6) {
        for (point, _) in line.match_indices('.') {
            let (head, next) = heads.split_at(point + ".0".len());
            assert!(!head.ends_with(' ') && (next.is_empty() || next.starts_with(' ')), "{text}");
        }
    }
}

#[test]
fn what_ships_stands_first_and_what_applies_to_no_device_is_left_out() {
    let evaluation = evaluation(&recordings(3));
    let text = evaluation.to_string();
    let heads = text.lines().nth(1).expect("a line of heads");
    let first: Vec<&str> = heads.split("  ").map(str::trim).filter(|head| !head.is_empty()).take(4).collect();
    assert_eq!(first, ["held-out device", "auto", "auto is", "static"]);
    assert!(!heads.contains("profile"), "nothing was profiled: {heads}");
    let narrow = format!("{evaluation:80}");
    assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
    assert!(narrow.lines().nth(1).is_some_and(|heads| heads.starts_with("held-out device   auto  auto is")));
    let words =
        |text: &str| text.split_whitespace().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(words(&narrow), words(&text), "every word is whole");
}

#[test]
fn a_tie_counts_for_the_first_variant_and_is_no_loss_without_it() {
    let mut recordings = recordings(1);
    set(&mut recordings, 0, 0, 1, Outcome::Time(10.0));
    let statistics =
        best_variant_shares(&recordings, &PerformanceTable::new(&recordings).unwrap(), &[0, 1, 38, 39]);
    assert_eq!((statistics[0].inputs, statistics[0].best_share.as_slice()), (4, &[0.5, 0.5, 0.0][..]));
    // Without `left` the tie costs nothing and the other of its inputs half; without `right` two inputs cost half.
    assert_eq!(statistics[0].share_without, [0.875, 0.75, 1.0]);
}

#[test]
fn sensitivity_counts_inputs_whose_best_variant_depends_on_the_device() {
    let mut recordings = recordings(2);
    assert_eq!(evaluation(&recordings).sensitivity, Sensitivity { inputs: 20, ..Sensitivity::default() });
    // Of the twenty test inputs: on the second device one is won by another variant by a hair, one by far.
    let test = |name: &str| recordings.inputs.iter().position(|input| input.name == name).unwrap();
    let (close, far) = (test("test/1"), test("test/3"));
    set(&mut recordings, 0, close, 1, Outcome::Time(10.1));
    set(&mut recordings, 1, close, 1, Outcome::Time(9.9));
    set(&mut recordings, 1, far, 1, Outcome::Time(5.0));
    let expected = Sensitivity { inputs: 20, best_differs: 0.1, none_is_near: 0.05 };
    assert_eq!(evaluation(&recordings).sensitivity, expected);
}

#[test]
fn auto_on_one_device_is_the_very_model_that_is_given() {
    let recordings = recordings(3);
    let options = crate::FitOptions { strategies: vec!["static".parse().unwrap()], ..Default::default() };
    let mut model = crate::fit(&recordings, &options).unwrap().model;
    model.selector = nitro_core::model::Selector::Constant { choice: 2 }; // `slow`, which no strategy would choose
    let sources = ["d1".to_owned(), "d2".to_owned()];
    let split = Split::by_name(&recordings);
    let on = evaluate_on(&recordings, &split, "d0", &sources, &model, &EvaluateOptions::default()).unwrap();
    assert_eq!((on.auto_is, on.selectors.get("auto").unwrap().mean), ("static", 0.25));
    assert_eq!(on.selectors.get("svm-none").unwrap().mean, 1.0);
    assert_eq!(on.sources, sources);
}

#[test]
fn nitro_of_2014_is_the_svm_of_the_held_out_device_alone() {
    let mut recordings = recordings(3);
    // On the last device `left` and `right` change places: nobody else can know.
    for row in recordings.measurements.iter_mut().filter(|row| row.device == 2 && row.variant < 2) {
        row.variant = 1 - row.variant;
    }
    let evaluation = evaluation(&recordings);
    let (own, other) =
        (&evaluation.devices[2].shares["nitro-2014"], &evaluation.devices[2].shares["svm-none"]);
    assert!(own.iter().all(|&share| share == 1.0) && other.iter().all(|&share| share == 0.5));
    let sources = vec!["d2".to_owned()];
    let strategies = vec![crate::Strategy::reference()];
    let inputs = Some(Split::by_name(&recordings).train);
    let options = crate::FitOptions { sources, strategies, inputs, ..Default::default() };
    let alone = crate::fit(&recordings, &options).unwrap().model;
    let performance = crate::performance::PerformanceTable::new(&recordings).unwrap();
    let test = Split::by_name(&recordings).test;
    assert_eq!(&shares_of_model(&recordings, &performance, &alone, 2, &test).unwrap(), own);
}

#[test]
fn the_diagonal_of_trained_and_run_is_the_target_trained_figure() {
    let mut recordings = recordings(3);
    // On the last device `left` and `right` change places, and its last test input was never measured.
    for row in &mut recordings.measurements {
        if row.device == 2 && row.variant < 2 {
            row.variant = 1 - row.variant;
        }
    }
    recordings.measurements.retain(|row| row.device != 2 || row.input != 39);
    let evaluation = evaluation(&recordings);
    let Pairs { devices, trained_on_run_on, best_differs } = &evaluation.pairs;
    assert_eq!(devices, &["d0", "d1", "d2"]);
    for (device, held_out) in evaluation.devices.iter().enumerate() {
        let expected = held_out.selectors.get("target-trained").map(|figures| figures.mean);
        assert_eq!(trained_on_run_on[device][device], expected);
        assert_eq!(best_differs[device][device], Some(0.0));
    }
    assert_eq!((trained_on_run_on[0][1], best_differs[0][1]), (Some(1.0), Some(0.0)));
    // Whatever is best there is half as fast here.
    assert_eq!(
        (trained_on_run_on[2][0], best_differs[2][0], best_differs[0][2]),
        (Some(0.5), Some(1.0), Some(1.0))
    );
}

#[test]
fn a_pair_that_has_no_input_in_common_has_no_figure() {
    let mut recordings = recordings(2);
    recordings
        .measurements
        .retain(|row| row.device == 0 || recordings.inputs[row.input].name.starts_with("train/"));
    let pairs = evaluation(&recordings).pairs;
    assert_eq!((pairs.trained_on_run_on[0][1], pairs.best_differs[0][1]), (None, None));
    assert_eq!(pairs.trained_on_run_on[1][0], Some(1.0));
}

#[test]
fn only_a_feature_that_decides_has_a_benefit() {
    let mut recordings = recordings(2);
    recordings.features.push("irrelevant".into());
    let inputs = recordings.inputs.iter_mut().zip(0..);
    inputs.for_each(|(input, at)| input.features.push(f64::from(at * 7 % 5)));
    let model = &evaluation(&recordings).devices[0].auto_model;
    let performance = PerformanceTable::new(&recordings).unwrap();
    let test = Split::by_name(&recordings).test;
    let benefits = |seed| feature_benefits(&recordings, &performance, model, 0, &test, seed).unwrap();
    let [x, irrelevant] = benefits(7)[..] else { panic!("one figure a feature") };
    // A shuffled sign is wrong every second time, which halves the speed.
    assert!((0.15..0.35).contains(&x), "{x}");
    assert!(irrelevant.abs() < 0.02, "{irrelevant}");
    assert_eq!(benefits(7), benefits(7), "the seed decides");
}

#[test]
fn the_worst_inputs_are_told_by_name_with_what_was_chosen_and_what_was_best() {
    let mut recordings = recordings(3);
    assert_eq!(evaluation(&recordings).worst, [], "every choice is the best");
    // Of one test input another variant is best on two devices, which no feature tells.
    let input = recordings.input_index("test/1").unwrap();
    set(&mut recordings, 0, input, 1, Outcome::Time(8.0));
    set(&mut recordings, 2, input, 1, Outcome::Time(4.0));
    let worst = WorstInput {
        input: "test/1".into(),
        device: "d2".into(),
        chosen: "left".into(),
        best: "right".into(),
        share: 0.4,
        devices: 2,
    };
    let evaluation = evaluation(&recordings);
    assert_eq!(evaluation.worst, [worst]);
    let line = "lost most: test/1 on d2, 40 % of exhaustive search: left where right is best\n";
    assert!(evaluation.to_string().ends_with(line), "{evaluation}");
}

#[test]
fn shares_of_variants_are_over_their_configurations() {
    let mut recordings = recordings(1);
    // `right` in two configurations: there are more classes than variants.
    for row in &mut recordings.measurements {
        row.configuration = if row.variant == 1 { "block=1".into() } else { String::new() };
    }
    let more = recordings.measurements.iter().filter(|row| row.variant == 1).cloned();
    let more: Vec<_> = more.map(|row| Measurement { configuration: "block=2".into(), ..row }).collect();
    recordings.measurements.extend(more);
    set(&mut recordings, 0, 38, 2, Outcome::Inadmissible);
    let statistics =
        best_variant_shares(&recordings, &PerformanceTable::new(&recordings).unwrap(), &[0, 1, 38, 39]);
    assert_eq!(statistics[0].best_share, [0.5, 0.5, 0.0]);
    assert_eq!(statistics[0].share_alone, [Some(0.75), Some(0.75), Some(0.25)]);
    assert_eq!(statistics[0].may_run, [1.0, 1.0, 0.75]);
}

#[test]
fn what_is_best_on_another_device_costs_what_it_takes_here() {
    let mut recordings = recordings(2);
    let input = recordings.input_index("test/1").unwrap();
    set(&mut recordings, 1, input, 1, Outcome::Time(5.0)); // best there, half as fast as the best on the first
    let performance = PerformanceTable::new(&recordings).unwrap();
    let table = best_of_another(&performance, 2, &[input, recordings.input_index("test/3").unwrap()]);
    assert_eq!(table, [[Some(1.0), Some(0.75)], [Some(0.75), Some(1.0)]]);
}

#[test]
fn devices_of_one_machine_are_compared_among_themselves() {
    let mut recordings = recordings(3);
    for (device, id) in ["host:1@m", "host:2@m", "host:1@n"].into_iter().enumerate() {
        recordings.devices[device].id = id.into();
    }
    let input = recordings.input_index("test/1").unwrap();
    set(&mut recordings, 2, input, 1, Outcome::Time(5.0));
    let performance = PerformanceTable::new(&recordings).unwrap();
    let machines = within_machines(&recordings, &performance, &[input]);
    assert_eq!(
        (machines.len(), &*machines[0].machine, machines[0].devices),
        (1, "m", 2),
        "of n there is one device"
    );
    assert_eq!(machines[0].sensitivity, Sensitivity { inputs: 1, ..Sensitivity::default() });
}

#[test]
fn one_source_fewer_is_learned_from_the_rest_alone() {
    let mut recordings = recordings(3);
    for row in recordings.measurements.iter_mut().filter(|row| row.device == 2) {
        row.variant = [1, 0, 2][row.variant]; // the third device is the opposite of the first two
    }
    let (evaluation, split) = (evaluation(&recordings), Split::by_name(&recordings));
    assert_eq!(one_source_fewer(&recordings, &split, &evaluation, 0).unwrap(), [], "one would be left");
    let mut recordings = self::recordings(4);
    for row in recordings.measurements.iter_mut().filter(|row| row.device > 1) {
        row.variant = [1, 0, 2][row.variant];
    }
    let fewer = one_source_fewer(&recordings, &split, &self::evaluation(&recordings), 0).unwrap();
    assert_eq!(fewer.len(), 4 * 3);
    // Without its only like, the first device is served by its opposites.
    let without = |held_out, removed| {
        fewer.iter().find(|one| (one.held_out, one.removed) == (held_out, removed)).unwrap()
    };
    assert_eq!(without(0, 1).majority, Some(0.5));
}

/// The evaluation of a device among three, where every time has this spread and is learned from five draws.
fn of_spread(spread_ns: f64) -> DeviceEvaluation {
    let mut recordings = recordings(3);
    recordings.measurements.iter_mut().for_each(|one| one.spread_ns = spread_ns);
    let options = EvaluateOptions { draws: 5, ..EvaluateOptions::default() };
    evaluate(&recordings, &Split::by_name(&recordings), &options).unwrap().devices.remove(0)
}

#[test]
fn times_that_are_told_apart_are_no_ties_and_give_the_same_choices_again() {
    let device = of_spread(0.01);
    assert_eq!((device.ties, device.flips, device.flips_regret), (Some(0.0), Some(0.0), Some(0.0)));
}

#[test]
fn times_within_their_spread_are_ties_and_change_choices() {
    // 10, 20 and 40 ns with standard errors of 21 ns.
    let device = of_spread(40.0);
    assert_eq!(device.ties, Some(1.0));
    assert!(device.flips > Some(0.1) && device.flips_regret > Some(0.01), "{device:?}");
}

#[test]
fn choices_change_with_times_that_were_recorded_again() {
    let recordings = recordings(3);
    let again = |others: &Recordings| {
        let options = EvaluateOptions { recorded_again: vec![others.clone()], ..EvaluateOptions::default() };
        evaluate(&recordings, &Split::by_name(&recordings), &options)
    };
    let same = again(&recordings).unwrap();
    assert_eq!((same.devices[0].flips, same.devices[0].flips_regret), (Some(0.0), Some(0.0)));
    assert!(
        same.to_string().contains("recorded again, 0.0 % of the choices change, which loses 0.00 points")
    );
    // On all devices the other variant is fastest.
    let mut others = recordings.clone();
    others.measurements.iter_mut().for_each(|row| row.variant = [1, 0, 2][row.variant]);
    let opposite = again(&others).unwrap();
    assert!(opposite.devices[0].flips > Some(0.9) && opposite.devices[0].flips_regret > Some(0.4));
    others.devices.iter_mut().for_each(|device| device.id.push('x'));
    assert_eq!(again(&others).unwrap_err(), EvaluateError::NothingAgain(recordings.function.clone()));
}

#[test]
fn without_spreads_nothing_is_said_of_ties() {
    let device = of_spread(0.0);
    assert_eq!((device.ties, device.flips, device.flips_regret), (None, None, None));
    assert_eq!((device.held_out.as_str(), device.machine.as_str()), ("d0", "d0"));
}
