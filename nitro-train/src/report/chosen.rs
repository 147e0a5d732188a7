//! Which device features were chosen without each device (Muralidharan et al., ASPLOS 2016, Table 5).

use super::data::{HeldOut, HeldOutDevice};
use super::device::Labels;
use super::html::{Escaped, list, wide};

pub(super) fn part(held_out: &HeldOut) -> String {
    let columns = columns(held_out);
    if columns.is_empty() {
        return String::new();
    }
    let heads: String =
        columns.iter().map(|name| format!("<th scope=\"col\">{}</th>", Escaped(name))).collect();
    let labels = Labels::new(held_out.devices.iter().map(|device| device.device.as_str()));
    let rows: String = held_out.devices.iter().map(|device| row(device, &columns, &labels)).collect();
    let open = wide("", "Device features chosen");
    format!(
        "<h3>Device features chosen</h3>\n<p>What selectors took from the description of a device, chosen on the other devices \
         alone.</p>\n{open}<table class=\"chosen\">\n<thead><tr><th scope=\"col\">device left out</th>{heads}\
         <th scope=\"col\">auto is</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

/// Selectors that choose, in the order of first appearance.
fn columns(held_out: &HeldOut) -> Vec<&str> {
    let mut columns = Vec::new();
    for (selector, _) in held_out.devices.iter().flat_map(|device| &device.chosen) {
        if !columns.contains(&selector.as_str()) {
            columns.push(selector);
        }
    }
    columns
}

fn row(device: &HeldOutDevice, columns: &[&str], labels: &Labels<'_>) -> String {
    let cell = |column: &&str| match device.chosen.iter().find(|(selector, _)| selector == column) {
        None => "<td>–</td>".to_owned(),
        Some((_, features)) if features.is_empty() => "<td class=\"little\">none</td>".to_owned(),
        Some((_, features)) => format!("<td>{}</td>", list(features)),
    };
    let cells: String = columns.iter().map(cell).collect();
    let (label, auto) = (labels.of(&device.device), Escaped(&device.auto_is));
    format!("<tr><th scope=\"row\">{label}</th>{cells}<td>{auto}</td></tr>\n")
}
