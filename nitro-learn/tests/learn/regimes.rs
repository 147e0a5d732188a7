//! What is best in one regime need not be in another. A device in a regime is told apart by its device feature, which
//! is 0 of all devices of which nothing is said.

use nitro_core::Regime;
use nitro_learn::evaluate::{EvaluateError, EvaluateOptions, LeaveOut, Split, evaluate};
use nitro_learn::explain::{Explanation, Question};
use nitro_learn::{FitOptions, fit};
use nitro_store::exchange::read_bytes;
use nitro_store::recordings::Recordings;

/// Times on devices of three machines: `staged` is best in a graph, by a factor of 4, and `plain` in eager calls.
fn recordings(regimes: &[Regime]) -> Recordings {
    let mut measurements = String::from("device,input,variant,time_ns\n");
    let (mut inputs, mut devices) =
        (String::from("input,length\n"), String::from("device,sm_count,regime_graph\n"));
    for n in 0..30 {
        inputs += &format!("{}/{n},{n}\n", if n % 3 == 0 { "test" } else { "train" });
    }
    for (machine, count) in [("a", 64), ("b", 80), ("c", 132)] {
        for &regime in regimes {
            let (mark, feature, plain) = match regime {
                Regime::Graph => ("+graph", "1", 4000),
                _ => ("", "", 1000),
            };
            devices += &format!("cuda:0{mark}@{machine},{count},{feature}\n");
            for n in 0..30 {
                let input =
                    format!("cuda:0{mark}@{machine},{}/{n}", if n % 3 == 0 { "test" } else { "train" });
                measurements += &format!("{input},plain,{plain}\n{input},staged,{}\n", 5000 - plain);
            }
        }
    }
    read_bytes("scan", measurements.as_bytes(), inputs.as_bytes(), devices.as_bytes()).unwrap()
}

/// The mean shares of `auto` on the devices that are left out.
fn shares(recordings: &Recordings, leave_out: LeaveOut) -> Result<Vec<f64>, EvaluateError> {
    let options = EvaluateOptions { leave_out, ..EvaluateOptions::default() };
    let evaluation = evaluate(recordings, &Split::by_name(recordings), &options)?;
    Ok(evaluation.devices.iter().map(|device| device.selectors.get("auto").unwrap().mean).collect())
}

#[test]
fn a_regime_that_was_seen_is_chosen_for_and_one_that_was_not_is_lost() {
    let both = recordings(&[Regime::Eager, Regime::Graph]);
    assert_eq!(shares(&both, LeaveOut::Device).unwrap(), [1.0; 6]);
    assert_eq!(shares(&both, LeaveOut::Machine).unwrap(), [1.0; 6]);
    assert_eq!(shares(&both, LeaveOut::Regime).unwrap(), [0.25; 6]);
}

#[test]
fn leaving_out_the_only_regime_leaves_nothing() {
    let error = shares(&recordings(&[Regime::Eager]), LeaveOut::Regime).unwrap_err();
    assert!(matches!(error, EvaluateError::TooFewRegimes { regime: Regime::Eager, .. }), "{error}");
    assert!(error.to_string().contains("record it in another"), "{error}");
}

#[test]
fn an_explanation_says_of_which_regime_the_model_knows_nothing() {
    let (eager, both) = (recordings(&[Regime::Eager]), recordings(&[Regime::Eager, Regime::Graph]));
    for (learned_from, chosen, unknown) in [(&eager, "plain", Some(Regime::Graph)), (&both, "staged", None)] {
        let model = fit(learned_from, &FitOptions::default()).unwrap().model;
        let explanation = Explanation::new(&Question {
            model: &model,
            function: None,
            given: &[("length".to_owned(), 5.0)].into(),
            device: both.devices.iter().find(|device| device.id == "cuda:0+graph@b").unwrap(),
            device_distance: None,
            recorded: None,
        });
        let explanation = explanation.unwrap();
        assert_eq!((explanation.choice.as_deref(), explanation.unknown_regime), (Some(chosen), unknown));
        let mut shown = Vec::new();
        explanation.print(&mut shown, None, false, 200).unwrap();
        let says_so = String::from_utf8(shown).unwrap().contains("the model knows no device in regime graph");
        assert_eq!(says_so, unknown.is_some());
    }
}
