//! The course: the best of each generation.

use maud::{Markup, html};
use nitro_page::{Axis, Plot, Series, Tick, number};

use super::times::original_ns;
use super::{thin, words};
use crate::evolve::EvolveResult;
use crate::history::Moment;

/// The most points; more than pixels show nothing more.
const MOST_POINTS: usize = 240;

/// Writes the section.
pub(super) fn section(evolved: &EvolveResult) -> Markup {
    let moments = thin::last_of_each(&evolved.history.moments, MOST_POINTS);
    let Some(original_ns) = original_ns(evolved).filter(|_| !moments.is_empty()) else {
        return html! {};
    };
    let lines = lines(evolved, &moments, original_ns);
    html! {
        section {
            h2 { "The course" }
            p {
                "How many times as fast as the original the best so far was after each generation, with the inputs of "
                "the search. The fastest of many runs was lucky too; what is left of that with other inputs stands "
                "with each patch."
            }
            (plot(&moments, &lines))
        }
    }
}

/// A line of the plot, with its value at each moment; none where nothing had run.
struct Line {
    name: String,
    style: usize,
    values: Vec<Option<f64>>,
}

/// Returns the lines of exact candidates, and of those with an allowed error.
fn lines(evolved: &EvolveResult, moments: &[&Moment], original_ns: f64) -> Vec<Line> {
    let exact = moments.iter().map(|moment| gain(original_ns, moment.best_exact_ns));
    let mut lines = vec![Line { name: "exact".to_owned(), style: 0, values: exact.collect() }];
    if evolved.max_error > 0.0 {
        let allowed = moments.iter().map(|moment| gain(original_ns, moment.best_ns));
        let name = words::allowed(evolved.max_error);
        lines.push(Line { name, style: 4, values: allowed.collect() });
    }
    lines
}

/// Returns how many times as fast a time is; none where that is not a positive number.
fn gain(original_ns: f64, time_ns: f64) -> Option<f64> {
    Some(original_ns / time_ns).filter(|gain| gain.is_finite() && *gain > 0.0)
}

/// Draws the lines.
fn plot(moments: &[&Moment], lines: &[Line]) -> Markup {
    let (mut least, mut most) = (1.0f64, 1.05f64);
    for value in lines.iter().flat_map(|line| line.values.iter().flatten()) {
        (least, most) = (least.min(*value), most.max(*value));
    }
    let axis = Axis::around(least, most);
    let last = moments.last().map_or(0, |moment| moment.generation).max(1);
    let x_ticks: Vec<Tick> =
        marked(moments).into_iter().map(|moment| (place(moment, last), stamp(moment))).collect();
    let y_ticks: Vec<Tick> =
        axis.ticks().into_iter().map(|tick| (axis.place(tick), words::times(tick))).collect();
    let mut series = Vec::new();
    for line in lines {
        let points = steps(moments, line, &axis, last);
        series.push(Series { name: &line.name, style: line.style, points, ..Series::default() });
    }
    let (class, label) = ("course", label(moments, lines));
    Plot { class, label, x: &x_ticks, y: &y_ticks, series: &series, ..Plot::default() }.figure()
}

/// Returns the place of a moment in percent of the generations.
fn place(moment: &Moment, last: usize) -> f64 {
    100.0 * moment.generation as f64 / last as f64
}

/// Returns the points of a line: a known best stays until there is a better one.
fn steps(moments: &[&Moment], line: &Line, axis: &Axis, last: usize) -> Vec<(f64, f64)> {
    let mut steps: Vec<(f64, f64)> = Vec::new();
    for (moment, value) in moments.iter().zip(&line.values) {
        let Some(value) = value else { continue };
        let x = place(moment, last);
        steps.extend(steps.last().map(|(_, before)| (x, *before)));
        steps.push((x, axis.place(*value)));
    }
    steps
}

impl Line {
    /// Returns the last known value.
    fn end(&self) -> Option<f64> {
        self.values.iter().rev().find_map(|value| *value)
    }
}

/// Chooses four moments, the first and the last among them.
fn marked<'a>(moments: &[&'a Moment]) -> Vec<&'a Moment> {
    let last = moments.len().saturating_sub(1);
    let mut at = [0, last / 3, 2 * last / 3, last].to_vec();
    at.dedup();
    at.into_iter().filter_map(|at| moments.get(at).copied()).collect()
}

/// Writes the label of a moment.
fn stamp(moment: &Moment) -> String {
    let Moment { generation, seconds, trials, .. } = moment;
    format!("gen. {generation}\n{} tried\n{}", number(*trials as f64), words::duration(*seconds))
}

/// Describes the plot for a reader who does not see it.
fn label(moments: &[&Moment], lines: &[Line]) -> String {
    let mut ends = Vec::new();
    for line in lines {
        let end = line.end().map_or("–".to_owned(), words::times);
        ends.push(format!("{}: {end} times as fast", line.name));
    }
    let last = moments.last().map_or(0, |moment| moment.generation);
    format!("The best after generation {last}: {}", ends.join("; "))
}
