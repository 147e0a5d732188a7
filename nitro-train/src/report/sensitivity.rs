//! How much the best variant depends on the device (Muralidharan et al., ASPLOS 2016, Figures 4 and 5).

use super::data::{DeviceSensitivity, FunctionReport};
use super::html::{Percent, function_link, wide, width};
use super::matrix::{Style, table};

/// All functions side by side.
pub(super) fn section(functions: &[FunctionReport]) -> String {
    let rows: String = functions
        .iter()
        .filter_map(|function| Some(row(&function.name, function.sensitivity.as_ref()?)))
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let open = wide("bars", "How much hangs on the device");
    format!(
        "<section>\n<h2>How much hangs on the device</h2>\n<p>Share of the test inputs whose best variant is not the same on all \
         devices, and of those for which no single variant comes within 5&nbsp;% of the best on all of them.</p>\n{open}\
         <table class=\"numbers shares\">\n<thead><tr><th scope=\"col\">function</th><th scope=\"col\">best differs, %</th>\
         <td class=\"bar-head\" aria-hidden=\"true\"><span>0</span><span>50</span><span>100</span></td>\
         <th scope=\"col\">none is near, %</th><th scope=\"col\">test inputs</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\
         </div>\n</section>\n"
    )
}

fn row(name: &str, sensitivity: &DeviceSensitivity) -> String {
    format!(
        "<tr style=\"--share:{width}%;--inner:{inner}%\"><th scope=\"row\">{link}</th><td>{differs}</td>\
         <td class=\"bar\" aria-hidden=\"true\"><span><i></i></span></td><td>{apart}</td><td>{inputs}</td></tr>\n",
        width = width(sensitivity.best_differs),
        inner = width(sensitivity.none_is_near / sensitivity.best_differs),
        link = function_link(name),
        differs = Percent(sensitivity.best_differs),
        apart = Percent(sensitivity.none_is_near),
        inputs = sensitivity.inputs,
    )
}

/// One function, devices two by two.
pub(super) fn part(sensitivity: &DeviceSensitivity) -> String {
    let style = Style {
        label: "Share of the test inputs whose best variant differs",
        corner: "best variant differs, %",
        class: "warm",
        range: (0.0, 1.0),
    };
    let pairs = match sensitivity.pairs.devices.len() {
        0 | 1 => String::new(),
        _ => table(&sensitivity.pairs, &style),
    };
    format!(
        "<h3>Sensitivity to the device</h3>\n<p>The best variant differs between the devices on {differs}&nbsp;% of {inputs} test \
         inputs; on {apart}&nbsp;% no variant is within 5&nbsp;% of the best everywhere. Below, two devices at a time; the stronger the \
         colour, the more often their best variants differ.</p>\n{pairs}",
        differs = Percent(sensitivity.best_differs),
        inputs = sensitivity.inputs,
        apart = Percent(sensitivity.none_is_near),
    )
}
