//! Choices in calls that do not accept the error of an approximate choice.

use serde::Serialize;

use super::inquiry::RankedVariant;
use crate::selection::choose;

/// The choice in calls that accept less than the error of what is chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NotTolerated {
    /// In calls with a tolerance below this,
    pub tolerance_below: f64,
    /// this runs instead, where it is approximate itself only as far as the call accepts that; absent where the
    /// default does.
    pub variant: Option<String>,
}

/// From what is chosen down to what no tolerance forbids: each is first in the ranking among what has a smaller
/// error than the one before.
pub(super) fn not_tolerated(ranking: &[RankedVariant]) -> Vec<NotTolerated> {
    let errors: Vec<f64> =
        ranking.iter().map(|own| own.approximation.map_or(0.0, |own| own.max_error)).collect();
    let (mut steps, mut below) = (Vec::new(), f64::INFINITY);
    loop {
        let chosen = choose(0..ranking.len(), [], |at| ranking[at].may_run() && errors[at] < below);
        if below < f64::INFINITY {
            let variant = chosen.map(|index| ranking[index].variant.clone());
            steps.push(NotTolerated { tolerance_below: below, variant });
        }
        match chosen.map(|index| errors[index]) {
            Some(error) if error > 0.0 => below = error,
            _ => return steps,
        }
    }
}

#[cfg(test)]
mod tests {
    use nitro_core::{Constraint, Function, VariantInfo};
    use nitro_store::exchange::read_bytes;

    use super::*;
    use crate::Approximation;
    use crate::explain::{Explanation, Question};
    use crate::{FitOptions, fit};

    static VARIANTS: [VariantInfo; 3] = [
        VariantInfo::new("exact"),
        VariantInfo::new("near")
            .with_constraint(Constraint::new("tolerance >= 0.01", |_, _| None))
            .approximate(0.01, None),
        VariantInfo::new("rough")
            .with_constraint(Constraint::new("tolerance >= 0.1", |_, _| None))
            .approximate(0.1, Some("lengths to 30")),
    ];
    static SUM: Function = Function::new("sum", &VARIANTS);

    /// Explains a model by which `rough` is best, then `near`, wherever they may run.
    fn explained(function: Option<&'static Function>) -> (Explanation, String) {
        let (mut measurements, mut inputs) =
            (String::from("device,input,variant,time_ns\n"), String::from("input,length\n"));
        for n in 1..=30 {
            inputs += &format!("{n},{n}\n");
            measurements += &format!("d,{n},exact,400\nd,{n},near,{}\nd,{n},rough,{}\n", 200 + n, 99 + n);
        }
        let recordings =
            read_bytes("sum", measurements.as_bytes(), inputs.as_bytes(), b"device,threads\nd,2\n").unwrap();
        let strategies = vec!["forest-none".parse().unwrap()];
        let model = fit(&recordings, &FitOptions { strategies, ..FitOptions::default() }).unwrap().model;
        let given = model.features.iter().map(|name| (name.clone(), 12.0)).collect();
        let explanation = Explanation::new(&Question {
            model: &model,
            function,
            given: &given,
            device: &recordings.devices[0],
            device_distance: None,
            recorded: None,
        });
        let (explanation, mut text) = (explanation.unwrap(), Vec::new());
        explanation.print(&mut text, None, false, 200).unwrap();
        (explanation, String::from_utf8(text).unwrap())
    }

    #[test]
    fn an_approximate_choice_is_told_with_what_runs_where_it_is_not_accepted() {
        let (explanation, text) = explained(Some(&SUM));
        let lines = "\
The first that its constraint admits is run: rough, where the call accepts its error: approximate, relative error up to 0.1 over lengths to 30
In calls with a tolerance below 0.1: near
In calls with a tolerance below 0.01: exact
";
        assert!(text.contains(lines), "{text}");
        let json = serde_json::to_value(&explanation).unwrap();
        assert_eq!(json["where_not_tolerated"][1]["variant"], "exact");
        assert_eq!(json["ranking"][0]["approximation"]["max_error"], 0.1);
        let (explanation, text) = explained(None);
        assert!(explanation.where_not_tolerated.is_empty() && !text.contains("tolerance"), "{text}");
    }

    fn ranked(variant: &str, max_error: f64, admitted: Option<bool>) -> RankedVariant {
        RankedVariant {
            variant: variant.to_owned(),
            confidence: 0.5,
            expected_slowdown: None,
            constraint: None,
            admitted,
            approximation: (max_error > 0.0).then_some(Approximation { max_error, over: None }),
        }
    }

    #[test]
    fn calls_that_accept_less_get_the_next_that_is_nearer() {
        let ranking = [
            ranked("forbidden", 0.5, Some(false)),
            ranked("rough", 0.1, None),
            ranked("rougher", 0.2, None),
            ranked("near", 0.01, None),
            ranked("exact", 0.0, Some(true)),
        ];
        let step = |tolerance_below, variant: Option<&str>| NotTolerated {
            tolerance_below,
            variant: variant.map(str::to_owned),
        };
        assert_eq!(not_tolerated(&ranking), [step(0.1, Some("near")), step(0.01, Some("exact"))]);
        assert_eq!(not_tolerated(&ranking[..3]), [step(0.1, None)]);
        assert_eq!(not_tolerated(&ranking[4..]), []);
        assert_eq!(not_tolerated(&[]), []);
    }
}
