//! The content of a model without its numbers.

use std::collections::BTreeMap;
use std::io::{self, Write};

use nitro_core::model::{Calibration, Forest, Model, Node, Ratio, Selector, Svm, Transform};
use nitro_core::{Artifact, Function};
use serde_json::{Value, json};

use nitro_learn::Approximation;
use nitro_learn::plain_table::Table;
use nitro_store::printable::list;

use crate::gate_text::gate_lines;

/// A summary of a model for readers and scripts: its choices, its features, its origin, and what its selector reads.
///
/// ```no_run
/// use nitro_train::{ModelSummary, model::Model};
///
/// let model = Model::read("models/spmv.model".as_ref())?;
/// let summary = ModelSummary { model: &model, function: None };
/// println!("{}", summary.json());
/// # Ok::<(), nitro_train::model::ModelError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ModelSummary<'a> {
    /// The model.
    pub model: &'a Model,
    /// The function, if the code has it. It knows which choices are approximate.
    pub function: Option<&'a Function>,
}

impl ModelSummary<'_> {
    /// Writes it for a reader, in tables of at most so many columns.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn print(&self, out: &mut dyn Write, columns: usize) -> io::Result<()> {
        write!(out, "{:columns$}", head(self))?;
        if let Some(gate) = &self.model.gate {
            writeln!(out, "\nthe gate:")?;
            gate_lines(self.model, gate).iter().try_for_each(|line| writeln!(out, "  {line}"))?;
        }
        match &self.model.selector {
            selector if selector.is_constant() => Ok(()),
            Selector::Svm(svm) => print_svm(out, self.model, svm, columns),
            Selector::Forest(forest) => print_forest(out, self.model, forest, columns),
            Selector::Constant { .. } => Ok(()),
        }
    }

    /// Returns the summary as one JSON object.
    #[must_use]
    pub fn json(&self) -> Value {
        summary(self)
    }

    /// Returns the model's choices that are approximate, with what is known of their errors.
    fn approximate(&self) -> impl Iterator<Item = (&String, Approximation)> {
        self.model.choices.iter().filter_map(|name| {
            let function = self.function?;
            Some((name, Approximation::of(function, function.choice(name).ok()?)?))
        })
    }
}

/// Returns the beginning of a digest, which tells recordings apart; as JSON it is whole, and no line breaks it.
fn shortened(digest: &str) -> String {
    const SHOWN: usize = 16;
    let ending = if digest.chars().nth(SHOWN).is_some() { "…" } else { "" };
    digest.chars().take(SHOWN).chain(ending.chars()).collect()
}

fn head(summary: &ModelSummary<'_>) -> Table {
    let model = summary.model;
    let provenance = &model.provenance;
    let digest = provenance.recordings_digest.as_str();
    let mut table = Table::new(["function", &model.function]).ending_in_text();
    for (name, value) in [
        ("choices", list(&model.choices)),
        ("features", list(&model.features)),
        ("device features", list(&model.device_features)),
        ("strategy", provenance.strategy.clone()),
        ("learned from", list(&provenance.sources)),
        ("training inputs", provenance.training_inputs.to_string()),
        ("objective", provenance.objective.clone()),
        ("seed", provenance.seed.to_string()),
        ("recordings", if digest.is_empty() { "not known".to_owned() } else { shortened(digest) }),
        ("gate", gate(model)),
        ("selector", selector(model)),
        ("when unsure", unsure(model)),
        ("calibrated for", calibrations(model)),
    ] {
        table.row([name.to_owned(), value]);
    }
    if !model.artifacts.is_empty() {
        let artifacts = model.artifacts.iter().map(|own| format!("{own} ({} bytes)", bytes(*own)));
        table.row(["generated code".to_owned(), list(&artifacts.collect::<Vec<_>>())]);
    }
    for (name, approximation) in summary.approximate() {
        table.row(["where tolerated".to_owned(), format!("{name}: {approximation}")]);
    }
    table
}

/// Returns the length of an artifact's text, which was kept when the model was read.
fn bytes(artifact: Artifact) -> usize {
    artifact.text().map_or(0, str::len)
}

fn gate(model: &Model) -> String {
    let Some(gate) = &model.gate else { return "none".to_owned() };
    let names: Vec<String> =
        gate.features.iter().map(|&feature| model.features[usize::from(feature)].clone()).collect();
    let at_once = gate.decisions.iter().flatten().count();
    format!("over {}: {at_once} of {} leaves decide without the selector", list(&names), gate.decisions.len())
}

fn unsure(model: &Model) -> String {
    let Some(caution) = &model.caution else { return "its best choice".to_owned() };
    let choice = &model.choices[usize::from(caution.choice)];
    let far = if caution.far { ", and for inputs far from the training" } else { "" };
    format!("{choice} unless another is {:.0} % of the best speed ahead{far}", 100.0 * caution.margin)
}

