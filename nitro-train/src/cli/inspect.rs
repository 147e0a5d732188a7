//! `train inspect`: what is in a model file.

use anyhow::Result;
use nitro_core::model::{Forest, Model, Node, Selector, Svm, Transform};

use super::args::InspectArgs;
use super::table::Table;

pub(super) fn run(args: &InspectArgs) -> Result<()> {
    let model = Model::read(&args.model)?;
    let list = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    println!("function         {}", model.function);
    println!("variants         {}", list(&model.variants));
    println!("features         {}", list(&model.features));
    println!("device features  {}", list(&model.device_features));
    println!("strategy         {}", model.provenance.strategy);
    println!("learned from     {}", list(&model.provenance.sources));
    println!("training inputs  {}", model.provenance.training_inputs);
    println!("seed             {}", model.provenance.seed);
    let digest = model.provenance.recordings_digest.as_str();
    println!("recordings       {}", if digest.is_empty() { "not known" } else { digest });
    match &model.selector {
        Selector::Constant { variant } => println!("selector         always {}", model.variants[*variant]),
        Selector::Svm(svm) => print_svm(&model, svm),
        Selector::Forest(forest) => print_forest(&model, forest),
    }
    Ok(())
}

fn print_svm(model: &Model, svm: &Svm) {
    println!(
        "selector         SVM, radial basis function, gamma {}, {} support vectors",
        svm.gamma,
        svm.support()
    );
    println!();
    let mut classes = Table::new(["class", "support vectors"]);
    for class in &svm.classes {
        classes.row([model.variants[class.variant].clone(), class.support.to_string()]);
    }
    print!("{classes}");
    println!();
    let mut scaling = Table::new(["column", "transform", "smallest", "largest"]);
    for (name, scale) in model.features.iter().chain(&model.device_features).zip(&svm.scaling) {
        let transform = match scale.transform {
            Transform::Identity => "none",
            Transform::Log => "log",
        };
        let number = |value| format!("{:.4}", scale.transform.undo(value));
        scaling.row([name.clone(), transform.to_owned(), number(scale.min), number(scale.max)]);
    }
    print!("{scaling}");
}

fn print_forest(model: &Model, forest: &Forest) {
    let (trees, leaves) = (forest.trees(), forest.values.len() / forest.variants.max(1));
    println!("selector         forest, {trees} trees, {leaves} leaves");
    println!();
    let mut table = Table::new(["column", "splits"]);
    for (column, name) in model.features.iter().chain(&model.device_features).enumerate() {
        let on_column =
            |node: &&Node| matches!(node, Node::Split { column: own, .. } if usize::from(*own) == column);
        table.row([name.clone(), forest.nodes.iter().filter(on_column).count().to_string()]);
    }
    print!("{table}");
}
