//! Which recordings a command means.

use clap::Args;

use super::{DataArgs, JsonArgs};

#[derive(Args, Debug)]
pub(in crate::cli) struct WhichArgs {
    /// Only those of this variant
    #[arg(long, value_name = "V")]
    pub(in crate::cli) variant: Option<String>,
    /// Only those of inputs whose whole name matches the pattern, of which * is any text, for example 'dense/*'
    #[arg(long, value_name = "GLOB")]
    pub(in crate::cli) input: Option<String>,
}

/// What `record --again` means.
#[derive(Args, Debug)]
pub(in crate::cli) struct AgainArgs {
    /// With --again: only this variant
    #[arg(long, value_name = "V", requires = "again")]
    pub(in crate::cli) variant: Option<String>,
    /// With --again: only inputs whose whole name matches the pattern, of which * is any text, for example 'dense/*'
    #[arg(long, value_name = "GLOB", requires = "again")]
    pub(in crate::cli) input: Option<String>,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct ForgetArgs {
    #[command(flatten)]
    pub(in crate::cli) data: DataArgs,
    #[command(flatten)]
    pub(in crate::cli) which: WhichArgs,
    /// Only those on this device, by the name that `devices` shows
    #[arg(long, value_name = "DEVICE")]
    pub(in crate::cli) device: Option<String>,
    /// Forget everything: needed where nothing else says what
    #[arg(long, conflicts_with_all = ["functions", "variant", "input", "device"])]
    pub(in crate::cli) all: bool,
    #[command(flatten)]
    pub(in crate::cli) output: JsonArgs,
}
