//! What can be asked.

use std::collections::BTreeMap;

use nitro_core::Function;
use nitro_core::model::Model;

use nitro_store::recordings::{DeviceRecord, Recordings};

/// What a model is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The selector.
    pub model: &'a Model,
    /// The code, where it is at hand: it has the constraints.
    pub function: Option<&'static Function>,
    /// Features of the input: all that the model asks for, and what else constraints may ask for.
    pub given: &'a BTreeMap<String, f64>,
    /// The device, which has all device features that the model asks for.
    pub device: &'a DeviceRecord,
    /// How far it is from those that the model was trained on, where that is known.
    pub device_distance: Option<f64>,
    /// What was recorded of the function, where that is at hand, and the positions of the training inputs in it.
    pub recorded: Option<(&'a Recordings, &'a [usize])>,
}
