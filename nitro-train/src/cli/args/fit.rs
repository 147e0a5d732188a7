//! The arguments of `train fit`.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use nitro_learn::{DeviceFeatures, Strategy, WhenUnsure};

use super::common::{ProfilesArgs, StudyArgs};
use super::objective::ObjectiveArgs;
use super::show::JsonArgs;
use crate::trainer::FitRequest;

#[derive(Args, Debug)]
pub(in crate::cli) struct FitArgs {
    #[command(flatten)]
    pub(in crate::cli) request: FitRequest,
    #[command(flatten)]
    pub(in crate::cli) profiles: ProfilesArgs,
    /// Way to select device features [default: the one that does best on the source devices]
    #[arg(long, value_parser = device_features())]
    pub(in crate::cli) device_features: Option<String>,
    /// Kind of selector; auto takes the one that does best on the source devices. Trees are used only if they are named
    #[arg(long, value_parser = selectors(), default_value = AUTO)]
    pub(in crate::cli) selector: String,
    /// Variant to run when the model is unsure: default, or best, the one that is ranked first. A model is unsure where
    /// another choice is hardly behind, or the input is far from the training inputs. Without: the default, if that
    /// does better on the source devices
    #[arg(long, value_name = "WHAT", value_parser = ["default", "best"])]
    when_unsure: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) objective: ObjectiveArgs,
    #[command(flatten)]
    pub(in crate::cli) study: StudyArgs,
    #[command(flatten)]
    pub(in crate::cli) output: JsonArgs,
}

impl FitArgs {
    /// Returns the variant to run when the model is unsure.
    pub(in crate::cli) fn when_unsure(&self) -> WhenUnsure {
        match self.when_unsure.as_deref() {
            None => WhenUnsure::Decided,
            Some("default") => WhenUnsure::Default,
            Some(_) => WhenUnsure::Best,
        }
    }
}

/// The kind of selector that does best on the source devices.
pub(in crate::cli) const AUTO: &str = "auto";

fn device_features() -> PossibleValuesParser {
    PossibleValuesParser::new(DeviceFeatures::ALL.map(|set| {
        PossibleValue::new(set.name()).help(match set {
            DeviceFeatures::None => "Input features alone",
            DeviceFeatures::Profile => {
                "Those that the hardware counters of the function point to (needs profiles)"
            }
            DeviceFeatures::CrossValidation => "Those that carry over best from source to source",
            DeviceFeatures::All => "All device features",
        })
    }))
}

fn selectors() -> PossibleValuesParser {
    PossibleValuesParser::new([AUTO].into_iter().chain(Strategy::known_learner_names()))
}
