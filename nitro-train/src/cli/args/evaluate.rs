//! The arguments of `train evaluate`.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use nitro_learn::evaluate::LeaveOut;

use super::common::{ProfilesArgs, StudyArgs};
use super::objective::ObjectiveArgs;
use super::show::ShowArgs;
use crate::trainer::EvaluateRequest;

const DEVICE: &str = "device";
const MACHINE: &str = "machine";
const REGIME: &str = "regime";
const INPUT: &str = "input";

/// The value of `--leave-out`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum LeftOut {
    /// A device, or more of its machine or regime.
    Devices(LeaveOut),
    /// An input, on each device by itself.
    Input,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct EvaluateArgs {
    #[command(flatten)]
    pub(in crate::cli) request: EvaluateRequest,
    #[command(flatten)]
    pub(in crate::cli) profiles: ProfilesArgs,
    /// Leave out one device at a time, one machine with all devices of its chip, one regime with all devices in it, or
    /// one input on each device
    #[arg(long, value_name = "WHAT", value_parser = leave_out(), default_value = DEVICE)]
    pub(in crate::cli) leave_out: LeftOut,
    #[command(flatten)]
    pub(in crate::cli) objective: ObjectiveArgs,
    #[command(flatten)]
    pub(in crate::cli) study: StudyArgs,
    #[command(flatten)]
    pub(in crate::cli) show: ShowArgs,
}

fn leave_out() -> impl TypedValueParser<Value = LeftOut> {
    PossibleValuesParser::new([DEVICE, MACHINE, REGIME, INPUT]).map(|what| match what.as_str() {
        INPUT => LeftOut::Input,
        REGIME => LeftOut::Devices(LeaveOut::Regime),
        MACHINE => LeftOut::Devices(LeaveOut::Machine),
        _ => LeftOut::Devices(LeaveOut::Device),
    })
}
