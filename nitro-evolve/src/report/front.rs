//! Time and error of all candidates that ran, with the front and the findings.

use maud::{Markup, html};
use nitro_page::{HEIGHT, Plot, Series, WIDTH, columns, on_demand, plural, wide};
use nitro_search::evolve::Fitness;

use super::scales::{EDGE, Scales};
use super::times::original_ns;
use super::{thin, words};
use crate::evolve::EvolveResult;

/// The columns and rows of spots into which a plot is divided.
const SPOTS: (f64, f64) = (160.0, 60.0);
/// The most rows of the front on the page; more are in the data.
const MOST_ROWS: usize = 60;
/// The most steps of the front on the page.
const MOST_STEPS: usize = 400;

/// Writes the section.
pub(super) fn section(evolved: &EvolveResult) -> Markup {
    let Some(original_ns) = original_ns(evolved).filter(|_| !evolved.history.tried.is_empty()) else {
        return html! {};
    };
    let scales = Scales::new(evolved, original_ns);
    html! {
        section {
            h2 { "Time and error" }
            p {
                "A dot is a candidate that ran, with the inputs of the search: the further to the left, the faster; "
                "the higher, the further from the original's results. "
                @if scales.decades.is_some() { "Those in the lowest lane are exact, later ones higher. " }
                @else { "All that ran were exact; later ones stand higher. " }
                "Better than the line nothing was found."
            }
            figure.curve { (legend(evolved)) (scales.frame(evolved)) (x_title(&scales)) }
            (on_demand("The line in numbers", &table(&evolved.front, original_ns)))
        }
    }
}

impl Scales {
    /// Draws the candidates and the front.
    fn frame(&self, evolved: &EvolveResult) -> Markup {
        let front = Series { points: self.steps(&evolved.front), ..Series::default() };
        Plot {
            class: if self.decades.is_some() { "front" } else { "front flat" },
            label: self.label(evolved),
            x: &self.x_labels(),
            y: &self.y_labels(),
            behind: html! {
                rect.lane x=(EDGE / 100.0 * WIDTH) y="0" width=((100.0 - EDGE) / 100.0 * WIDTH) height=(HEIGHT) {}
                rect.lane x="0" y=(self.lane_top()) width=(WIDTH) height=(HEIGHT - self.lane_top()) {}
                @for (size, dots) in (1..).zip(self.dots(evolved)) { path.tried.{ "tried-" (size) } d=(dots) {} }
                path.allowed d=(self.allowed(evolved.max_error)) {}
            },
            series: &[front],
            marks: self.marks(evolved),
        }
        .markup()
    }

    /// Draws spots with one candidate, with some, and with many.
    ///
    /// A point is a line of no length with round ends.
    fn dots(&self, evolved: &EvolveResult) -> [String; 3] {
        let tried = &evolved.history.tried;
        let last = tried.len().saturating_sub(1).max(1) as f64;
        let finite = tried.iter().enumerate().filter(|(_, tried)| tried.fitness.error.is_finite());
        let points = finite.map(|(at, tried)| {
            let Fitness { time_ns, error } = tried.fitness;
            (self.x(time_ns), self.y(error, at as f64 / last))
        });
        let mut dots = [const { String::new() }; 3];
        for (x, y, count) in thin::spots(points, SPOTS) {
            let size = usize::from(count > 1) + usize::from(count >= 10);
            dots[size] += &format!("M{:.0} {:.0}h0", WIDTH * x / 100.0, HEIGHT * (1.0 - y / 100.0));
        }
        dots
    }

    /// Returns the points of the front, from above the most exact to the right of the fastest.
    fn steps(&self, front: &[(Fitness, usize)]) -> Vec<(f64, f64)> {
        let mut steps: Vec<(f64, f64)> = Vec::new();
        for (Fitness { time_ns, error }, _) in thinned(front, MOST_STEPS) {
            if !time_ns.is_finite() || !error.is_finite() {
                continue;
            }
            let (x, y) = (self.x(*time_ns), self.y(*error, 0.0));
            // What is exact is so from the bottom of its lane on.
            steps.push((steps.last().map_or(100.0, |step| step.0), if *error == 0.0 { 0.0 } else { y }));
            steps.push((x, if *error == 0.0 { 0.0 } else { y }));
        }
        let top = steps.last().map(|step| (step.0, 100.0));
        steps.extend(top);
        steps
    }

