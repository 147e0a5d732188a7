//! What `train evaluate` is asked.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use nitro_learn::evaluate::LeaveOut;

use super::{DataArgs, ObjectiveArgs, ProfilesArgs, SeedArgs, ShowArgs, SplitArgs, StudyArgs};

const DEVICE: &str = "device";
const MACHINE: &str = "machine";
const INPUT: &str = "input";

/// What `--leave-out` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum LeftOut {
    /// A device, or more of its machine.
    Devices(LeaveOut),
    /// An input, on each device by itself.
    Input,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct EvaluateArgs {
    #[command(flatten)]
    pub(in crate::cli) data: DataArgs,
    #[command(flatten)]
    pub(in crate::cli) profiles: ProfilesArgs,
    #[command(flatten)]
    pub(in crate::cli) split: SplitArgs,
    /// What is left out at once: a device, or with it all others of its machine, which share its chip; or an input,
    /// to learn from the others on the same device
    #[arg(long, value_name = "WHAT", value_parser = leave_out(), default_value = DEVICE)]
    pub(in crate::cli) leave_out: LeftOut,
    /// Calibrate too: what auto achieves once so many training inputs were measured on the device that is left out
    #[arg(long, value_name = "N,..", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) calibration: Vec<u32>,
    #[command(flatten)]
    pub(in crate::cli) objective: ObjectiveArgs,
    #[command(flatten)]
    pub(in crate::cli) study: StudyArgs,
    #[command(flatten)]
    pub(in crate::cli) show: ShowArgs,
    #[command(flatten)]
    pub(in crate::cli) seed: SeedArgs,
}

fn leave_out() -> impl TypedValueParser<Value = LeftOut> {
    PossibleValuesParser::new([DEVICE, MACHINE, INPUT]).map(|what| match what.as_str() {
        INPUT => LeftOut::Input,
        MACHINE => LeftOut::Devices(LeaveOut::Machine),
        _ => LeftOut::Devices(LeaveOut::Device),
    })
}
