//! The command `train sync`, after which two stores hold the same.

use std::io::{self, Write};

use anyhow::Result;
use nitro_store::store::{self, CopyCounts, SyncReport};

use super::args::SyncArgs;
use super::json;

/// Synchronises two stores, and prints what was copied.
pub(super) fn run(args: &SyncArgs, out: &mut dyn Write) -> Result<()> {
    let synced = store::sync_at(&args.first, &args.second)?;
    if args.output.json {
        return json::print(out, &synced);
    }
    let SyncReport { into_first, into_second, differing } = synced;
    let [a, b] = [&args.first, &args.second].map(|url| store::shown(url));
    tell(out, &b, &a, into_first)?;
    tell(out, &a, &b, into_second)?;
    if differing > 0 {
        writeln!(out, "{differing} measurements that both had differ: each store keeps its own")?;
    }
    Ok(())
}

fn tell(out: &mut dyn Write, from: &str, to: &str, copied: CopyCounts) -> io::Result<()> {
    let CopyCounts { functions, devices, inputs, measurements, evaluations, artifacts } = copied;
    let code = if artifacts == 0 { String::new() } else { format!(", {artifacts} pieces of generated code") };
    writeln!(
        out,
        "{from} → {to}: {measurements} measurements, {evaluations} evaluations of searches; new there: {functions} \
         functions, {devices} devices, {inputs} inputs{code}"
    )
}
