//! One self-contained HTML page about how well selectors choose.
//!
//! [`page`] turns plain numbers and names ([`ReportData`]) into a document without scripts, links or pictures to
//! load. It follows the reader's light or dark preference, prints, fits a telephone, and says in text what it shows
//! in colour.

mod budget;
mod chosen;
mod curve;
mod data;
mod device;
mod held_out;
mod html;
mod machine;
mod matrix;
mod overhead;
mod overview;
mod plot;
mod scores;
mod sensitivity;
mod strategies;
mod transfer;
mod verdict;
mod winners;

pub use self::data::{
    Benefit, Budget, Curve, DeviceSensitivity, FunctionReport, HeldOut, HeldOutDevice, Matrix, Overhead,
    Quantity, ReportData, Score, Winners,
};
use self::device::Labels;
pub use self::device::by_name;
use self::html::{Escaped, anchor};

/// The whole page.
pub fn page(data: &ReportData) -> String {
    let title = Escaped(&data.title);
    let overview = [
        verdict::section(&data.functions),
        overview::section(&data.functions, &data.glossary),
        sensitivity::section(&data.functions),
        overhead::section(&data.functions),
    ]
    .concat();
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
         <p class=\"facts\">{variants} variants, {training} training inputs, {test} test inputs{devices}</p>\n\
         {parts}</section>\n",
        id = anchor(&function.name),
        name = Escaped(&function.name),
        variants = function.winners.variants.len(),
        training = function.training_inputs,
        test = function.test_inputs,
        devices = devices(&function.winners),
        parts = parts(function),
    )
}

/// How many devices, and the machine where they are all parts of one: their names leave it out.
fn devices(winners: &Winners) -> String {
    let machine = Labels::new(winners.devices.iter().map(|(device, _)| device.as_str())).machine;
    let of = machine.map_or(String::new(), |machine| format!(" of <code>{}</code>", Escaped(machine)));
    match winners.devices.len() {
        0 => String::new(),
        1 => format!(", one device{of}"),
        count => format!(", {count} devices{of}"),
    }
}

/// One figure or table each, those without data empty.
fn parts(function: &FunctionReport) -> String {
    let held_out = |part: fn(&HeldOut) -> String| function.held_out.as_ref().map(part).unwrap_or_default();
    [
        scores::part(&function.scores),
        held_out(strategies::part),
        held_out(held_out::part),
        curve::part(&function.curves),
        transfer::part(&function.trained_on_run_on),
        function.sensitivity.as_ref().map(sensitivity::part).unwrap_or_default(),
        winners::part(&function.winners),
        held_out(chosen::part),
        function.overhead.as_ref().map(overhead::part).unwrap_or_default(),
        function.budget.as_ref().map(budget::part).unwrap_or_default(),
    ]
    .concat()
}

#[cfg(test)]
mod tests;
