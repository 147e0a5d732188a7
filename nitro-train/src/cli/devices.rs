//! The command `train devices`, which shows devices as a model sees them, and which one to measure next.

use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;

use super::args::DevicesArgs;
use super::json;
use crate::trainer::Trainer;

/// Prints the devices, their new measurements, or the ranking of unmeasured ones.
pub(super) fn run(trainer: &Trainer, args: &DevicesArgs, out: &mut dyn Write) -> Result<()> {
    let data = &args.data;
    let (is_json, columns) = (args.show.json.json, args.show.columns());
    if args.next {
        let rankings = trainer.next_devices(data)?;
        if is_json {
            return json::print(out, &rankings);
        }
        rankings.iter().try_for_each(|ranking| ranking.print(out, columns))?;
        return Ok(());
    }
    if args.measure {
        trainer.measure_devices(&args.devices)?;
    }
    let devices = trainer.describe(&args.devices, data)?;
    if is_json {
        return json::print(out, &devices);
    }
    Ok(devices.print(out, unix_s(), columns)?)
}

fn unix_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
