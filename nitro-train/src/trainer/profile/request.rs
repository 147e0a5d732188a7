//! The settings of a profile.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::trainer::request::seconds;

/// The settings of a profile: what to profile, and how much of it.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct ProfileRequest {
    /// Function to profile; repeat for several [default: all that run on the device]
    #[arg(long = "function", value_name = "F")]
    pub functions: Vec<String>,
    /// Device to profile on, for example cuda:0 or cuda:0/16sm; repeat for several
    #[arg(long = "device", value_name = "DEVICE", default_value = "cuda:0")]
    pub devices: Vec<String>,
    /// Folder of real inputs [default: the built-in inputs]
    #[arg(long, value_name = "DIR")]
    pub inputs: Option<PathBuf>,
    /// Folder that the profiles are written to, one function at a time
    #[arg(long, value_name = "DIR", default_value = "profiles")]
    pub out: PathBuf,
    /// Time for everything, in seconds; calls beyond it are left out
    #[arg(long = "seconds", value_name = "SECONDS", default_value = "300", value_parser = seconds())]
    pub time: Duration,
    /// Inputs of each function, spread evenly over its training inputs
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    pub sample: u16,
    /// Launches of each call; of more, so many are drawn at random from all over the call
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
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
