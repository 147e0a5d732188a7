//! One self-contained HTML page about how well selectors choose.
//!
//! [`page`] turns plain numbers and names ([`ReportData`]) into a document without scripts, links or pictures to
//! load. It follows the reader's light or dark preference, prints, fits a telephone, and says in text what it shows
//! in colour.

mod curve;
mod data;
mod held_out;
mod html;
mod machine;
mod overview;
mod scores;
mod winners;

pub use self::data::{Curve, FunctionReport, HeldOut, HeldOutDevice, Quantity, ReportData, Score, Winners};
use self::html::{Escaped, anchor};

/// The whole page.
pub fn page(data: &ReportData) -> String {
    let title = Escaped(&data.title);
    let overview = overview::section(&data.functions);
    let machine = machine::section(data);
    let functions: String = data.functions.iter().map(function).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>\n{style}</style>\n</head>\n<body>\n<main>\n\
         <header>\n<h1>{title}</h1>\n<p class=\"lead\">{about}</p>\n</header>\n\
         {overview}{machine}{functions}\
         <footer><p>{footer}</p></footer>\n</main>\n</body>\n</html>\n",
        style = include_str!("style.css"),
        about = Escaped(&data.about),
        footer = Escaped(&data.footer),
    )
}

fn function(function: &FunctionReport) -> String {
    format!(
        "<section class=\"function\" id=\"{id}\">\n<h2><code>{name}</code></h2>\n\
         <p class=\"facts\">{variants} variants, {training} training inputs, {test} test inputs</p>\n\
         {scores}{curves}{held_out}{winners}</section>\n",
        id = anchor(&function.name),
        name = Escaped(&function.name),
        variants = function.winners.variants.len(),
        training = function.training_inputs,
        test = function.test_inputs,
        scores = scores::part(&function.scores),
        curves = curve::part(&function.curves),
        held_out = function.held_out.as_ref().map(held_out::part).unwrap_or_default(),
        winners = winners::part(&function.winners),
    )
}

#[cfg(test)]
mod tests;
