//! The command `train nest show`, which shows generated code.

use std::fs;
use std::io::Write;

use anyhow::{Context, Result, ensure};
use nitro_learn::plain_table::Table;
use nitro_store::printable::printable;
use serde_json::json;

use super::args::{NestCommand, ShowNestArgs};
use super::json;
use crate::trainer::{DescribeRequest, Described, GeneratedCode, Trainer};

/// Lists generated code, or describes one piece of it.
pub(super) fn run(trainer: &Trainer, command: &NestCommand, out: &mut dyn Write) -> Result<()> {
    let NestCommand::Show(args) = command;
    match &args.kernel {
        None => list(&trainer.generated(&args.request.among)?, args, out),
        Some(name) => {
            let request = DescribeRequest { name: name.clone(), ..args.request.clone() };
            show(&trainer.describe_generated(&request)?, args, out)
        }
    }
}

fn show(described: &Described, args: &ShowNestArgs, out: &mut dyn Write) -> Result<()> {
    let Described { code, description } = described;
    if let Some(file) = &args.html {
        fs::write(file, &description.html)
            .with_context(|| format!("{}: the page cannot be written", file.display()))?;
    }
    ensure!(
        !args.passes || !description.passes.is_empty(),
        "the generator of `{}` of `{}` tells of no passes",
        code.variant,
        code.function
    );
    let text = if args.passes { &description.passes } else { &description.text };
    match (args.show.json.json, &args.html) {
        (true, Some(page)) => json::print(out, &json!({ "code": code, "page": page })),
        (true, None) => json::print(out, &json!({ "code": code, "text": text })),
        (false, Some(page)) => Ok(writeln!(out, "{}", page.display())?),
        (false, None) => Ok(write!(out, "{}", printable(text))?),
    }
}

fn list(all: &[GeneratedCode], args: &ShowNestArgs, out: &mut dyn Write) -> Result<()> {
    if args.show.json.json {
        return json::print(out, &all);
    }
    let mut table = Table::new(["kernel", "function", "variant", "digest", "from"]).ending_in_text();
    for code in all {
        let mut places = Vec::new();
        for (is_there, place) in
            [(code.is_preset, "preset"), (code.is_in_model, "model"), (code.is_in_store, "store")]
        {
            if is_there {
                places.push(place);
            }
        }
        let places = places.join(", ");
        table.row([&code.name, &code.function, &code.variant, &code.digest, &places].map(String::clone));
    }
    Ok(write!(out, "{table:0$}", args.show.columns())?)
}
