//! Marks on one axis, a row each: how selectors compare, row by row. What is far below the others stands before the
//! axis, with its number.

use maud::{Markup, html};
use nitro_page::{Axis, Percent, mark};

/// A row of dots.
pub(super) struct Row {
    pub(super) label: Markup,
    /// The label as text, for readers who do not see the drawing.
    pub(super) name: String,
    /// The share of each selector; none where it does not apply.
    pub(super) shares: Vec<Option<f64>>,
}

/// A figure of rows: selectors by name and style, of which the first is what the page is about. The axis is made
/// for all but `outside`: a selector far below the others would press them together.
pub(super) struct Dots<'a> {
    pub(super) what: &'a str,
    pub(super) selectors: &'a [(String, usize)],
    pub(super) outside: Option<usize>,
    pub(super) rows: &'a [Row],
}

/// Returns the figure with a row of dots a device.
pub(super) fn figure(dots: &Dots<'_>) -> Markup {
    let axis = dots.axis();
    html! {
        figure.dots role="img" aria-label=(dots.label()) {
            figcaption { @for (name, style) in dots.selectors { span { (mark(*style)) (name) } } }
            @for row in dots.rows { (line(dots, row, &axis)) }
            div.dot.scale-row {
                span {} span {}
                div.scale { @for label in axis.percent_labels() { span { (label) } } }
                span {}
            }
        }
        (axis.note())
    }
}

impl Dots<'_> {
    fn axis(&self) -> Axis {
        let shares = self.rows.iter().flat_map(|row| row.shares.iter().enumerate());
        Axis::of_shares(shares.filter(|(at, _)| Some(*at) != self.outside).filter_map(|(_, share)| *share))
    }

    fn label(&self) -> String {
        let mut rows = Vec::new();
        for row in self.rows {
            let known = self.selectors.iter().zip(&row.shares);
            let words = known.filter_map(|((name, _), share)| Some(format!("{name} {}", Percent((*share)?))));
            rows.push(format!("{}: {}", row.name, words.collect::<Vec<_>>().join(", ")));
        }
        format!("{}: {}", self.what, rows.join("; "))
    }
}

/// Returns a row. The first selector's mark is drawn last, on top of the others.
fn line(dots: &Dots<'_>, row: &Row, axis: &Axis) -> Markup {
    let marks = dots.selectors.iter().zip(&row.shares).rev();
    let marks = marks.filter_map(|((name, style), share)| Some((name, *style, (*share)?)));
    let (inside, below): (Vec<_>, Vec<_>) = marks.partition(|(_, _, share)| axis.has(*share));
    html! {
        div.dot {
            span.dot-label { (row.label) }
            span.below {
                @for (name, style, share) in below {
                    span title=(name) { "◂\u{a0}" i.m.{ "m" (style) } {} (Percent(share)) }
                }
            }
            div.track {
                @for (name, style, share) in inside {
                    i.m.{ "m" (style) } style={ "left:" (axis.place(share)) "%" }
                        title={ (name) " " (Percent(share)) } {}
                }
            }
            span.dot-value { (row.shares.first().copied().flatten().map_or(Percent(f64::NAN), Percent)) }
        }
    }
}
