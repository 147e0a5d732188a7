//! A self-contained HTML page about how well selectors choose.
//!
//! [`page`] turns plain numbers and names ([`ReportData`]) into a document without scripts, links or pictures to
//! load. First what it says in words, then figures, last what the words mean; what few readers need is closed until
//! asked for. It follows the reader's light or dark preference, prints, fits a telephone, and says in text what it
//! shows in colour.

mod alike;
mod approximate;
pub(crate) mod assemble;
mod calibration;
mod chosen;
mod curve;
mod data;
mod device;
mod devices;
mod dots;
mod emitted;
mod floors;
mod glossary;
mod held_out;
mod html;
mod importance;
mod learning_curve;
mod machine;
mod matrix;
mod one_fewer;
mod overhead;
mod overview;
mod plot;
mod scores;
mod searches;
mod selection;
mod sensitivity;
mod series;
mod space_data;
mod space_map;
mod strategies;
mod transfer;
mod verdict;
mod winners;
mod worst;

use std::io;
use std::path::Path;

use maud::{Markup, html};
use nitro_core::files;
use nitro_page::{anchor, document};

pub use self::assemble::LocalResult;
pub(crate) use self::data::FunctionReport;
pub use self::data::ReportData;
use self::data::Winners;
use self::device::Labels;
pub(crate) use self::space_data::SpaceReport;

impl ReportData {
    /// Writes the [page](page()) to a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        files::replace(file, page(self).as_bytes())
    }
}

/// Returns the whole page.
pub fn page(data: &ReportData) -> String {
    document(&data.title, include_str!("style.css"), &body(data))
}

fn body(data: &ReportData) -> Markup {
    html! {
        header {
            h1 { (data.title) }
            p.lead { (data.about) }
        }
        (verdict::section(&data.functions))
        (overview::section(&data.functions))
        (sensitivity::section(&data.functions))
        @for function in &data.functions {
            section.function id=(anchor(&function.name)) { (section(function)) }
        }
        (devices::section(&data.devices))
        (machine::section(data))
        (overhead::section(&data.functions))
        (selection::section(&data.functions))
        (glossary::section(data))
        footer { p { (data.footer) } }
    }
}

/// Returns the figures and tables of a function, those without data empty.
fn section(function: &FunctionReport) -> Markup {
    let held_out = function.held_out.as_ref();
    html! {
        h2 { code { (function.name) } }
        p.facts { (facts(function)) }
        (verdict::line(function))
        (scores::part(&function.scores))
        @if let Some(held_out) = held_out { (held_out::part(held_out)) }
        (worst::part(&function.worst, held_out.map_or(1, |held_out| held_out.devices.len())))
        (curve::part(&function.curves))
        @if let Some(curve) = &function.calibration {
            (calibration::part(curve, held_out.and_then(|held_out| held_out.mean_of("target-trained"))))
        }
        (transfer::part(&function.trained_on_run_on, held_out))
        @if let Some(tables) = &function.one_fewer { (one_fewer::part(tables, held_out)) }
        @if let Some(sensitivity) = &function.sensitivity { (alike::part(sensitivity)) }
        (winners::part(&function.winners))
        (approximate::part(&function.approximate))
        (floors::part(&function.floors))
        (tuning(function))
        @if let Some(selection) = &function.selection { (selection::part(selection)) }
        @if let Some(held_out) = held_out { (chosen::part(held_out)) }
        @if let Some(overhead) = &function.overhead { (overhead::part(overhead)) }
        @if let Some(curve) = &function.learning_curve { (learning_curve::part(curve)) }
    }
}

/// Returns the parts about variants with tuning parameters.
fn tuning(function: &FunctionReport) -> Markup {
    let several = function.spaces.len() > 1;
    let first = function.spaces.iter().position(|space| !space.parameters.is_empty());
    html! {
        @for (index, space) in function.spaces.iter().enumerate() {
            @let of = several.then_some(space.variant.as_str());
            @let is_explained = first == Some(index) || space.sampled_of.is_some();
            (searches::part(space, of))
            (importance::part(space, of, is_explained))
            (space_map::part(space, of, is_explained))
        }
        @if let Some(emitted) = &function.emitted { (emitted::part(emitted)) }
    }
}

/// Counts variants, inputs and devices, and names the machine that all devices share: their own names leave it out.
fn facts(function: &FunctionReport) -> Markup {
    let Winners { variants, devices, .. } = &function.winners;
    let machine = Labels::new(devices.iter().map(|(device, _)| device.as_str())).machine;
    let configurations: usize = function.spaces.iter().map(|space| space.configurations).sum();
    html! {
        (variants.len()) @if variants.len() == 1 { " variant, " } @else { " variants, " }
        @if !function.spaces.is_empty() { (configurations) " configurations, " }
        (function.training_inputs) " training inputs, " (function.test_inputs) " test inputs"
        @match devices.len() {
            0 => {},
            1 => ", one device",
            count => { ", " (count) " devices" },
        }
        @if let Some(machine) = machine { " of " code { (machine) } }
        @match function.doubtful_times {
            0 => {},
            1 => "; one time was taken while others used the processors",
            count => { "; " (count) " times were taken while others used the processors" },
        }
    }
}

#[cfg(test)]
mod tests;