    /// Draws the line of the allowed error.
    fn allowed(&self, max_error: f64) -> String {
        match self.decades {
            Some(_) if max_error > 0.0 && max_error.is_finite() => {
                format!("M0 {:.1}H{WIDTH}", HEIGHT * (1.0 - self.y(max_error, 0.0) / 100.0))
            }
            _ => String::new(),
        }
    }

    /// Marks the patches where the search saw them; several of one candidate share a mark.
    fn marks(&self, evolved: &EvolveResult) -> Markup {
        let mut marks: Vec<(Fitness, Vec<usize>)> = Vec::new();
        for (number, finding) in (1..).zip(&evolved.findings) {
            match marks.iter_mut().find(|(fitness, _)| *fitness == finding.search) {
                Some((_, numbers)) => numbers.push(number),
                None => marks.push((finding.search, vec![number])),
            }
        }
        marks.retain(|(fitness, _)| fitness.time_ns.is_finite() && !fitness.error.is_nan());
        html! {
            @for (fitness, numbers) in &marks {
                @let (left, top) = (self.x(fitness.time_ns), 100.0 - self.y(fitness.error, 0.5));
                @let joined = numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
                @let text = words::fitness(fitness, self.original_ns);
                a.spot href={ "#patch-" (numbers[0]) } style=(format!("left:{left:.1}%;top:{top:.1}%"))
                    aria-label={ "patch " (joined) ": " (text) } title=(text) { (joined) }
            }
        }
    }

    /// Describes the plot for a reader who does not see it.
    fn label(&self, evolved: &EvolveResult) -> String {
        let best = evolved.front.iter().take(8);
        let front: Vec<String> = best.map(|(fitness, _)| words::fitness(fitness, self.original_ns)).collect();
        format!(
            "Time and error of {} that ran; none better than: {}",
            plural(evolved.history.tried.len(), "candidate"),
            front.join("; ")
        )
    }
}

/// Writes the legend.
fn legend(evolved: &EvolveResult) -> Markup {
    html! {
        figcaption.legend {
            span { i.key-dot.small {} "one candidate" }
            span { i.key-dot {} "some" }
            span { i.key-dot.large {} "ten or more" }
            span { i.key-line {} "nothing is better" }
            @if evolved.max_error > 0.0 { span { i.key-line.dashed {} "error that is allowed" } }
            @if !evolved.findings.is_empty() {
                span { i.spot.key-spot { "1" } "a patch below, as the search saw it before it was made small" }
            }
        }
    }
}

/// Writes the title of the time axis.
fn x_title(scales: &Scales) -> Markup {
    html! {
        p.axis-note {
            "Time in percent of the original's"
            @if scales.time.low > 0.0 {
                "; the axis starts at " (format!("{:.0}", 100.0 * scales.time.low)) " %, not at 0"
            }
            @if scales.decades.is_some() { "; errors by their logarithm, those off the scale at its ends" }
            "."
        }
    }
}

/// Returns the most exact one, and so many of the others.
fn thinned(front: &[(Fitness, usize)], most: usize) -> impl Iterator<Item = &(Fitness, usize)> {
    let (first, others) = front.split_at(front.len().min(1));
    first.iter().chain(thin::last_of_each(others, most))
}

/// Writes the front in numbers.
fn table(front: &[(Fitness, usize)], original_ns: f64) -> Markup {
    let table = html! {
        table.numbers.narrow {
            thead { tr { (columns(&["error", "times as fast", "edits"])) } }
            tbody {
                @for (fitness, edits) in thinned(front, MOST_ROWS) {
                    tr {
                        th scope="row" { (words::error(fitness.error)) }
                        td { (words::times(original_ns / fitness.time_ns)) } td { (edits) }
                    }
                }
            }
        }
    };
    wide("", "the front in numbers", &table)
}
