//! A nest as text.

use std::fmt::Write;

use nitro_page::compared;

use super::edges::{LoopOrder, edges, loop_orders};
use super::occupancy::Occupancy;
use super::{Compiled, NestView, tree};
use crate::kernel::Integers;
use crate::lower::AnalysedNest;

/// Returns all of a nest as text.
pub(super) fn text(view: &NestView) -> String {
    let mut sections = Vec::new();
    if let Some(note) = &view.note {
        sections.push(("Note", note.clone()));
    }
    sections.push(("The nest as it is written", view.written.nest.to_string()));
    sections.push(("Its dependences", dependences(&view.written)));
    if let Some(changed) = &view.changed {
        sections.push(("What was changed before it is mapped", changes(&view.written, changed)));
        sections.push(("The dependences of that", dependences(changed)));
    }
    sections.push(("What became of the loops", tree::text(view)));
    sections.push(("The kernels", view.program.to_string()));
    sections.push(("What they take of a multiprocessor", resources(view)));
    sections.push(("CUDA C++, in integers of 32 bits", view.program.cuda(Integers::Bits32)));
    let mut text = String::new();
    for (title, content) in sections {
        writeln!(text, "{title}\n{}\n\n{}\n", "=".repeat(title.chars().count()), content.trim_end())
            .expect("a string takes everything");
    }
    text
}

fn dependences(input: &AnalysedNest) -> String {
    let edges = edges(input);
    if edges.is_empty() {
        return "None: all iterations may run at the same time.".to_owned();
    }
    let mut text = String::new();
    for edge in &edges {
        for part in &edge.parts {
            let (source, sink, carrier) = (edge.source, edge.sink, part.carrier());
            text += &format!("S{source} → S{sink} by {}, {carrier}: {}\n", part.array, part.kinds());
        }
    }
    text.push('\n');
    for LoopOrder { name, statements, is_parallel } in loop_orders(input) {
        let is = if is_parallel { "parallel" } else { "in order" };
        text += &format!("loop {name} around {statements}: {is}\n");
    }
    text
}

fn changes(written: &AnalysedNest, changed: &AnalysedNest) -> String {
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
        text += &format!("{} on sm_{architecture}: ", kernel.name);
        let Some(usage) = usage else {
            text += "the compiler does not say\n";
            continue;
        };
        text += &format!(
            "{} registers a thread, {} bytes of shared memory a block, {} bytes spilled",
            usage.registers, usage.static_shared_bytes, usage.spill_bytes
        );
        if let Some(occupancy) = Occupancy::of(*usage, kernel.threads(), architecture) {
            text += &format!(", occupancy {occupancy}");
        }
        text.push('\n');
    }
    text
}
