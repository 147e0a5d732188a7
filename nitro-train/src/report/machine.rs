//! What the machine is like.

use super::data::{Quantity, ReportData};
use super::html::{Escaped, number};

pub(super) fn section(data: &ReportData) -> String {
    let features: String = data.machine_features.iter().map(feature).collect();
    let machine = Escaped(&data.machine);
    format!(
        "<section>\n<h2>Machine</h2>\n<p><code>{machine}</code></p>\n<dl class=\"machine\">\n{features}</dl>\n</section>\n"
    )
}

fn feature(feature: &Quantity) -> String {
    let (value, unit) = readable(feature);
    let unit = match unit {
        "" => String::new(),
        unit => format!(" <span class=\"unit\">{}</span>", Escaped(unit)),
    };
    format!("<div><dt>{}</dt><dd>{}{unit}</dd></div>\n", Escaped(&feature.name), number(value))
}

/// Bytes in the largest binary unit that leaves a value of at least one; everything else as it is.
fn readable(feature: &Quantity) -> (f64, &str) {
    if !matches!(feature.unit.as_str(), "B" | "byte" | "bytes") {
        return (feature.value, &feature.unit);
    }
    let units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let scaled = units.map(|(unit, shift)| (feature.value / f64::from(shift).exp2(), unit));
    scaled.into_iter().find(|(value, _)| value.abs() >= 1.0).unwrap_or((feature.value, "B"))
}
