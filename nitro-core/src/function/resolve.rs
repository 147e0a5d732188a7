//! Resolves a function's model for the code and the device at hand, from names to numbers. That is done once for a
//! function and a device; everything that allocates is here.

use super::Function;
use super::choice_table::ChoiceTable;
use super::model_search::Origin;
use crate::chain::Chain;
use crate::device::Lookup;
use crate::model::{Model, OnDevice, Region};
use crate::nearest_source::NearestSource;
use crate::{DeviceEntry, Reason, events, feature};

/// The selectors of one function, one for each device met so far.
pub(crate) type DeviceChain = Chain<(&'static DeviceEntry, Resolution)>;

/// The model resolved for one device, or the reason why the default variant runs.
pub(crate) type Resolution = Result<DeviceSelector, Reason>;

/// A model resolved for one device: only indices and numbers are left.
pub(crate) struct DeviceSelector {
    pub(crate) selector: OnDevice,
    /// The index in the choice table of each class of the selector, if the code still has its choice.
    choices: Vec<Option<usize>>,
    /// The input feature of the code for each column of the model; none where the input has no say.
    pub(crate) features: Vec<usize>,
    /// Bit by bit the same features.
    pub(crate) needs: u32,
    /// Bit by bit those that the gate looks at, if there is one.
    pub(crate) gate_needs: Option<u32>,
    /// A variant of the code that the model does not know.
    pub(crate) unknown: Option<&'static str>,
    /// The region of the training inputs, if the model knows it.
    pub(crate) inputs: Option<Region>,
    /// The distance of the device from the sources, if the model knows it.
    pub(crate) device_distance: Option<f64>,
}

impl DeviceSelector {
    /// The index of a class's choice, if the code still has it.
    pub(crate) fn choice(&self, class: usize) -> Option<usize> {
        self.choices[class]
    }
}

/// A function's model and its choices in this code, which are the same on every device.
pub(crate) struct ModelInCode {
    pub(crate) model: Model,
    pub(crate) origin: Origin,
    /// The index in the choice table of each choice of the model, if the code still has it.
    pub(crate) choices: Vec<Option<usize>>,
}

/// The inputs of a resolution.
pub(crate) struct Resolver<'a> {
    pub(crate) function: &'a Function,
    pub(crate) table: &'a ChoiceTable,
    pub(crate) in_code: &'a ModelInCode,
    pub(crate) device: &'static DeviceEntry,
    /// True where only what is the same on every device of the kind is asked of the device.
    pub(crate) deterministic: bool,
}

