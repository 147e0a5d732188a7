//! The command `train fit`, which learns selectors from recordings.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};
use nitro_core::model::Model;
use nitro_learn::{Fitted, Strategy};
use serde_json::{Value, json};

use super::args::{AUTO, FitArgs};
use super::functions::Functions;
use super::json;
use crate::terminal::say;
use crate::trainer::{FitRequest, FittedModels, Trainer};

/// Fits the models, and describes each.
pub(super) fn run(trainer: &Trainer, args: &FitArgs, out: &mut dyn Write) -> Result<()> {
    let FittedModels { models, failed } = trainer.fit(&FitRequest {
        data: args.request.data.profiled(args.profiles.profiles.clone()),
        strategies: strategies(args)?,
        study: args.study.options(),
        objective: args.objective.request(),
        when_unsure: args.when_unsure(),
        ..args.request.clone()
    })?;
    if args.output.json {
        let summaries: Vec<Value> = models.iter().map(|model| summary(&model.fitted, &model.file)).collect();
        json::print(out, &summaries)?;
    } else {
        for model in &models {
            writeln!(out, "{}: {}", model.file.display(), description(&model.fitted))?;
        }
    }
    Functions::of(models.len(), failed).end("fitted")
}

/// Returns a model without its inside, as JSON.
pub(super) fn summary(fitted: &Fitted, file: &Path) -> Value {
    let Fitted { model, strategy, notes, .. } = fitted;
    json!({
        "function": model.function,
        "model": file,
        "strategy": strategy.to_string(),
        "objective": model.provenance.objective,
        "gate_features": gate_features(model),
        "is_distilled": model.is_distilled,
        "when_unsure": if model.caution.is_some() { "default" } else { "best" },
        "device_features": model.device_features,
        "sources": model.provenance.sources,
        "training_inputs": model.provenance.training_inputs,
        "score": fitted.score(),
        "feature_worth": fitted.features,
        "notes": notes,
    })
}

/// Returns the features that the model's gate reads, if it has one.
fn gate_features(model: &Model) -> Option<Vec<&str>> {
    let features = model.gate.as_ref()?.features.iter();
    Some(features.map(|&feature| model.features[usize::from(feature)].as_str()).collect())
}

/// Returns the strategies that the options allow.
fn strategies(args: &FitArgs) -> Result<Vec<Strategy>> {
    let mut asked: Vec<Strategy> = match args.selector.as_str() {
        AUTO => Strategy::all().collect(),
        selector => Strategy::known().filter(|own| own.learner_name() == selector).collect(),
    };
    if let Some(features) = &args.device_features {
        asked.retain(|own| own.device_features.name() == *features);
    }
    if asked.is_empty() {
        bail!("a {} selector has no device features: leave out --device-features", args.selector);
    }
    Ok(asked)
}

/// Describes a model in one line: how it was learned and how good it is expected to be. Its notes go to stderr.
pub(super) fn description(fitted: &Fitted) -> String {
    for note in &fitted.notes {
        say!("{}: {note}", fitted.model.function);
    }
    let features = match fitted.model.device_features.as_slice() {
        [] => "no device features".to_owned(),
        names => format!("device features {}", names.join(", ")),
    };
    let sources = fitted.model.provenance.sources.len();
    let inputs = fitted.model.provenance.training_inputs;
    let left_out = if sources > 1 { "devices and inputs" } else { "inputs" };
    let score = fitted.score().map_or_else(String::new, |score| {
        format!("; {:.1} % of exhaustive search on {left_out} left out of these", 100.0 * score)
    });
    let gate = gate_features(&fitted.model)
        .map_or_else(String::new, |names| format!(", behind a gate over {}", names.join(", ")));
    let tree = if fitted.model.is_distilled { " as a small tree" } else { "" };
    format!(
        "{}{tree}, {features}{gate}, learned from {sources} devices and {inputs} inputs{score}",
        fitted.strategy
    )
}
