//! The features of this machine.

use maud::{Markup, html};
use nitro_page::number;

use super::data::{Quantity, ReportData};

/// Returns the section about the machine that made the page.
pub(super) fn section(data: &ReportData) -> Markup {
    html! {
        section {
            h2 { "This machine" }
            p { "The page was made on " code { (data.machine) } "." }
            dl.machine { @for quantity in &data.machine_features { (feature(quantity)) } }
        }
    }
}

fn feature(feature: &Quantity) -> Markup {
    let (value, unit) = readable(feature.value, &feature.unit);
    html! {
        div {
            dt { (feature.name) }
            dd {
                (number(value))
                @if !unit.is_empty() { " " span.unit { (unit) } }
            }
        }
    }
}

/// Returns bytes in the largest binary unit that leaves at least one, and everything else as it is.
pub(super) fn readable(value: f64, unit: &str) -> (f64, &str) {
    if !matches!(unit, "B" | "byte" | "bytes") {
        return (value, unit);
    }
    let units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let scaled = units.map(|(unit, shift)| (value / f64::from(shift).exp2(), unit));
    scaled.into_iter().find(|(value, _)| value.abs() >= 1.0).unwrap_or((value, "B"))
}
