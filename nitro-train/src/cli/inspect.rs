//! The command `train inspect`, which shows a model file.

use std::io::Write;

use anyhow::Result;
use nitro_core::model::Model;

use super::args::InspectArgs;
use super::json;
use crate::model_summary::ModelSummary;
use crate::trainer::Trainer;

/// Prints the summary of a model file.
pub(super) fn run(trainer: &Trainer, args: &InspectArgs, out: &mut dyn Write) -> Result<()> {
    let model = Model::read(&args.model)?;
    let function = trainer.functions().find(|function| function.name() == model.function);
    let summary = ModelSummary { model: &model, function };
    match args.show.json.json {
        true => json::print(out, &summary.json()),
        false => Ok(summary.print(out, args.show.columns())?),
    }
}
