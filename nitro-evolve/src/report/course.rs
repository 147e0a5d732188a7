//! How fast the best was, generation by generation.

use maud::{Markup, html};
use nitro_page::{Axis, Plot, Series, Tick, number};

use super::{original_ns, thin, words};
use crate::Evolved;
use crate::history::Moment;

/// More points than pixels show nothing more.
const MOST_POINTS: usize = 240;

pub(super) fn section(evolved: &Evolved) -> Markup {
    let moments = thin::last_of_each(&evolved.history.moments, MOST_POINTS);
    let Some(original_ns) = original_ns(evolved).filter(|_| !moments.is_empty()) else {
        return html! {};
    };
    let lines = lines(evolved, &moments, original_ns);
    html! {
        section {
            h2 { "The course" }
            p { "How many times as fast as the original the best so far was after each generation, with the inputs of the search. The fastest of many runs was lucky too; what is left of that with other inputs stands with each patch." }
            (plot(&moments, &lines))
        }
    }
}

/// A name, the style of its line, and what it comes to at each moment; none where nothing had run.
struct Line {
    name: String,
    style: usize,
    values: Vec<Option<f64>>,
}

fn lines(evolved: &Evolved, moments: &[&Moment], original_ns: f64) -> Vec<Line> {
    let line = |name: String, style, of: fn(&Moment) -> f64| {
        let value = |moment: &&Moment| {
            Some(original_ns / of(moment)).filter(|value| value.is_finite() && *value > 0.0)
        };
        Line { name, style, values: moments.iter().map(value).collect() }
    };
    let exact = line("exact".to_owned(), 0, |moment| moment.best_exact_ns);
    let allowed = line(words::allowed(evolved.max_error), 4, |moment| moment.best_ns);
    if evolved.max_error > 0.0 { vec![exact, allowed] } else { vec![exact] }
}

fn plot(moments: &[&Moment], lines: &[Line]) -> Markup {
    let values = || lines.iter().flat_map(|line| line.values.iter().copied().flatten());
    let axis = Axis::around(values().fold(1.0, f64::min), values().fold(1.05, f64::max));
    let last = moments.last().map_or(0, |moment| moment.generation).max(1) as f64;
    let x = |moment: &Moment| 100.0 * moment.generation as f64 / last;
    let x_ticks: Vec<Tick> = marked(moments).into_iter().map(|moment| (x(moment), stamp(moment))).collect();
    let y_ticks: Vec<Tick> =
        axis.ticks().into_iter().map(|tick| (axis.place(tick), words::times(tick))).collect();
    let mut series = Vec::new();
    for line in lines {
        let points = steps(moments, line, &axis, x);
        series.push(Series { name: &line.name, style: line.style, points, ..Series::default() });
    }
    let (class, label) = ("course", label(moments, lines));
    Plot { class, label, x: &x_ticks, y: &y_ticks, series: &series, ..Plot::default() }.figure()
}

/// A best that is known stays until there is a better one.
fn steps(moments: &[&Moment], line: &Line, axis: &Axis, x: impl Fn(&Moment) -> f64) -> Vec<(f64, f64)> {
    let known = moments
        .iter()
        .zip(&line.values)
        .filter_map(|(moment, value)| Some((x(moment), axis.place((*value)?))));
    let mut steps: Vec<(f64, f64)> = Vec::new();
    for (x, y) in known {
        let before = steps.last().map(|(_, before)| (x, *before));
        steps.extend(before.into_iter().chain([(x, y)]));
    }
    steps
}

impl Line {
    fn end(&self) -> Option<f64> {
        self.values.iter().rev().find_map(|value| *value)
    }
}

/// Four moments, the first and the last among them.
fn marked<'a>(moments: &[&'a Moment]) -> Vec<&'a Moment> {
    let last = moments.len().saturating_sub(1);
    let mut at = [0, last / 3, 2 * last / 3, last].to_vec();
    at.dedup();
    at.into_iter().filter_map(|at| moments.get(at).copied()).collect()
}

fn stamp(moment: &Moment) -> String {
    let Moment { generation, seconds, trials, .. } = moment;
    format!("gen. {generation}\n{} tried\n{}", number(*trials as f64), words::duration(*seconds))
}

fn label(moments: &[&Moment], lines: &[Line]) -> String {
    let end = |line: &Line| {
        format!("{}: {} times as fast", line.name, line.end().map_or("–".to_owned(), words::times))
    };
    let last = moments.last().map_or(0, |moment| moment.generation);
    format!("The best after generation {last}: {}", lines.iter().map(end).collect::<Vec<_>>().join("; "))
}