fn selector(model: &Model) -> String {
    let tree = if model.is_distilled { "; asked as a small tree" } else { "" };
    match &model.selector {
        Selector::Forest(_) if model.selector.is_constant() => {
            format!("the first admissible of {}", list(&order(model)))
        }
        Selector::Constant { choice } => format!("always {}", model.choices[*choice]),
        Selector::Svm(svm) => {
            let (gamma, support) = (svm.gamma, svm.support());
            format!("SVM, radial basis function, gamma {gamma}, {support} support vectors{tree}")
        }
        Selector::Forest(forest) => {
            format!("forest, {} trees, {} leaves{tree}", forest.trees(), leaves(forest))
        }
    }
}

/// The choices of a model for which features have no say, best first.
fn order(model: &Model) -> Vec<String> {
    let ranked = model.selector.on_device(&[]).rank(&vec![0.0; model.features.len()]);
    ranked.iter().map(|own| model.choices[own.choice].clone()).collect()
}

fn calibrations(model: &Model) -> String {
    let mut calibrations = Vec::new();
    for Calibration { device, measured_inputs, .. } in &model.calibrations {
        calibrations.push(format!("{device} ({measured_inputs} measured inputs)"));
    }
    if calibrations.is_empty() { "no device".to_owned() } else { list(&calibrations) }
}

fn leaves(forest: &Forest) -> usize {
    forest.values.len() / forest.choices.max(1)
}

/// Returns the names of a forest's columns, of ratios as `bytes / l2_bytes`.
fn columns(model: &Model, forest: &Forest) -> Vec<String> {
    let mut names: Vec<String> = model.features.iter().chain(&model.device_features).cloned().collect();
    for &Ratio { input, device } in &forest.ratios {
        let (input, device) =
            (&model.features[usize::from(input)], &model.device_features[usize::from(device)]);
        names.push(format!("{input} / {device}"));
    }
    names
}

fn splits(forest: &Forest, column: usize) -> usize {
    let mut count = 0;
    for node in &forest.nodes {
        count += usize::from(matches!(node, Node::Split { column: own, .. } if usize::from(*own) == column));
    }
    count
}

/// Returns a model without its numbers.
fn summary(summary: &ModelSummary<'_>) -> Value {
    let model = summary.model;
    let mut approximate = Vec::new();
    for (choice, Approximation { max_error, over }) in summary.approximate() {
        approximate.push(json!({ "choice": choice, "max_error": max_error, "over": over }));
    }
    let selector = match &model.selector {
        Selector::Constant { choice } => json!({ "kind": "constant", "choice": model.choices[*choice] }),
        Selector::Svm(svm) => {
            let classes = svm.classes.iter();
            let classes: BTreeMap<_, _> =
                classes.map(|class| (&model.choices[class.choice], class.support)).collect();
            json!({ "kind": "svm", "gamma": svm.gamma, "support_vectors": classes })
        }
        Selector::Forest(_) if model.selector.is_constant() => {
            json!({ "kind": "order", "choices": order(model) })
        }
        Selector::Forest(forest) => {
            let names = columns(model, forest).into_iter().zip(0..);
            let splits: BTreeMap<_, _> = names.map(|(name, column)| (name, splits(forest, column))).collect();
            json!({ "kind": "forest", "trees": forest.trees(), "leaves": leaves(forest), "splits": splits })
        }
    };
    let mut calibrations = Vec::new();
    for Calibration { device, measured_inputs, .. } in &model.calibrations {
        calibrations.push(json!({ "device": device, "measured_inputs": measured_inputs }));
    }
    let mut artifacts = Vec::new();
    for artifact in &model.artifacts {
        artifacts.push(json!({ "artifact": artifact.to_string(), "bytes": bytes(*artifact) }));
    }
    json!({
        "function": model.function,
        "choices": model.choices,
        "features": model.features,
        "device_features": model.device_features,
        "strategy": model.provenance.strategy,
        "sources": model.provenance.sources,
        "training_inputs": model.provenance.training_inputs,
        "seed": model.provenance.seed,
        "recordings": model.provenance.recordings_digest,
        "selector": selector,
        "calibrations": calibrations,
        "artifacts": artifacts,
        "approximate": approximate,
    })
}

