//! What the page says, in one line a function.

use super::data::{FunctionReport, HeldOut, Score};
use super::html::{Escaped, Percent, function_link};

pub(super) fn section(functions: &[FunctionReport]) -> String {
    let lines: String = functions.iter().filter_map(line).collect();
    if lines.is_empty() {
        return String::new();
    }
    format!(
        "<section>\n<h2>What it says</h2>\n<p>Choices in percent of exhaustive search: 100 is the best variant every time.</p>\n\
         <ul class=\"verdicts\">\n{lines}</ul>\n</section>\n"
    )
}

fn line(function: &FunctionReport) -> Option<String> {
    let text = match function.scores.as_slice() {
        [] => unseen(function.held_out.as_ref()?, function)?,
        scores => here(scores)?,
    };
    Some(format!("<li>{}: {text}</li>\n", function_link(&function.name)))
}

/// Of devices left out.
fn unseen(held_out: &HeldOut, function: &FunctionReport) -> Option<String> {
    let mean = |selector| {
        let figures = held_out.of(selector);
        (!figures.is_empty()).then(|| figures.iter().sum::<f64>() / figures.len() as f64)
    };
    let worst = held_out.of("auto").into_iter().fold(f64::INFINITY, f64::min);
    let devices = held_out.devices.len();
    let (auto, worst) = (Percent(mean("auto")?), Percent(worst));
    let mut text = format!("<strong>{auto}</strong> on {devices} unseen devices (worst {worst})");
    for (selector, words) in [("static", "one variant for all"), ("target-trained", "trained there")] {
        if let Some(mean) = mean(selector) {
            text += &format!(", {words} {}", Percent(mean));
        }
    }
    if let Some(sensitivity) = &function.sensitivity {
        text += &format!("; the best differs on {:.0}&nbsp;%", 100.0 * sensitivity.best_differs);
    }
    Some(text + ".")
}

/// Of the machine that was measured.
fn here(scores: &[Score]) -> Option<String> {
    let own = scores.iter().find(|score| score.highlighted)?;
    let others = scores.iter().filter(|score| !score.highlighted);
    let others: String =
        others.map(|score| format!(", {} {}", Escaped(&score.selector), Percent(score.mean))).collect();
    Some(format!("<strong>{}</strong> {}{others}.", Percent(own.mean), Escaped(&own.selector)))
}
