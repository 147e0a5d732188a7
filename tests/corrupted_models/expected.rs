//! What a call has to do with a model file, said once more, by the slow and plain way of [`Model::rank`].

use nitro::{DeviceEntry, Function, Reason, model::Model};

/// An input of the functions of this test.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    pub size: f64,
    pub count: u32,
}

impl Input {
    fn feature(self, name: &str) -> Option<f64> {
        match name {
            "size" => Some(self.size),
            "count" => Some(f64::from(self.count)),
            _ => None,
        }
    }

    /// The constraints of the functions of this test.
    pub fn admits(self, variant: &str) -> bool {
        match variant {
            "second" => self.size < 100.0,
            "third" => self.count.is_multiple_of(2),
            _ => true,
        }
    }
}

/// What makes a file unusable whatever the input, if something does.
pub fn unusable(function: &Function, bytes: &[u8], device: &DeviceEntry) -> Result<Model, Reason> {
    let Ok(model) = Model::from_bytes(bytes) else { return Err(Reason::ModelUnreadable) };
    let is_feature = |name: &String| function.features().contains(&name.as_str());
    match () {
        () if model.function != function.name() => Err(Reason::ModelForeign),
        () if !model.features.iter().all(is_feature) => Err(Reason::FeatureMissing),
        () if !model.device_features.iter().all(|name| device.feature(name).is_some()) => {
            Err(Reason::DeviceFeatureMissing)
        }
        () => Ok(model),
    }
}

/// The variant that has to run, and why; `Predicted` stands for `PredictedFar` too.
pub fn choice(
    function: &Function,
    model: &Result<Model, Reason>,
    device: &DeviceEntry,
    input: Input,
) -> (&'static str, Reason) {
    let default = function.variants()[function.default_variant()].name();
    let model = match model {
        Ok(model) => model,
        Err(reason) => return (default, *reason),
    };
    let is_constant = model.selector.is_constant();
    let row: Vec<f64> =
        model.features.iter().map(|name| input.feature(name).expect("it is one of ours")).collect();
    if let Some(place) = row.iter().position(|value| !value.is_finite()).filter(|_| !is_constant) {
        let feature = function.features().iter().find(|own| **own == model.features[place]);
        return (default, Reason::FeatureNotFinite { feature: feature.expect("it is one of ours") });
    }
    let values: Vec<f64> =
        model.device_features.iter().map(|name| device.feature(name).expect("known")).collect();
    let own =
        |name: &String| function.variants().iter().map(|variant| variant.name()).find(|own| own == name);
    let ranked: Vec<Option<&'static str>> =
        model.rank(&row, &values).into_iter().map(|variant| own(&model.choices[variant])).collect();
    let chosen = ranked.iter().flatten().copied().find(|name| input.admits(name));
    let knows = |name: &str| model.choices.iter().any(|variant| variant == name);
    let unknown = function.variants().iter().map(|variant| variant.name()).find(|name| !knows(name));
    let variant = chosen.unwrap_or(default);
    let reason = match (ranked[0], unknown) {
        _ if chosen.is_none() && !is_constant => Reason::NoneAdmissible,
        (None, _) => Reason::FirstChoiceMissing,
        (Some(first), _) if first != variant => Reason::FirstChoiceInadmissible { first },
        (_, Some(unknown)) => Reason::PredictedWithout { unknown },
        _ => Reason::Predicted,
    };
    (variant, reason)
}
