//! Edits that bring more or less together than alone.

use maud::{Markup, html};
use nitro_page::{Percent, tint, wide};

use crate::finding::{Epistasis, Finding};

/// The most columns of a matrix; more edits have a list.
const MOST_COLUMNS: usize = 12;

/// Writes the pairs of a finding.
pub(super) fn part(finding: &Finding) -> Markup {
    let (edits, pairs) = (finding.edits.len(), &finding.pairs);
    html! {
        @if !pairs.is_empty() {
            h3 { "Edits that depend on each other" }
            p {
                "What two bring together beyond what they bring alone, in percent of the original's time; nothing "
                "where that is no more than noise."
            }
            @if edits <= MOST_COLUMNS { (wide("", "pairs of edits", &matrix(finding))) } @else { (list(pairs)) }
        }
    }
}

/// Writes pairs as a matrix.
fn matrix(finding: &Finding) -> Markup {
    let Finding { edits, pairs, .. } = finding;
    let mut most = f64::MIN_POSITIVE;
    for pair in pairs.iter().filter(|pair| pair.more.is_finite()) {
        most = most.max(pair.more.abs());
    }
    html! {
        table.numbers.heat.matrix.pairs {
            thead { tr {
                th scope="col" { "edit" }
                @for edit in edits { th scope="col" title=(edit.edit) { span.unseen { (edit.edit) } } }
            } }
            tbody {
                @for (row, edit) in edits.iter().enumerate() {
                    tr {
                        th scope="row" { code { (first_line(&edit.edit)) } }
                        @for column in 0..edits.len() { (cell(row == column, pair(pairs, row, column), most)) }
                    }
                }
            }
        }
    }
}

/// Returns the pair of two edits, in either order.
fn pair(pairs: &[Epistasis], one: usize, other: usize) -> Option<&Epistasis> {
    let (first, second) = (one.min(other), one.max(other));
    pairs.iter().find(|pair| (pair.first, pair.second) == (first, second))
}

/// Writes a cell of the matrix.
fn cell(is_self: bool, pair: Option<&Epistasis>, most: f64) -> Markup {
    html! {
        @match pair {
            _ if is_self => td.absent { span.unseen { "itself" } },
            None => td { span.unseen { "nothing" } },
            Some(pair) => {
                td.less[pair.more < 0.0] style=(tint(pair.more.abs() / most)) { (signed(pair.more)) }
            }
        }
    }
}

/// Writes pairs as a list.
fn list(pairs: &[Epistasis]) -> Markup {
    html! {
        ul {
            @for pair in pairs {
                li { "edits " (pair.first + 1) " and " (pair.second + 1) ": " (signed(pair.more)) " %" }
            }
        }
    }
}

/// Writes a share in percent, with its sign.
fn signed(share: f64) -> String {
    let plus = if share > 0.0 { "+" } else { "" };
    format!("{plus}{}", Percent(share))
}

/// Returns an edit without its repairs, which stand on lines of their own.
fn first_line(edit: &str) -> &str {
    edit.lines().next().unwrap_or_default()
}
