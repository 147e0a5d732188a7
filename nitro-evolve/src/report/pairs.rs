//! Edits that bring more or less together than alone.

use maud::{Markup, html};
use nitro_page::{Percent, tint, wide};

use crate::finding::{Epistasis, Finding};

/// Larger ones are lists.
const MOST_COLUMNS: usize = 12;

pub(super) fn part(finding: &Finding) -> Markup {
    let (edits, pairs) = (finding.edits.len(), &finding.pairs);
    html! {
        @if !pairs.is_empty() {
            h3 { "Edits that depend on each other" }
            p { "What two bring together beyond what they bring alone, in percent of the original's time; nothing where that is no more than noise." }
            @if edits <= MOST_COLUMNS { (wide("", "pairs of edits", &matrix(finding))) } @else { (list(pairs)) }
        }
    }
}

fn matrix(finding: &Finding) -> Markup {
    let edits = || (0..).zip(&finding.edits);
    let most = finding
        .pairs
        .iter()
        .map(|pair| pair.more.abs())
        .filter(|more| more.is_finite())
        .fold(f64::MIN_POSITIVE, f64::max);
    let of = |one: usize, other: usize| {
        finding.pairs.iter().find(|pair| {
            (pair.first, pair.second) == (one, other) || (pair.second, pair.first) == (one, other)
        })
    };
    html! {
        table.numbers.heat.matrix.pairs {
            thead { tr {
                th scope="col" { "edit" }
                @for (_, edit) in edits() { th scope="col" title=(edit.edit) { span.unseen { (edit.edit) } } }
            } }
            tbody {
                @for (row, edit) in edits() {
                    tr {
                        th scope="row" { code { (first_line(&edit.edit)) } }
                        @for (column, _) in edits() { (cell(row == column, of(row, column), most)) }
                    }
                }
            }
        }
    }
}

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

fn list(pairs: &[Epistasis]) -> Markup {
    html! {
        ul { @for pair in pairs { li { "edits " (pair.first + 1) " and " (pair.second + 1) ": " (signed(pair.more)) " %" } } }
    }
}

fn signed(share: f64) -> String {
    let plus = if share > 0.0 { "+" } else { "" };
    format!("{plus}{}", Percent(share))
}

/// Repairs stand on lines of their own.
fn first_line(edit: &str) -> &str {
    edit.lines().next().unwrap_or_default()
}
