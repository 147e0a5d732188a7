//! `train inspect`: what is in a model file.

use std::io::{self, Write};

use anyhow::Result;
use nitro_core::model::{Forest, Model, Node, Selector, Svm, Transform};

use super::args::InspectArgs;
use crate::plain_table::Table;
use crate::printable::list;

pub(super) fn run(args: &InspectArgs, out: &mut dyn Write) -> Result<()> {
    let model = Model::read(&args.model)?;
    writeln!(out, "function         {}", model.function)?;
    writeln!(out, "choices          {}", list(&model.choices))?;
    writeln!(out, "features         {}", list(&model.features))?;
    writeln!(out, "device features  {}", list(&model.device_features))?;
    writeln!(out, "strategy         {}", model.provenance.strategy)?;
    writeln!(out, "learned from     {}", list(&model.provenance.sources))?;
    writeln!(out, "training inputs  {}", model.provenance.training_inputs)?;
    writeln!(out, "seed             {}", model.provenance.seed)?;
    let digest = model.provenance.recordings_digest.as_str();
    writeln!(out, "recordings       {}", if digest.is_empty() { "not known" } else { digest })?;
    match &model.selector {
        Selector::Constant { choice } => {
            writeln!(out, "selector         always {}", model.choices[*choice])
        }
        Selector::Svm(svm) => print_svm(out, &model, svm),
        Selector::Forest(forest) => print_forest(out, &model, forest),
    }?;
    Ok(())
}

fn print_svm(out: &mut dyn Write, model: &Model, svm: &Svm) -> io::Result<()> {
    let (gamma, support) = (svm.gamma, svm.support());
    writeln!(out, "selector         SVM, radial basis function, gamma {gamma}, {support} support vectors\n")?;
    let mut classes = Table::new(["class", "support vectors"]);
    for class in &svm.classes {
        classes.row([model.choices[class.choice].clone(), class.support.to_string()]);
    }
    writeln!(out, "{classes}")?;
    let mut scaling = Table::new(["column", "transform", "smallest", "largest"]);
    for (name, scale) in model.features.iter().chain(&model.device_features).zip(&svm.scaling) {
        let transform = match scale.transform {
            Transform::Identity => "none",
            Transform::Log => "log",
        };
        let number = |value| format!("{:.4}", scale.transform.undo(value));
        scaling.row([name.clone(), transform.to_owned(), number(scale.min), number(scale.max)]);
    }
    write!(out, "{scaling}")
}

fn print_forest(out: &mut dyn Write, model: &Model, forest: &Forest) -> io::Result<()> {
    let (trees, leaves) = (forest.trees(), forest.values.len() / forest.choices.max(1));
    writeln!(out, "selector         forest, {trees} trees, {leaves} leaves\n")?;
    let mut table = Table::new(["column", "splits"]);
    for (column, name) in model.features.iter().chain(&model.device_features).enumerate() {
        let on_column =
            |node: &&Node| matches!(node, Node::Split { column: own, .. } if usize::from(*own) == column);
        table.row([name.clone(), forest.nodes.iter().filter(on_column).count().to_string()]);
    }
    write!(out, "{table}")
}
