//! The leave-one-device-out table as a heat map, with the numbers in it.

use super::data::{HeldOut, HeldOutDevice};
use super::html::{Escaped, Percent, list, wide, width};

/// Shares up to here have no tint; the range above is what tells selectors apart.
const PALEST_SHARE: f64 = 0.6;

pub(super) fn part(held_out: &HeldOut) -> String {
    if held_out.devices.is_empty() {
        return String::new();
    }
    let head: String =
        held_out.selectors.iter().map(|name| format!("<th scope=\"col\">{}</th>", Escaped(name))).collect();
    let rows: String = held_out.devices.iter().map(row).collect();
    let open = wide("", "Leaving one device out");
    format!(
        "<h3>Leaving one device out</h3>\n<p>Each device in turn is unknown to the selectors: they learned on the \
         others. Share of exhaustive search in percent, mean over the test inputs; the stronger the colour, the closer to \
         100.</p>\n{open}<table class=\"numbers heat\">\n<thead><tr>\
         <th scope=\"col\">device left out</th>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n\
         <tfoot><tr><th scope=\"row\">mean</th>{means}</tr></tfoot>\n</table></div>\n{chosen}{sensitivity}",
        means = means(held_out),
        chosen = chosen(&held_out.devices),
        sensitivity = match held_out.sensitivity.as_str() {
            "" => String::new(),
            text => format!("<p>{}</p>\n", Escaped(text)),
        },
    )
}

fn cell(mean: Option<f64>) -> String {
    match mean {
        Some(mean) => {
            let tint = width((mean - PALEST_SHARE) / (1.0 - PALEST_SHARE)).round();
            format!("<td style=\"--tint:{tint}%\">{}</td>", Percent(mean))
        }
        None => "<td class=\"absent\">–</td>".to_owned(),
    }
}

fn row(device: &HeldOutDevice) -> String {
    let cells: String = device.means.iter().map(|&mean| cell(mean)).collect();
    format!("<tr><th scope=\"row\"><code>{}</code></th>{cells}</tr>\n", Escaped(&device.device))
}

/// Over the devices that a selector applies to.
fn means(held_out: &HeldOut) -> String {
    (0..held_out.selectors.len())
        .map(|column| {
            let rows = held_out.devices.iter();
            let known: Vec<f64> = rows.filter_map(|row| row.means.get(column).copied().flatten()).collect();
            cell((!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64))
        })
        .collect()
}

/// Which device features were chosen, in as few sentences as the devices allow.
fn chosen(devices: &[HeldOutDevice]) -> String {
    let mut groups: Vec<(&[String], Vec<&str>)> = Vec::new();
    for device in devices {
        let features = device.device_features.as_slice();
        match groups.iter_mut().find(|(known, _)| *known == features) {
            Some((_, names)) => names.push(&device.device),
            None => groups.push((features, vec![&device.device])),
        }
    }
    if groups.iter().all(|(features, _)| features.is_empty()) {
        return String::new();
    }
    let items: String = groups
        .iter()
        .map(|(features, names)| match features {
            [] => format!("<li>none without {}</li>\n", list(names)),
            features => format!("<li>{} without {}</li>\n", list(features), list(names)),
        })
        .collect();
    match groups.as_slice() {
        [(features, _)] => {
            format!("<p>Cross-validation chose {} for every device.</p>\n", list(features))
        }
        _ => format!("<p>Device features that cross-validation chose:</p>\n<ul>\n{items}</ul>\n"),
    }
}
