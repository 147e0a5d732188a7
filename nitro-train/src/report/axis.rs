//! Axes of shares: they start where differences show, and say so.

use maud::{Markup, html};

use super::html::width;

/// From a round share below everything that is shown up to 100 %.
pub(super) struct Axis {
    floor: f64,
}

impl Axis {
    /// Below all of these; of none from 0.
    pub(super) fn below(shares: impl IntoIterator<Item = f64>) -> Self {
        const FLOORS: [f64; 8] = [0.99, 0.98, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5];
        let least = shares.into_iter().filter(|share| share.is_finite()).reduce(f64::min).unwrap_or(0.0);
        Self { floor: FLOORS.into_iter().find(|floor| *floor <= least).unwrap_or(0.0) }
    }

    /// Where a share lies, in percent of the axis; what is below it lies at its start.
    pub(super) fn place(&self, share: f64) -> f64 {
        width((share - self.floor) / (1.0 - self.floor))
    }

    pub(super) fn has(&self, share: f64) -> bool {
        share >= self.floor
    }

    /// Start, middle and end.
    pub(super) fn labels(&self) -> [String; 3] {
        let percent = |share: f64| {
            let text = format!("{:.1}", 100.0 * share);
            text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
        };
        [percent(self.floor), percent((1.0 + self.floor) / 2.0), "100 %".to_owned()]
    }

    /// What a reader has to know who takes lengths for values.
    pub(super) fn note(&self) -> Markup {
        html! {
            @if self.floor > 0.0 { p.axis-note { "The axis starts at " (format_args!("{:.0}", 100.0 * self.floor)) " %, not at 0." } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_starts_at_a_round_share_below_what_it_shows() {
        let axis = Axis::below([0.97, 0.83, f64::NAN]);
        assert_eq!(axis.labels(), ["80", "90", "100 %"]);
        assert_eq!((axis.place(0.8), axis.place(0.9), axis.place(0.1)), (0.0, 50.0, 0.0));
        assert!(axis.note().into_string().contains("starts at 80 %, not at 0"));
        assert_eq!(Axis::below([0.955]).labels(), ["95", "97.5", "100 %"]);
        assert_eq!(Axis::below([]).labels()[0], "0");
        assert_eq!(Axis::below([0.3]).note().into_string(), "", "an axis from 0 needs no word");
    }
}
