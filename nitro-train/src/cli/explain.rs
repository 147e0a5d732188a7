//! `train explain`: which variant would be selected for given feature values, and why.

mod device;
mod print;

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::{Context, Result, bail};
use nitro_core::Function;
use nitro_core::model::{Model, file_name};

use self::device::Subject;
use super::args::ExplainArgs;
use super::data::Stores;
use super::split;
use crate::explain::{Explanation, Question};
use crate::trainer::Trainer;

pub(super) fn run(trainer: &Trainer, args: &ExplainArgs, out: &mut dyn Write) -> Result<()> {
    let name = &args.function;
    let model = Model::read(&args.models.models.join(file_name(name))).with_context(|| {
        format!("no usable model of `{name}`: make one with `fit`, or name its folder with --models")
    })?;
    let function = trainer.registered(name).map(|registered| registered.function);
    let given = values(&model, function.map_or(&[][..], Function::features), &args.features)?;
    let mut stores = Stores::open(trainer, &args.store)?;
    let mut recordings = stores.load_if_recorded(name)?;
    if let Some(recordings) = &mut recordings {
        recordings.keep_variants(|variant| model.variants.iter().any(|own| own == variant));
    }
    let training = recordings.as_ref().map(|recordings| split::read(recordings, None, None)).transpose()?;
    let subject = Subject::find(trainer, args, &model, &mut stores, recordings.as_ref())?;
    subject.check(&model)?;
    let explanation = Explanation::new(&Question {
        model: &model,
        function,
        given: &given,
        device: &subject.record,
        device_distance: subject.distance(&model),
        recorded: recordings.as_ref().zip(training.as_ref().map(|split| split.train.as_slice())),
    })?;
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string(&explanation)?)?,
        false => print::print(out, &explanation, &subject, recordings.is_some())?,
    }
    Ok(())
}

/// The given values by feature: each of the model's exactly once, and what else of the code's a constraint may ask for.
fn values(model: &Model, known: &[&str], given: &[String]) -> Result<BTreeMap<String, f64>> {
    let mut values = BTreeMap::new();
    for pair in given {
        let (name, value) = pair.split_once('=').with_context(|| format!("`{pair}`: write feature=value"))?;
        if !model.features.iter().any(|own| own == name) && !known.contains(&name) {
            bail!("`{name}` is not a feature of the model; its features are {}", model.features.join(", "));
        }
        let number = value.parse().ok().filter(|value: &f64| value.is_finite());
        let number = number.with_context(|| format!("`{pair}`: `{value}` is not a finite number"))?;
        if values.insert(name.to_owned(), number).is_some() {
            bail!("feature `{name}` is given twice");
        }
    }
    let missing: Vec<&String> = model.features.iter().filter(|name| !values.contains_key(*name)).collect();
    if missing.is_empty() {
        return Ok(values);
    }
    let names = missing.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let are = if missing.len() == 1 { "is" } else { "are" };
    bail!("{names} {are} missing: the model needs {}", model.features.join(", "))
}
