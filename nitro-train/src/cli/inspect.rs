//! `train inspect`: what is in a model file.

use std::io::Write;

use anyhow::Result;
use nitro_core::model::Model;

use super::args::InspectArgs;
use super::json;
use crate::model_summary::ModelSummary;

pub(super) fn run(args: &InspectArgs, out: &mut dyn Write) -> Result<()> {
    let model = Model::read(&args.model)?;
    match args.show.json.json {
        true => json::print(out, &ModelSummary(&model).json()),
        false => Ok(ModelSummary(&model).print(out, args.show.columns())?),
    }
}
