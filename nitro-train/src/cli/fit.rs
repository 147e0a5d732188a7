//! `train fit`: selectors from recordings.

use anyhow::{Result, bail};

use super::args::{DeviceFeatures, FitArgs};
use super::data::Stores;
use super::split;
use crate::learn::{FitOptions, Fitted, Strategy, fit};
use crate::trainer::Trainer;

pub(super) fn run(trainer: &Trainer, args: &FitArgs) -> Result<()> {
    let strategy = match args.device_features {
        None => None,
        Some(DeviceFeatures::None) => Some(Strategy::SvmNone),
        Some(DeviceFeatures::All) => Some(Strategy::SvmAll),
        Some(DeviceFeatures::CrossValidation) => Some(Strategy::SvmCrossValidation),
        Some(DeviceFeatures::Profile) => {
            bail!(
                "the store has no hardware counters to select device features by: use --device-features cross-validation"
            )
        }
    };
    let strategy = strategy
        .or((args.selector == super::args::SelectorKind::Svm).then_some(Strategy::SvmCrossValidation));
    let stores = Stores::open(trainer, &args.data.store)?;
    let mut stores = stores.with_profiles(args.profiles.profiles.as_deref());
    let mut fitted = Vec::new();
    for function in stores.functions(&args.data.functions)? {
        let recordings = stores.load(&function)?;
        let split = split::read(&recordings, args.train_inputs.as_deref(), None)?;
        let options = FitOptions {
            sources: args.sources.clone(),
            inputs: Some(split.train),
            strategy,
            seed: args.seed,
            ..FitOptions::default()
        };
        fitted.push(fit(&recordings, &options)?);
    }
    // Written only when all were fitted: models of one folder belong together.
    for fitted in &fitted {
        let path = args.models.models.join(nitro_core::model::file_name(&fitted.model.function));
        fitted.model.write(&path)?;
        println!("{}: {}", path.display(), description(fitted));
    }
    Ok(())
}

/// One line about a model and how it came to be; its notes go to stderr.
pub(super) fn description(fitted: &Fitted) -> String {
    for note in &fitted.notes {
        eprintln!("{}: {note}", fitted.model.function);
    }
    let features = match fitted.model.device_features.as_slice() {
        [] => "no device features".to_owned(),
        names => format!("device features {}", names.join(", ")),
    };
    let sources = fitted.model.provenance.sources.len();
    let inputs = fitted.model.provenance.training_inputs;
    format!("{}, {features}, learned from {sources} devices and {inputs} inputs", fitted.strategy)
}
