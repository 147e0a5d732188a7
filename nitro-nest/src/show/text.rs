//! A nest as text.

use std::fmt::Write;

use nitro_page::compared;

use super::edges::{Edge, Freedom, Part, edges, freedoms};
use super::occupancy::Occupancy;
use super::{Compiled, NestView, Stage, tree};
use crate::kernel::Integers;

/// All of it.
pub fn text(view: &NestView) -> String {
    let mut text = String::new();
    let mut add = |title: &str, content: &str| {
        writeln!(text, "{title}\n{}\n\n{}\n", "=".repeat(title.chars().count()), content.trim_end())
            .expect("a string takes everything");
    };
    if let Some(note) = &view.note {
        add("Note", note);
    }
    add("The nest as it is written", &view.written.nest.to_string());
    add("Its dependences", &dependences(&view.written));
    if let Some(changed) = &view.changed {
        add("What was changed before it is mapped", &changes(&view.written, changed));
        add("The dependences of that", &dependences(changed));
    }
    add("What became of the loops", &tree::text(view));
    add("The kernels", &view.program.to_string());
    add("What they take of a multiprocessor", &resources(view));
    add("CUDA C++, in integers of 32 bits", &view.program.cuda(Integers::Bits32));
    text
}

fn dependences(stage: &Stage) -> String {
    let edges = edges(stage);
    if edges.is_empty() {
        return "None: all iterations may run at the same time.".to_owned();
    }
    let line = |edge: &Edge<'_>, part: &Part<'_>| {
        format!("S{} → S{} by {}, {}: {}\n", edge.source, edge.sink, part.array, part.carrier(), part.kinds())
    };
    let freedom = |Freedom { name, statements, is_parallel }: Freedom<'_>| {
        let is = if is_parallel { "parallel" } else { "in order" };
        format!("loop {name} around {statements}: {is}\n")
    };
    let lines: String =
        edges.iter().flat_map(|edge| edge.parts.iter().map(move |part| line(edge, part))).collect();
    lines + "\n" + &freedoms(stage).into_iter().map(freedom).collect::<String>()
}

fn changes(written: &Stage, changed: &Stage) -> String {
    let (before, after) = (written.nest.to_string(), changed.nest.to_string());
    compared(&before, &after).iter().map(|line| format!("{line}\n")).collect()
}

fn resources(view: &NestView) -> String {
    let (architecture, usages) = match &view.compiled {
        Compiled::For { architecture, usages } => (*architecture, usages),
        Compiled::Not(None) => return "It was not compiled.".to_owned(),
        Compiled::Not(Some(reason)) => return format!("It was not compiled: {reason}"),
    };
    let mut text = String::new();
    for (kernel, usage) in view.program.kernels.iter().zip(usages) {
        let says = usage.map_or("the compiler does not say".to_owned(), |usage| {
            let occupancy = Occupancy::of(usage, kernel.threads(), architecture);
            let occupancy = occupancy.map_or(String::new(), |occupancy| format!(", occupancy {occupancy}"));
            format!(
                "{} registers a thread, {} bytes of shared memory a block, {} bytes spilled{occupancy}",
                usage.registers, usage.static_shared_bytes, usage.spill_bytes
            )
        });
        writeln!(text, "{} on sm_{architecture}: {says}", kernel.name).expect("a string takes everything");
    }
    text
}
