//! From names to numbers: what a function's model means for the code and the device at hand. Done once a function and
//! device; everything that allocates is here.

use crate::choice_table::ChoiceTable;
use crate::device::{Chain, Lookup};
use crate::model::{Model, OnDevice, Region};
use crate::model_search::Origin;
use crate::nearest_source::NearestSource;
use crate::{DeviceEntry, Function, Reason, events, feature};

/// The selectors of one function, one for each device met so far.
pub(crate) type DeviceChain = Chain<(&'static DeviceEntry, Resolved)>;

/// What the model means for this code on this device, or why the default variant runs.
pub(crate) type Resolved = Result<DeviceSelector, Reason>;

/// A model resolved for one device: only indices and numbers are left.
pub(crate) struct DeviceSelector {
    pub(crate) selector: OnDevice,
    /// For each class of the selector the index of its choice in the choice table, if the code still has it.
    choices: Vec<Option<usize>>,
    /// For each column of the model the input feature of the code; none where the input has no say.
    pub(crate) features: Vec<usize>,
    /// Bit by bit the same features.
    pub(crate) needs: u32,
    /// Bit by bit those that the gate looks at, if there is one.
    pub(crate) gate_needs: Option<u32>,
    /// A variant of the code that the model does not know.
    pub(crate) unknown: Option<&'static str>,
    /// Where the training inputs lie, if the model knows.
    pub(crate) inputs: Option<Region>,
    /// How far the device is from the sources, if the model knows.
    pub(crate) device_distance: Option<f64>,
}

impl DeviceSelector {
    /// The index of a class's choice, if the code still has it.
    pub(crate) fn choice(&self, class: usize) -> Option<usize> {
        self.choices[class]
    }
}

/// What is the same on every device: a function's model, and what its choices are in this code.
pub(crate) struct ModelInCode {
    pub(crate) model: Model,
    pub(crate) origin: Origin,
    /// For each choice of the model its index in the choice table, if the code still has it.
    pub(crate) choices: Vec<Option<usize>>,
}

/// What a model means for this code on this device. What does not fit is told once, as an event. When
/// `deterministic`, only what is the same on every device of the kind is asked of the device.
pub(crate) fn resolve(
    function: &Function,
    table: &ChoiceTable,
    ModelInCode { model, origin, choices }: &ModelInCode,
    device: &'static DeviceEntry,
    deterministic: bool,
) -> Resolved {
    let (name, device_id) = (function.name(), device.id());
    // Of a device, or of none.
    let tell = |device: Option<&'static str>, what: &str, why: &'static str| {
        let (origin, what) = (origin.clone(), what.to_owned());
        events::tell(move || tracing::warn!(function = name, %origin, device, name = what, "{why}"));
    };
    // Of whatever device: the developer has to fit again.
    let stale = |what: &str, why: &'static str| {
        tell(None, what, why);
        let (origin, what) = (origin.clone(), what.to_owned());
        events::tell(move || {
            let message = format_args!("`{name}`: {origin} is stale, {why}: `{what}`; fit it again");
            events::line_where_nobody_listens(message);
        });
    };
    let index_of = |feature: &str| function.features().iter().position(|own| *own == feature);
    let features = known(&model.features, index_of).map_err(|feature| {
        stale(feature, "the model needs a feature that the code lacks");
        Reason::FeatureMissing
    })?;
    if let Some(feature) = changed(function, model, &features) {
        stale(feature, "a feature is declared otherwise than when the model was trained");
        return Err(Reason::FeatureChanged { feature });
    }
    let nearest = deterministic.then(|| NearestSource::of(model, device)).flatten();
    let same_everywhere =
        |feature: &str| device.of_kind(feature).or_else(|| nearest.as_ref()?.feature(feature));
    let look_up = |feature: &String| match deterministic {
        true => same_everywhere(feature).map_or(Lookup::Absent, Lookup::Value),
        false => device.look_up(feature),
    };
    // What was measured on this device is nothing that all of its kind have alike.
    let (on, needed) = match deterministic {
        true => (None, &model.device_features[..]),
        false => (Some(device_id), model.needed_on(device_id)),
    };
    let found: Vec<Lookup> = needed.iter().map(look_up).collect();
    let is_missing = |found: &Lookup| !matches!(found, Lookup::Pending) && found.finite().is_none();
    if let Some(missing) = found.iter().position(is_missing) {
        let (why, reason) = match deterministic {
            true => (DEVICE_FEATURE_VARIES, Reason::DeviceFeatureVaries),
            false => (DEVICE_FEATURE_MISSING, Reason::DeviceFeatureMissing),
        };
        tell(Some(device_id), &needed[missing], why);
        let (origin, feature) = (origin.clone(), needed[missing].clone());
        events::tell(move || {
            let message = format_args!(
                "`{name}`: {origin} on {device_id}: {why}: `{feature}`; the default variant runs"
            );
            events::line_where_nobody_listens(message);
        });
        return Err(reason);
    }
    let is_measured = |feature: &String| device.described(feature).is_none();
    if !deterministic && needed.iter().any(is_measured) {
        device.measure_in_background();
    }
    let values: Option<Vec<f64>> = found.iter().map(Lookup::finite).collect();
    let values = values.ok_or(Reason::DeviceFeaturesPending)?;
    let is_known =
        |variant: usize| choices.iter().flatten().any(|&choice| table.choices()[choice].variant == variant);
    // That of generated code nothing was worth a class is no fault of the model's.
    let is_written = |&variant: &usize| function.variants()[variant].parameters().artifact().is_none();
    let unknown = (0..function.variants().len()).filter(is_written).find(|&variant| !is_known(variant));
    let unknown = unknown.map(|variant| function.variants()[variant].name());
    if let Some(gone) = choices.iter().position(Option::is_none) {
        stale(&model.choices[gone], "the model knows a variant that the code no longer has");
    }
    if let Some(unknown) = unknown {
        stale(unknown, "the code has a variant that the model does not know");
    }
    let selector = model.resolved_on(on, &values);
    let inputs = model.coverage.inputs.clone();
    let device_distance = match deterministic {
        true => {
            model.coverage.devices.as_ref().and_then(|devices| devices.distance(|name| device.of_kind(name)))
        }
        false => model.device_distance(device),
    };
    let choices = (0..selector.classes()).map(|class| choices[selector.choice(class)]).collect();
    // A constant selector asks for no feature.
    let features = if selector.is_constant() { vec![] } else { features };
    let needs = feature::bits(features.iter().copied());
    let gate = selector.gate().filter(|_| !selector.is_constant());
    let gate_needs = gate.map(|gate| feature::bits(gate.features().iter().map(|&column| features[column])));
    Ok(DeviceSelector { selector, choices, features, needs, gate_needs, unknown, inputs, device_distance })
}

const DEVICE_FEATURE_MISSING: &str = "the model needs a device feature that is not known here";
const DEVICE_FEATURE_VARIES: &str = "choices are to be deterministic, and the model needs a device feature that may \
    differ between devices of one kind";

/// A feature of the model that computes something else in the code, as far as both know; `features` are its
/// columns' in the code.
fn changed(function: &Function, model: &Model, features: &[usize]) -> Option<&'static str> {
    let of_code = function.feature_digests();
    let differs = |(own, digest): &(&usize, &u64)| {
        **digest != 0 && of_code.get(**own).is_some_and(|own| own != *digest)
    };
    let (own, _) = features.iter().zip(&model.feature_digests).find(differs)?;
    Some(function.features()[*own])
}

/// What `find` knows of every name, or the first name of which it knows nothing.
fn known<T>(names: &[String], find: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, &str> {
    names.iter().map(|name| find(name).ok_or(name.as_str())).collect()
}
