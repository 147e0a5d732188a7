//! What became of the candidates.

use maud::{Markup, html};
use nitro_page::{Percent, plural};

use crate::history::Counts;
use crate::{Evolved, Spent};

/// What became of some of them: in short, in words, and the style of its color.
type Outcome<'a> = (&'a str, &'static str, usize);

pub(super) fn section(evolved: &Evolved) -> Markup {
    let parts: Vec<(Outcome<'_>, usize)> =
        parts(&evolved.history.counts).into_iter().filter(|(_, count)| *count > 0).collect();
    let total: usize = parts.iter().map(|(_, count)| count).sum();
    let share = |count: usize| count as f64 / total.max(1) as f64;
    html! {
        @if total > 0 {
            section {
                h2 { "What became of the candidates" }
                div.stacks.whole aria-hidden="true" {
                    div.stack { div {
                        @for ((name, _, style), count) in &parts {
                            span.{ "c" (style) } style={ "flex:" (count) } title={ (name) ": " (count) } { @if share(*count) >= 0.08 { (percent(share(*count))) } }
                        }
                    } }
                }
                ul.outcomes {
                    @for ((name, meaning, style), count) in &parts {
                        li { i.key.{ "c" (style) } aria-hidden="true" {} b { (name) } " " (plural(*count, "candidate")) ", " (percent(share(*count))) @if !meaning.is_empty() { ": " (meaning) } }
                    }
                }
                @if evolved.spent != Spent::default() { p { "Where the time went: " (evolved.spent) "." } }
            }
        }
    }
}

fn percent(share: f64) -> String {
    format!("{} %", Percent(share).to_string().trim_end_matches(".0"))
}

fn parts(counts: &Counts) -> Vec<(Outcome<'_>, usize)> {
    let ran = ("ran", "time and error are known", 6);
    let same = ("the same code", "as one that ran before, so that it did not run again", 4);
    let failed = counts.failed.iter().map(|(how, count)| (failure(how), *count));
    [(ran, counts.ran), (same, counts.same)].into_iter().chain(failed).collect()
}

fn failure(how: &str) -> Outcome<'_> {
    match how {
        "invalid" => ("invalid", "the edits cannot be made together", 1),
        "compile" => ("not assembled", "the assembler refuses it", 3),
        "launch" => ("not launched", "the device refuses it", 8),
        "wrong" => ("wrong", "results are no numbers, were not written, or differ by more than they may", 5),
        "timeout" => ("too long", "it was stopped", 7),
        "crash" => ("crashed", "it ended its process, and nothing else, or accessed what is not its own", 0),
        other => (other, "", 9),
    }
}
