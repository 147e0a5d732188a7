//! What to profile.

use std::path::PathBuf;
use std::time::Duration;

/// What to profile, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileRequest {
    /// Functions; empty for all that run on a device.
    pub functions: Vec<String>,
    /// Devices by name.
    pub devices: Vec<String>,
    /// Folder of real inputs; without one, the built-in inputs.
    pub inputs: Option<PathBuf>,
    /// Folder that the profiles are written to, a function at a time.
    pub out: PathBuf,
    /// Time for everything; calls that it does not suffice for are left out.
    pub time: Duration,
    /// Inputs of each function, spread evenly over its training inputs.
    pub sample: u16,
    /// Launches of each call; of more, so many are drawn at random from all over the call.
    pub launches: u16,
}

impl Default for ProfileRequest {
    fn default() -> Self {
        Self {
            functions: Vec::new(),
            devices: vec!["cuda:0".to_owned()],
            inputs: None,
            out: PathBuf::from("profiles"),
            time: Duration::from_secs(300),
            sample: 8,
            launches: 8,
        }
    }
}
