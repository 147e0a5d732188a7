//! An explanation as text.

use std::io::{self, Write};

use nitro_store::printable::{list, number};

use super::{Change, Column, Comparison, Explanation, Nearest, NotTolerated, RankedVariant};
use crate::plain_table::Table;

impl Explanation {
    /// Writes it for a reader, in tables of at most so many columns. `stands_for` is the kind of device that this
    /// machine lacks, where a recorded one was taken for it; `is_recorded` whether anything of the function was
    /// recorded, without which no training input is near.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn print(
        &self,
        out: &mut dyn Write,
        stands_for: Option<&str>,
        is_recorded: bool,
        columns: usize,
    ) -> io::Result<()> {
        writeln!(out, "{:columns$}", head(self, stands_for))?;
        writeln!(out, "{:columns$}\n{:columns$}", features(self), ranking(self))?;
        reach(out, self)?;
        writeln!(out, "\n{}\n", outcome(self))?;
        print_changes(out, self, columns)?;
        match is_recorded {
            true => print_nearest(out, self, columns),
            false => writeln!(out, "\nThe training inputs are not in the store: --store names another"),
        }
    }
}

fn head(explanation: &Explanation, stands_for: Option<&str>) -> Table {
    let Explanation { function, device, strategy, sources, .. } = explanation;
    let assumed = stands_for.map_or_else(String::new, |kind| {
        format!(", assumed: it was recorded, and this machine has no {kind} device; --device names another")
    });
    let mut table = Table::new(["function", function]).ending_in_text();
    let as_eager = explanation.unknown_regime.map_or_else(String::new, |regime| {
        format!(", chosen for as for eager calls: the model knows no device in regime {regime}")
    });
    table.row(["device".to_owned(), format!("{device}{assumed}{as_eager}")]);
    table.row(["model".to_owned(), format!("{strategy}, learned from {}", list(sources))]);
    table
}

/// One row a feature: its value, scaled, and whether it lies outside of what was trained on.
fn features(explanation: &Explanation) -> Table {
    let mut table = Table::new(["feature", "value", "scaled", "trained on"]);
    let is_forest = estimates_speed(explanation);
    for column in &explanation.features {
        let scaled = column.scaled.map_or_else(String::new, |scaled| format!("{scaled:.2}"));
        let range = column.trained_on.map_or_else(String::new, |range| trained_on(column, range, is_forest));
        table.row([name(&column.name, column.is_of_device), number(column.value), scaled, range]);
    }
    table
}

fn name(feature: &str, is_of_device: bool) -> String {
    if is_of_device { format!("device: {feature}") } else { feature.to_owned() }
}

/// The training range, and what becomes of a value outside of it.
fn trained_on(column: &Column, [min, max]: [f64; 2], is_forest: bool) -> String {
    let range = format!("{} to {}", number(min), number(max));
    match (column.is_outside(), column.is_of_device && !is_forest) {
        (false, _) => range,
        (true, false) => format!("outside of {range}"),
        (true, true) => format!("outside of {range}, taken for its end"),
    }
}

/// As a forest does; a machine only compares.
fn estimates_speed(explanation: &Explanation) -> bool {
    explanation.ranking.iter().any(|place| place.expected_slowdown.is_some())
}

fn ranking(explanation: &Explanation) -> Table {
    let figure = if estimates_speed(explanation) { "expected slow-down" } else { "comparisons won" };
    let mut table = Table::new(["variant", figure, "constraint"]);
    for RankedVariant { variant, confidence, expected_slowdown, constraint, admitted, .. } in
        &explanation.ranking
    {
        let figure = match expected_slowdown {
            Some(slowdown) => format!("{slowdown:.2}"),
            None => format!("{:.0} %", confidence * 100.0),
        };
        let constraint = constraint.as_ref().map_or_else(String::new, |condition| match admitted {
            Some(true) => format!("`{condition}` admits it"),
            Some(false) => format!("`{condition}` forbids it"),
            None => format!("`{condition}` cannot be told from the given features"),
        });
        table.row([variant.clone(), figure, constraint]);
    }
    table
}

