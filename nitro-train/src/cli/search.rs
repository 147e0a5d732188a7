//! `train search`: which configurations are fastest.

use std::io::Write;

use anyhow::Result;

use super::args::SearchArgs;
use super::json;
use crate::search::replay_table;
use crate::trainer::Trainer;

pub(super) fn run(trainer: &Trainer, args: &SearchArgs, out: &mut dyn Write) -> Result<()> {
    let request = args.replay_request();
    let mut replayed = Vec::new();
    for one in trainer.replay(&request)? {
        let one = one?;
        if args.show.json.json {
            json::print(out, &one)?;
        }
        replayed.push(one);
    }
    if !args.show.json.json {
        write!(out, "{:1$}", replay_table(&replayed), args.show.columns())?;
    }
    Ok(())
}
