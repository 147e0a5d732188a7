//! From names to numbers: what a function's model means for the code and the device at hand. Done once a function and
//! device; everything that reads files or allocates is here.

use std::error::Error;
use std::path::{Path, PathBuf};

use crate::device::Chain;
use crate::memo::Serial;
use crate::model::{self, Model, ModelError, OnDevice, Region};
use crate::{DeviceEntry, Function, Reason, environment};

/// What is known of a function after its first call, whatever the device.
pub(crate) struct FunctionState {
    /// The variant to which the user pinned the function.
    pub(crate) forced: Option<usize>,
    /// The model and where it is from, or why there is none.
    model: Result<(Model, Origin), Reason>,
}

/// Where a model is from, for messages.
enum Origin {
    File(PathBuf),
    Embedded,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(formatter),
            Self::Embedded => formatter.write_str("the embedded model"),
        }
    }
}

/// The selectors of one function, one for each device met so far.
pub(crate) type DeviceChain = Chain<(&'static DeviceEntry, Resolved)>;

/// What the model means for this code on this device, or why the default variant runs.
pub(crate) type Resolved = Result<DeviceSelector, Reason>;

/// A model resolved for one device: only indices and numbers are left.
pub(crate) struct DeviceSelector {
    /// What the memo knows it by.
    pub(crate) serial: Serial,
    pub(crate) selector: OnDevice,
    /// For each class of the selector the place of its variant in the code, if it still exists.
    places: Vec<Option<usize>>,
    /// For each column of the model the input feature of the code.
    pub(crate) features: Vec<usize>,
    /// A variant of the code that the model does not know.
    pub(crate) unknown: Option<&'static str>,
    /// Where the training inputs lie, if the model knows.
    pub(crate) inputs: Option<Region>,
    /// How far the device is from the sources, if the model knows.
    pub(crate) device_distance: Option<f64>,
}

impl DeviceSelector {
    /// The place in the code of a class of the selector, if its variant still exists.
    pub(crate) fn place(&self, class: usize) -> Option<usize> {
        self.places[class]
    }
}

impl Function {
    /// The state of the function; the first call reads the environment and looks for the model.
    #[inline]
    pub(crate) fn state(&self) -> &FunctionState {
        self.state.get_or_init(|| FunctionState {
            forced: environment::forced_variant(self),
            model: find_model(self),
        })
    }

    /// What the model means on this device; the first call for the device resolves it.
    #[inline]
    pub(crate) fn resolved(&self, device: &'static DeviceEntry) -> &Resolved {
        self.devices.find(|(own, _)| *own == device).map_or_else(|| self.resolve(device), |(_, known)| known)
    }

    #[cold]
    fn resolve(&self, device: &'static DeviceEntry) -> &Resolved {
        let model = &self.state().model;
        let resolve =
            || (device, model.as_ref().map_err(|&reason| reason).and_then(|m| resolve(self, m, device)));
        &self.devices.find_or_insert(|(own, _)| *own == device, resolve).1
    }
}

/// The places of a model, first one first: the folder that the user names, the program itself, the folders where a
/// deployed or a freshly built program finds it.
fn find_model(function: &Function) -> Result<(Model, Origin), Reason> {
    let file = model::file_name(function.name());
    let chosen = environment::models_folder().map(|folder| folder.join(&file)).filter(|path| path.exists());
    let beside =
        std::env::current_exe().ok().and_then(|path| Some(path.parent()?.join("models").join(&file)));
    let here = Path::new("models").join(&file);
    if let Some(path) = chosen {
        return load(function, Model::read(&path), Origin::File(path));
    }
    if let Some(bytes) = function.embedded_model() {
        return load(function, Model::from_bytes(bytes), Origin::Embedded);
    }
    match beside.into_iter().chain([here]).find(|path| path.exists()) {
        Some(path) => load(function, Model::read(&path), Origin::File(path)),
        None => {
            tracing::debug!(function = function.name(), file, "no model, the default variant runs");
            Err(Reason::NoModel)
        }
    }
}

fn load(
    function: &Function,
    model: Result<Model, ModelError>,
    origin: Origin,
) -> Result<(Model, Origin), Reason> {
    let name = function.name();
    match model {
        Err(error) => {
            let error = error.source().map_or_else(|| error.to_string(), ToString::to_string);
            tracing::warn!(function = name, %origin, error, "the model cannot be read, the default variant runs");
            Err(Reason::ModelUnreadable)
        }
        Ok(model) if model.function != name => {
            let found = &model.function;
            tracing::warn!(function = name, %origin, found, "the model is of another function, the default variant runs");
            Err(Reason::ModelForeign)
        }
        Ok(model) => Ok((model, origin)),
    }
}

fn resolve(function: &Function, (model, origin): &(Model, Origin), device: &'static DeviceEntry) -> Resolved {
    let name = function.name();
    let place = |feature: &str| function.features().iter().position(|own| *own == feature);
    let features = known(&model.features, place).map_err(|feature| {
        tracing::warn!(function = name, %origin, feature, "the model needs a feature that the code lacks");
        Reason::FeatureMissing
    })?;
    let value = |feature: &str| device.feature(feature).filter(|value| value.is_finite());
    let values = known(&model.device_features, value).map_err(|feature| {
        let device = device.id();
        tracing::warn!(function = name, %origin, device, feature, "the model needs a device feature that is not known here");
        Reason::DeviceFeatureMissing
    })?;
    let variants: Vec<_> = model.variants.iter().map(|variant| function.variant_named(variant)).collect();
    let unknown =
        function.variants().iter().map(|v| v.name).find(|own| !model.variants.iter().any(|v| v == own));
    if let Some(gone) = variants.iter().position(Option::is_none) {
        let gone = &model.variants[gone];
        tracing::warn!(function = name, %origin, gone, "the model knows a variant that the code no longer has");
    }
    if let Some(unknown) = unknown {
        tracing::warn!(function = name, %origin, unknown, "the code has a variant that the model does not know");
    }
    let selector = model.selector.on_device(&values);
    let places = (0..selector.classes()).map(|class| variants[selector.variant(class)]).collect();
    let (inputs, device_distance) = (model.coverage.inputs.clone(), model.device_distance(device));
    Ok(DeviceSelector { serial: Serial::new(), selector, places, features, unknown, inputs, device_distance })
}

/// What `find` knows of every name, or the first name of which it knows nothing.
fn known<T>(names: &[String], find: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, &str> {
    names.iter().map(|name| find(name).ok_or(name.as_str())).collect()
}