impl Resolver<'_> {
    /// Resolves the model for the code and the device. What does not fit is told once, as an event.
    pub(crate) fn resolve(&self) -> Resolution {
        let ModelInCode { model, choices, .. } = self.in_code;
        let features = self.input_features()?;
        let values = self.device_values()?;
        let unknown = self.unknown_variant();
        if let Some(gone) = choices.iter().position(Option::is_none) {
            self.tell_stale(&model.choices[gone], "the model knows a variant that the code no longer has");
        }
        if let Some(unknown) = unknown {
            self.tell_stale(unknown, "the code has a variant that the model does not know");
        }
        let selector = model.resolved_on(self.identity(), &values);
        let of_kind = |name: &str| self.device.of_kind(name);
        let device_distance = match self.deterministic {
            true => model.coverage.devices.as_ref().and_then(|devices| devices.distance(of_kind)),
            false => model.device_distance(self.device),
        };
        let choices = (0..selector.classes()).map(|class| choices[selector.choice(class)]).collect();
        // A constant selector asks for no feature.
        let features = if selector.is_constant() { vec![] } else { features };
        let needs = feature::bits(features.iter().copied());
        let gate = selector.gate().filter(|_| !selector.is_constant());
        let gate_needs = gate.map(|gate| feature::bits(gate.features().iter().map(|&own| features[own])));
        let inputs = model.coverage.inputs.clone();
        Ok(DeviceSelector {
            selector,
            choices,
            features,
            needs,
            gate_needs,
            unknown,
            inputs,
            device_distance,
        })
    }

    /// The input feature of the code for each column of the model.
    fn input_features(&self) -> Result<Vec<usize>, Reason> {
        let model = &self.in_code.model;
        let mut features = Vec::with_capacity(model.features.len());
        for name in &model.features {
            let Some(index) = self.function.features().iter().position(|own| own == name) else {
                self.tell_stale(name, "the model needs a feature that the code lacks");
                return Err(Reason::FeatureMissing);
            };
            features.push(index);
        }
        if let Some(feature) = changed(self.function, model, &features) {
            self.tell_stale(feature, "a feature is declared otherwise than when the model was trained");
            return Err(Reason::FeatureChanged { feature });
        }
        Ok(features)
    }

    /// The values of the device features that the model needs. Has them measured in the background where they are
    /// not known yet, or are noisy.
    fn device_values(&self) -> Result<Vec<f64>, Reason> {
        let model = &self.in_code.model;
        let needed = self.identity().map_or(&model.device_features[..], |device| model.needed_on(device));
        let nearest = self.deterministic.then(|| NearestSource::of(model, self.device)).flatten();
        let mut found = Vec::with_capacity(needed.len());
        for name in needed {
            let value = match self.deterministic {
                true => {
                    let known = self.device.of_kind(name).or_else(|| nearest.as_ref()?.feature(name));
                    known.map_or(Lookup::Absent, Lookup::Value)
                }
                false => self.device.look_up(name),
            };
            if value != Lookup::Pending && value.finite().is_none() {
                return Err(self.tell_unusable(name));
            }
            found.push(value);
        }
        if !self.deterministic && needed.iter().any(|name| self.device.described(name).is_none()) {
            self.device.measure_in_background();
        }
        let values: Option<Vec<f64>> = found.iter().map(Lookup::finite).collect();
        values.ok_or(Reason::DeviceFeaturesPending)
    }

    /// The device's identity, by which a model may be calibrated. None where choices are to be deterministic: what
    /// was measured on this device is nothing that all of its kind have alike.
    fn identity(&self) -> Option<&'static str> {
        (!self.deterministic).then(|| self.device.id())
    }

    /// A variant of the code that the model does not know.
    fn unknown_variant(&self) -> Option<&'static str> {
        for (variant, info) in self.function.variants().iter().enumerate() {
            let mut known = self.in_code.choices.iter().flatten();
            let is_known = known.any(|&choice| self.table.choices()[choice].variant == variant);
            // That of generated code nothing was worth a class is no fault of the model's, nor is what cannot run here.
            if !is_known && info.parameters().artifact().is_none() && info.runs_here() {
                return Some(info.name());
            }
        }
        None
    }

    /// Tells that a device feature cannot be had, which is about this device.
    fn tell_unusable(&self, feature: &str) -> Reason {
        let (why, reason) = match self.deterministic {
            true => (DEVICE_FEATURE_VARIES, Reason::DeviceFeatureVaries),
            false => (DEVICE_FEATURE_MISSING, Reason::DeviceFeatureMissing),
        };
        let (name, device) = (self.function.name(), self.device.id());
        self.tell(Some(device), feature, why);
        let (origin, feature) = (self.in_code.origin.clone(), feature.to_owned());
        events::tell(move || {
            events::line_where_nobody_listens(format_args!(
                "`{name}`: {origin} on {device}: {why}: `{feature}`; the default variant runs"
            ));
        });
        reason
    }

    /// Tells that the model does not fit the code on any device: the developer has to fit it again.
    fn tell_stale(&self, what: &str, why: &'static str) {
        self.tell(None, what, why);
        let (name, origin, what) = (self.function.name(), self.in_code.origin.clone(), what.to_owned());
        events::tell(move || {
            events::line_where_nobody_listens(format_args!(
                "`{name}`: {origin} is stale, {why}: `{what}`; fit it again"
            ));
        });
    }

    /// Tells what does not fit, on one device or on all.
    fn tell(&self, device: Option<&'static str>, what: &str, why: &'static str) {
        let (function, origin, name) = (self.function.name(), self.in_code.origin.clone(), what.to_owned());
        events::tell(move || tracing::warn!(function, %origin, device, name, "{why}"));
    }
}

const DEVICE_FEATURE_MISSING: &str = "the model needs a device feature that is not known here";
const DEVICE_FEATURE_VARIES: &str = "choices are to be deterministic, and the model needs a device feature that may \
    differ between devices of one kind";

/// A feature of the model that computes something else in the code, as far as both know. `features` are its columns'
/// in the code.
fn changed(function: &Function, model: &Model, features: &[usize]) -> Option<&'static str> {
    for (&own, &digest) in features.iter().zip(&model.feature_digests) {
        if digest != 0 && function.feature_digests().get(own).is_some_and(|own| *own != digest) {
            return Some(function.features()[own]);
        }
    }
    None
}
