//! What a choice costs and what the input features bring (Muralidharan et al., ASPLOS 2016, Table 6).

use super::data::{Benefit, FunctionReport, Overhead};
use super::html::{Nanoseconds, Percent, function_link, name, number, wide, width};

/// All functions side by side.
pub(super) fn section(functions: &[FunctionReport]) -> String {
    let rows: String = functions
        .iter()
        .filter_map(|function| Some(row(&function.name, function.overhead.as_ref()?)))
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let open = wide("", "What a choice costs");
    format!(
        "<section>\n<h2>What a choice costs</h2>\n<p>Of the selector that would be shipped, medians over the devices left out. \
         A choice was timed on the machine that made this page, with the features given: what it costs to compute \
         the features is not recorded. The best variant’s time is the median of the recordings.</p>\n{open}\
         <table class=\"numbers\">\n<thead><tr><th scope=\"col\">function</th><th scope=\"col\">one choice</th>\
         <th scope=\"col\">best variant</th><th scope=\"col\">choice / variant, %</th><th scope=\"col\">support vectors or tree nodes</th>\
         <th scope=\"col\">model file</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n</section>\n"
    )
}

fn row(function: &str, overhead: &Overhead) -> String {
    let Overhead { model_bytes, parts, choosing_ns, best_variant_ns, .. } = *overhead;
    format!(
        "<tr><th scope=\"row\">{link}</th><td>{choice}</td><td>{variant}</td><td>{share}</td><td>{vectors}</td>\
         <td>{kibibytes} <span class=\"unit\">KiB</span></td></tr>\n",
        link = function_link(function),
        choice = Nanoseconds(choosing_ns),
        variant = Nanoseconds(best_variant_ns),
        share = number(100.0 * choosing_ns / best_variant_ns),
        vectors = parts.map_or("–".to_owned(), number),
        kibibytes = format_args!("{:.1}", model_bytes / 1024.0),
    )
}

/// The input features of one function, the most useful first.
pub(super) fn part(overhead: &Overhead) -> String {
    if overhead.benefits.is_empty() {
        return String::new();
    }
    let mut benefits: Vec<&Benefit> = overhead.benefits.iter().collect();
    benefits.sort_by(|a, b| b.drop.total_cmp(&a.drop));
    let most = benefits.first().map_or(0.0, |benefit| benefit.drop);
    let rows: String = benefits.iter().map(|benefit| feature(benefit, most)).collect();
    let open = wide("bars", "What the input features bring");
    format!(
        "<h3>What the input features bring</h3>\n<p>By how many points the selector that would be shipped falls behind when the \
         values of one feature are shuffled among the test inputs; mean over the devices left out. A feature near 0 could be \
         left out, one below 0 misleads.</p>\n{open}<table class=\"numbers shares benefits\">\n<thead><tr>\
         <th scope=\"col\">feature</th><th scope=\"col\">points</th><td class=\"bar-head\" aria-hidden=\"true\"></td></tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

/// The longest bar is the most useful feature's.
fn feature(benefit: &Benefit, most: f64) -> String {
    format!(
        "<tr style=\"--share:{width}%\"><th scope=\"row\">{name}</th><td>{points}</td>\
         <td class=\"bar\" aria-hidden=\"true\"><span></span></td></tr>\n",
        width = width(benefit.drop / most),
        name = name(&benefit.feature),
        points = Percent(benefit.drop),
    )
}
