//! Questions to a model.

use std::collections::BTreeMap;

use nitro_core::Function;
use nitro_core::model::Model;

use nitro_store::recordings::{DeviceRecord, Recordings};

/// A question to a model.
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
    /// The distance from the devices that the model was trained on, where that is known.
    pub device_distance: Option<f64>,
    /// The recordings of the function, where they are at hand, and the positions of the training inputs in them.
    pub recorded: Option<(&'a Recordings, &'a [usize])>,
}
