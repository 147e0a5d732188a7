//! A nest as a page.

use maud::{Markup, html};
use nitro_page::{Drawing, changes, code_box, columns, compared, document, plural, wide};

use super::edges::{LoopOrder, loop_orders};
use super::occupancy::Occupancy;
use super::{Compiled, NestView, graph, tile, tree};
use crate::kernel::Integers;
use crate::lower::AnalysedNest;

/// Styles that only this page has.
const STYLE: &str = include_str!("style.css");

/// Returns all of a nest as a page.
pub(super) fn page(view: &NestView) -> String {
    let name = view.written.nest.name();
    let main = html! {
        h1 { code { (name) } ": what was done to its loops" }
        (summary(view))
        @if let Some(note) = &view.note { p { b { "Note: " } (note) } }
        h2 { "As it is written" }
        (code_box("nest", &view.written.nest.to_string()))
        h2 { "What depends on what" }
        p { "An arc goes from the statement that is first to the one that has to wait for it. Solid arcs carry "
            "values (flow); dashed ones only keep reads and writes of one element apart (anti, output). "
            "Distances are in iterations of the loops around both, outermost first." }
        (dependences(&view.written))
        @if let Some(changed) = &view.changed { (change(&view.written, changed)) }
        h2 { "What became of each loop" }
        p { "Loops of the grid are shared out over blocks, threads and the points of a thread; a thread repeats the "
            "others. What the host repeats is launched again each time." }
        (figure(&tree::drawing(view)))
        (tiles(view))
        h2 { "What the kernels take" }
        (resources(view))
        h2 { "The kernels" }
        p { "What each thread does, as data that is interpreted where there is no GPU, and as the text that a "
            "compiler gets." }
        details { summary { "As data" } (code_box("kernels", &view.program.to_string())) }
        details {
            summary { "CUDA C++, in integers of 32 bits" }
            (code_box("cuda", &view.program.cuda(Integers::Bits32)))
        }
    };
    document(&format!("{name}: what was done to its loops"), STYLE, &main)
}

fn summary(view: &NestView) -> Markup {
    let kernels = view.program.kernels.len();
    let statements = view.mapped().nest.statements().len();
    let changed = if view.changed.is_some() { "; changed before it was mapped" } else { "" };
    html! {
        p.lead {
            (plural(statements, "statement")) ", " (plural(view.mapped().dependences.all().len(), "dependence")) ", "
            (plural(kernels, "kernel")) (changed) "."
        }
    }
}

fn figure(drawing: &Drawing) -> Markup {
    html! { figure { (wide("", &drawing.title, &drawing.inline())) } }
}

fn dependences(input: &AnalysedNest) -> Markup {
    html! {
        @if input.dependences.all().is_empty() {
            p { "Nothing: all iterations may run at the same time." }
        } @else {
            (figure(&graph::drawing(input)))
        }
        (parallel(input))
    }
}

/// Lists which loops may run in parallel.
fn parallel(input: &AnalysedNest) -> Markup {
    html! {
        p { "So its loops may run, each with those around it in order:" }
        ul.parallel {
            @for LoopOrder { name, statements, is_parallel } in loop_orders(input) {
                li {
                    code { (name) } " around " (statements) ": "
                    @if is_parallel { b { "parallel" } } @else { "in order" }
                }
            }
        }
    }
}

fn change(written: &AnalysedNest, changed: &AnalysedNest) -> Markup {
    let (before, after) = (written.nest.to_string(), changed.nest.to_string());
    html! {
        h2 { "What was changed before it was mapped" }
        p { "Temporaries take away dependences that only come of memory being used again, loops none of which is "
            "parallel become wavefronts, and loops that touch the same elements are joined. The result is a nest "
            "again; what is new is marked." }
        (changes("changed nest", compared(&before, &after)))
        p {
            (plural(written.dependences.all().len(), "dependence")) " before, "
            (plural(changed.dependences.all().len(), "dependence")) " now:"
        }
        (dependences(changed))
    }
}

fn tiles(view: &NestView) -> Markup {
    // Kernels of one tiling have one picture.
    let mut tiles: Vec<(Drawing, Vec<&str>)> = Vec::new();
    for (kernel, name) in view.program.kernels.iter().map(|kernel| kernel.name.as_str()).enumerate() {
        let Some(drawing) = tile::drawing(view, kernel) else { continue };
        match tiles.iter_mut().find(|(other, _)| other.parts.0 == drawing.parts.0) {
            Some((_, names)) => names.push(name),
            None => tiles.push((drawing, vec![name])),
        }
    }
    html! {
        @if !tiles.is_empty() {
            h2 { "One block's tile" }
            p { "The values that one block covers, and which of them two of its threads have: along x a thread's "
                "points are apart, so that neighbouring threads touch neighbouring elements, or groups of them are, "
                "where a thread reads several elements at once." }
            div.tiles {
                @for (drawing, names) in &tiles {
                    figure {
                        figcaption { code { (names.join(", ")) } }
                        (wide("", &drawing.title, &drawing.inline()))
                    }
                }
            }
        }
    }
}

fn resources(view: &NestView) -> Markup {
    let (architecture, usages) = match &view.compiled {
        Compiled::For { architecture, usages } => (*architecture, usages),
        Compiled::Not(reason) => {
            return html! {
                p { "It was not compiled, so what it takes of registers and shared memory is not known." }
                @if let Some(reason) = reason { (code_box("why it was not compiled", reason)) }
            };
        }
    };
    html! {
        p { "Compiled for " code { "sm_" (architecture) } ". Occupancy is what share of a multiprocessor's threads is "
            "there at once, as far as the kernel's own resources decide." }
        (wide("", "resources", &html! {
            table.numbers.narrow {
                thead { tr {
                    (columns(&["kernel", "registers", "shared, bytes", "spilled, bytes"]))
                    th.text scope="col" { "occupancy" }
                } }
                tbody {
                    @for (kernel, usage) in view.program.kernels.iter().zip(usages) {
                        tr {
                            th scope="row" { code { (kernel.name) } }
                            @if let Some(usage) = usage {
                                td { (usage.registers) } td { (usage.static_shared_bytes) } td { (usage.spill_bytes) }
                                td.text { (occupancy(Occupancy::of(*usage, kernel.threads(), architecture))) }
                            } @else {
                                td.text colspan="4" { "the compiler does not say" }
                            }
                        }
                    }
                }
            }
        }))
    }
}

fn occupancy(known: Option<Occupancy>) -> String {
    known.map_or("not known for this architecture".to_owned(), |occupancy| occupancy.to_string())
}
