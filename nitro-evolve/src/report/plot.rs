//! Axes, and the frame of a plot: the browser stretches the drawing, and labels stand outside, so that text keeps
//! its size.

use maud::{Markup, html};

/// A plot's own units.
pub(super) const WIDTH: f64 = 1000.0;
pub(super) const HEIGHT: f64 = 400.0;

/// Labels and where they stand, in percent of the axis.
pub(super) type Labels = [(f64, String)];

/// Round numbers from one below all values to one above them, with few between.
pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
    step: f64,
}

impl Axis {
    /// Values have to be finite.
    pub(super) fn around(low: f64, high: f64) -> Self {
        const MOST_STEPS: f64 = 5.0;
        let span = (high - low).max(1e-3);
        let size = 10f64.powf((span / MOST_STEPS).log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * size);
        let step = steps.into_iter().find(|step| span / step <= MOST_STEPS).unwrap_or(10.0 * size);
        let (low, high) = ((low / step + 1e-9).floor() * step, (high / step - 1e-9).ceil() * step);
        Self { low, high: high.max(low + step), step }
    }

    /// In percent of the axis, at its ends for what lies beyond.
    pub(super) fn place(&self, value: f64) -> f64 {
        (100.0 * (value - self.low) / (self.high - self.low)).clamp(0.0, 100.0)
    }

    /// The round numbers.
    pub(super) fn ticks(&self) -> impl Iterator<Item = f64> + '_ {
        let count = ((self.high - self.low) / self.step).round() as usize;
        (0..=count).map(|at| self.low + self.step * at as f64)
    }
}

/// What is drawn, between its labels: the lowest of `y` is at the bottom.
pub(super) struct Frame<'a> {
    pub(super) class: &'a str,
    /// What a reader who does not see it hears.
    pub(super) label: String,
    pub(super) x: &'a Labels,
    pub(super) y: &'a Labels,
    /// Within the picture.
    pub(super) drawing: Markup,
    /// Above it.
    pub(super) marks: Markup,
    /// Right of it.
    pub(super) names: Markup,
}

impl Frame<'_> {
    pub(super) fn markup(&self) -> Markup {
        html! {
            div.plot.framed.(self.class) {
                div.heights aria-hidden="true" {
                    @for (place, label) in self.y { span style={ "top:" (format!("{:.1}", 100.0 - place)) "%" } { (label) } }
                }
                div.canvas {
                    svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img" aria-label=(self.label) {
                        path.grid d=(self.grid()) {}
                        (self.drawing)
                    }
                    (self.marks)
                }
                (self.names)
                div.x aria-hidden="true" {
                    @for (place, label) in self.x {
                        span.end[*place > 99.0] style={ "left:" (format!("{place:.1}")) "%" } { @for line in label.split('\n') { b { (line) } } }
                    }
                }
            }
        }
    }

    fn grid(&self) -> String {
        let across = self.y.iter().map(|(y, _)| format!("M0 {:.1}H{WIDTH}", HEIGHT * (1.0 - y / 100.0)));
        let down = self.x.iter().map(|(x, _)| format!("M{:.1} 0V{HEIGHT}", WIDTH * x / 100.0));
        across.chain(down).collect()
    }
}

/// A line through points in percent, in the plot's own units.
pub(super) fn path(points: &[(f64, f64)]) -> String {
    let step = |(at, (x, y)): (usize, &(f64, f64))| {
        let command = if at == 0 { 'M' } else { 'L' };
        format!("{command}{:.1} {:.1}", WIDTH * x / 100.0, HEIGHT * (1.0 - y / 100.0))
    };
    points.iter().enumerate().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_few_round_numbers_around_its_values() {
        let axis = Axis::around(1.0, 1.37);
        assert_eq!(
            axis.ticks().map(|tick| format!("{tick:.1}")).collect::<Vec<_>>(),
            ["1.0", "1.1", "1.2", "1.3", "1.4"]
        );
        assert_eq!([axis.place(1.2).round(), axis.place(9.0), axis.place(0.0)], [50.0, 100.0, 0.0]);
        let one = Axis::around(1.0, 1.0);
        assert!(one.high > one.low && one.ticks().count() >= 2);
        assert_eq!(path(&[(0.0, 0.0), (50.0, 100.0)]), "M0.0 400.0L500.0 0.0");
    }
}