fn print_svm(out: &mut dyn Write, model: &Model, svm: &Svm, columns: usize) -> io::Result<()> {
    let mut classes = Table::new(["class", "support vectors"]);
    for class in &svm.classes {
        classes.row([model.choices[class.choice].clone(), class.support.to_string()]);
    }
    writeln!(out, "\n{classes:columns$}")?;
    let mut scaling = Table::new(["column", "transform", "smallest", "largest"]);
    for (name, scale) in model.features.iter().chain(&model.device_features).zip(&svm.scaling) {
        let transform = match scale.transform {
            Transform::Identity => "none",
            Transform::Log => "log",
        };
        let number = |value| format!("{:.4}", scale.transform.undo(value));
        scaling.row([name.clone(), transform.to_owned(), number(scale.min), number(scale.max)]);
    }
    write!(out, "{scaling:columns$}")
}

fn print_forest(out: &mut dyn Write, model: &Model, forest: &Forest, width: usize) -> io::Result<()> {
    let mut table = Table::new(["column", "splits"]);
    for (column, name) in columns(model, forest).into_iter().enumerate() {
        table.row([name, splits(forest, column).to_string()]);
    }
    write!(out, "\n{table:width$}")
}

#[cfg(test)]
mod tests {
    use nitro_core::VariantInfo;
    use nitro_core::model::{Coverage, Provenance};

    use super::*;

    static VARIANTS: [VariantInfo; 2] =
        [VariantInfo::new("plain"), VariantInfo::new("evolved").approximate(0.003, Some("lengths to 4096"))];
    static SUM: Function = Function::new("sum", &VARIANTS);

    #[test]
    fn a_digest_is_told_by_its_beginning_which_no_line_breaks() {
        assert_eq!(shortened(&"3f".repeat(32)), "3f3f3f3f3f3f3f3f…");
        assert_eq!(shortened("3f"), "3f");
    }

    #[test]
    fn approximate_choices_are_told_where_the_code_is_there() {
        let model = Model {
            function: "sum".into(),
            choices: ["plain", "evolved", "gone"].map(str::to_owned).into(),
            features: vec![],
            device_features: vec![],
            selector: Selector::Constant { choice: 1 },
            gate: None,
            caution: None,
            is_distilled: false,
            training_inputs: Default::default(),
            artifacts: vec![],
            calibrations: vec![],
            feature_digests: vec![],
            coverage: Coverage::default(),
            provenance: Provenance::default(),
        };
        let shown = |function: Option<&Function>| {
            let (summary, mut text) = (ModelSummary { model: &model, function }, Vec::new());
            summary.print(&mut text, 200).unwrap();
            (String::from_utf8(text).unwrap(), summary.json()["approximate"].clone())
        };
        let (text, json) = shown(Some(&SUM));
        assert!(
            text.contains("evolved: approximate, relative error up to 0.003 over lengths to 4096"),
            "{text}"
        );
        assert_eq!(json, json!([{ "choice": "evolved", "max_error": 0.003, "over": "lengths to 4096" }]));
        let (text, json) = shown(None);
        assert!(!text.contains("approximate") && json == json!([]), "{text}");
        // An order is a tree that compares nothing, and is told as what it does.
        let (nodes, values) = (vec![Node::Leaf], vec![9, 0, 30]);
        let order = Selector::Forest(Forest {
            inputs: 0,
            choices: 3,
            nodes,
            values,
            origins: vec![],
            ratios: vec![],
        });
        let model = Model { selector: order, ..model };
        let (summary, mut text) = (ModelSummary { model: &model, function: None }, Vec::new());
        summary.print(&mut text, 200).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("the first admissible of evolved, plain, gone"), "{text}");
        assert_eq!(summary.json()["selector"]["choices"], json!(["evolved", "plain", "gone"]));
    }

    #[test]
    fn splits_on_ratios_are_told_by_both_names() {
        let nodes = vec![Node::Split { column: 2, threshold: 0.5 }, Node::Leaf, Node::Leaf];
        let (origins, ratios) = (vec![], vec![Ratio { input: 0, device: 0 }]);
        let model = Model {
            function: "copy".into(),
            choices: vec!["plain".into()],
            artifacts: vec![],
            features: vec!["bytes".into()],
            device_features: vec!["l2_bytes".into()],
            selector: Selector::Forest(Forest {
                inputs: 1,
                choices: 1,
                nodes,
                values: vec![0, 0],
                origins,
                ratios,
            }),
            gate: None,
            caution: None,
            is_distilled: false,
            training_inputs: Default::default(),
            calibrations: vec![],
            feature_digests: vec![],
            coverage: Coverage::default(),
            provenance: Provenance::default(),
        };
        let (summary, mut text) = (ModelSummary { model: &model, function: None }, Vec::new());
        summary.print(&mut text, 200).unwrap();
        assert!(String::from_utf8(text).unwrap().contains("bytes / l2_bytes"));
        let splits = json!({ "bytes": 0, "l2_bytes": 0, "bytes / l2_bytes": 1 });
        assert_eq!(summary.json()["selector"]["splits"], splits);
    }
}
