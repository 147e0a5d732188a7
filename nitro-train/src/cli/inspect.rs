//! `train inspect`: what is in a model file.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anyhow::Result;
use nitro_core::model::{Forest, Model, Node, Selector, Svm, Transform};
use serde_json::{Value, json};

use super::args::InspectArgs;
use super::json;
use crate::plain_table::Table;
use crate::printable::list;

pub(super) fn run(args: &InspectArgs, out: &mut dyn Write) -> Result<()> {
    let model = Model::read(&args.model)?;
    if args.show.json.json {
        return json::print(out, &summary(&model));
    }
    let columns = args.show.columns();
    write!(out, "{:columns$}", head(&model))?;
    match &model.selector {
        Selector::Constant { .. } => {}
        Selector::Svm(svm) => print_svm(out, &model, svm, columns)?,
        Selector::Forest(forest) => print_forest(out, &model, forest, columns)?,
    }
    Ok(())
}

fn head(model: &Model) -> Table {
    let Model { provenance, .. } = model;
    let digest = provenance.recordings_digest.as_str();
    let mut table = Table::new(["function", &model.function]).ending_in_text();
    for (name, value) in [
        ("choices", list(&model.choices)),
        ("features", list(&model.features)),
        ("device features", list(&model.device_features)),
        ("strategy", provenance.strategy.clone()),
        ("learned from", list(&provenance.sources)),
        ("training inputs", provenance.training_inputs.to_string()),
        ("seed", provenance.seed.to_string()),
        ("recordings", if digest.is_empty() { "not known" } else { digest }.to_owned()),
        ("selector", selector(model)),
    ] {
        table.row([name.to_owned(), value]);
    }
    table
}

fn selector(model: &Model) -> String {
    match &model.selector {
        Selector::Constant { choice } => format!("always {}", model.choices[*choice]),
        Selector::Svm(svm) => {
            let (gamma, support) = (svm.gamma, svm.support());
            format!("SVM, radial basis function, gamma {gamma}, {support} support vectors")
        }
        Selector::Forest(forest) => {
            format!("forest, {} trees, {} leaves", forest.trees(), leaves(forest))
        }
    }
}

fn leaves(forest: &Forest) -> usize {
    forest.values.len() / forest.choices.max(1)
}

fn splits(forest: &Forest, column: usize) -> usize {
    let on_column =
        |node: &&Node| matches!(node, Node::Split { column: own, .. } if usize::from(*own) == column);
    forest.nodes.iter().filter(on_column).count()
}

/// A model without its numbers.
fn summary(model: &Model) -> Value {
    let names: Vec<&String> = model.features.iter().chain(&model.device_features).collect();
    let selector = match &model.selector {
        Selector::Constant { choice } => json!({ "kind": "constant", "choice": model.choices[*choice] }),
        Selector::Svm(svm) => {
            let classes = svm.classes.iter();
            let classes: BTreeMap<_, _> =
                classes.map(|class| (&model.choices[class.choice], class.support)).collect();
            json!({ "kind": "svm", "gamma": svm.gamma, "support_vectors": classes })
        }
        Selector::Forest(forest) => {
            let splits: BTreeMap<_, _> =
                names.iter().zip(0..).map(|(name, column)| (name, splits(forest, column))).collect();
            json!({ "kind": "forest", "trees": forest.trees(), "leaves": leaves(forest), "splits": splits })
        }
    };
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

fn print_forest(out: &mut dyn Write, model: &Model, forest: &Forest, columns: usize) -> io::Result<()> {
    let mut table = Table::new(["column", "splits"]);
    for (column, name) in model.features.iter().chain(&model.device_features).enumerate() {
        table.row([name.clone(), splits(forest, column).to_string()]);
    }
    write!(out, "\n{table:columns$}")
}