fn reach(out: &mut dyn Write, explanation: &Explanation) -> io::Result<()> {
    let Explanation { input_distance, device_distance, training_inputs, sources, .. } = explanation;
    let of_inputs = format!("from the {training_inputs} training inputs");
    print_distance(out, "input distance ", *input_distance, &of_inputs)?;
    let of_devices = format!("from the {} source devices", sources.len());
    print_distance(out, "device distance", *device_distance, &of_devices)?;
    match (explanation.margin, explanation.second()) {
        (Some(margin), Some(next)) => writeln!(out, "margin           {margin:.2} over `{next}`"),
        _ => Ok(()),
    }
}

fn print_distance(out: &mut dyn Write, name: &str, distance: Option<f64>, of: &str) -> io::Result<()> {
    match distance {
        Some(distance) => {
            let word = if distance > 1.0 { "far" } else { "near" };
            writeln!(out, "{name}  {distance:.2}, {word} (far is above 1) {of}")
        }
        None => writeln!(out, "{name}  not known: the model says nothing of distance {of}"),
    }
}

/// Says what is run.
fn outcome(explanation: &Explanation) -> String {
    let Some(choice) = &explanation.choice else {
        return "No variant that the model knows is admissible: the default is run".to_owned();
    };
    let mut text = format!("The first that its constraint admits is run: {choice}");
    let chosen = explanation.ranking.iter().find(|own| own.variant == *choice);
    if let Some(approximation) = chosen.and_then(|own| own.approximation) {
        text.push_str(&format!(", where the call accepts its error: {approximation}"));
        for NotTolerated { tolerance_below, variant } in &explanation.where_not_tolerated {
            let variant = variant.as_deref().unwrap_or("the default");
            text.push_str(&format!("\nIn calls with a tolerance below {tolerance_below}: {variant}"));
        }
    } else if explanation.is_conditional() {
        text.push_str(", unless its constraint, which asks for more than the given features, forbids it");
    }
    if let Some(comparisons) = &explanation.comparisons {
        text.push_str(&format!("\nA call knows it without the selector: {}", reasons(comparisons)));
    }
    if let Some(far) = explanation.far() {
        text.push_str(&format!("\nTake it with caution: {far}"));
    }
    text
}

/// Returns why a choice is known from comparisons alone.
fn reasons(comparisons: &[Comparison]) -> String {
    match comparisons {
        [] => "it holds for every input".to_owned(),
        _ => list(&comparisons.iter().map(ToString::to_string).collect::<Vec<_>>()),
    }
}

/// At most so many changes are shown.
const MOST_CHANGES: usize = 5;

fn print_changes(out: &mut dyn Write, explanation: &Explanation, columns: usize) -> io::Result<()> {
    let changes = &explanation.changes;
    if changes.is_empty() {
        return writeln!(out, "No feature alone changes the choice, within what was trained on");
    }
    writeln!(out, "What would change the choice, each feature alone, the smallest change first:")?;
    let mut table = Table::new(["feature", "from", "to", "then is run", "% of its range"]);
    for Change { feature, is_of_device, from, to, variant, share_of_range } in
        changes.iter().take(MOST_CHANGES)
    {
        let variant = variant.clone().unwrap_or_else(|| "the default".to_owned());
        let share = format!("{:.1}", 100.0 * share_of_range);
        table.row([name(feature, *is_of_device), number(*from), number(*to), variant, share]);
    }
    write!(out, "{table:columns$}")?;
    let others: Vec<String> = explanation
        .features
        .iter()
        .filter(|column| changes.iter().all(|change| change.feature != column.name))
        .map(|column| name(&column.name, column.is_of_device))
        .collect();
    match others.as_slice() {
        [] => Ok(()),
        others => {
            writeln!(out, "Nothing within what was trained on changes it by itself of: {}", others.join(", "))
        }
    }
}

fn print_nearest(out: &mut dyn Write, explanation: &Explanation, columns: usize) -> io::Result<()> {
    if explanation.nearest.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nThe nearest training inputs, and what was best there:")?;
    let choice = explanation.choice.as_deref().unwrap_or("the default");
    let gave = format!("{choice} gave, %");
    let mut table = Table::new(["input", "distance", "best", &gave, "best on", "on the device"]);
    for Nearest { input, distance, device, best, share_of_choice, same_devices, devices } in
        &explanation.nearest
    {
        let share = share_of_choice.map_or_else(|| "-".to_owned(), |share| format!("{:.0}", 100.0 * share));
        let agreement = format!("{same_devices} of {devices} devices");
        table.row([input.clone(), format!("{distance:.2}"), best.clone(), share, agreement, device.clone()]);
    }
    write!(out, "{table:columns$}")
}
