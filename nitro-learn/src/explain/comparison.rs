//! Comparisons that decide before a selector is asked.

use std::fmt;

use nitro_store::printable::number;
use serde::Serialize;

use super::inquiry::Inquiry;

/// A comparison of a feature, written as `length > 20` or `length <= 20`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The feature.
    pub feature: String,
    /// True where it is above the threshold.
    pub is_above: bool,
    /// What it is compared with.
    pub threshold: f64,
}

impl fmt::Display for Comparison {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_above { ">" } else { "<=" };
        write!(formatter, "{} {sign} {}", self.feature, number(self.threshold))
    }
}

impl Inquiry<'_> {
    /// Returns the comparisons that decide, if any do.
    pub(super) fn comparisons(&self) -> Option<Vec<Comparison>> {
        let made = self.on_device.comparisons(&self.features)?;
        let named = made.into_iter().map(|own| Comparison {
            feature: self.question.model.features[own.feature].clone(),
            is_above: own.is_above,
            threshold: own.threshold.into(),
        });
        Some(named.collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use nitro_core::model::{Gate, Model, Node};

    use crate::explain::{Explanation, Question};
    use crate::{FitOptions, fit};

    /// Explains the choice for a length by a model whose gate decides up to 20.
    fn explained(length: f64) -> (Explanation, String) {
        let recordings = nitro_store::example();
        let fitted = fit(&recordings, &FitOptions::default()).expect("a model").model;
        let nodes = vec![Node::Split { column: 0, threshold: 20.0 }, Node::Leaf, Node::Leaf];
        let gate = Gate { features: vec![0], nodes, decisions: vec![Some(0), None] };
        let model = Model { gate: Some(gate), is_distilled: false, ..fitted };
        let given: BTreeMap<String, f64> = model.features.iter().map(|name| (name.clone(), length)).collect();
        let explanation = Explanation::new(&Question {
            model: &model,
            function: None,
            given: &given,
            device: &recordings.devices[0],
            device_distance: None,
            recorded: None,
        });
        let (explanation, mut text) = (explanation.expect("it is of these recordings"), Vec::new());
        explanation.print(&mut text, None, false, 200).expect("there is room");
        (explanation, String::from_utf8(text).expect("it is text"))
    }

    #[test]
    fn what_a_call_compares_is_told_where_it_needs_no_selector() {
        let (explanation, text) = explained(10.0);
        let feature = &explanation.features[0].name;
        let line = format!("\nA call knows it without the selector: {feature} <= 20\n");
        assert!(text.contains(&line), "{text}");
        let json = serde_json::to_value(&explanation).expect("it is data");
        assert_eq!(json["comparisons"][0]["threshold"], 20.0);
        let (explanation, text) = explained(25.0);
        assert!(explanation.comparisons.is_none() && !text.contains("without the selector"), "{text}");
    }
}
