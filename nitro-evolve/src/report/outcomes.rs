//! The fate of the candidates: by kind of failure, and by stage.

use maud::{Markup, html};
use nitro_page::{Percent, columns, plural, wide};

use super::words;
use crate::evolve::EvolveResult;
use crate::history::Counts;
use crate::time_breakdown::TimeBreakdown;

/// A kind of outcome: its name, its meaning, and the style of its color.
type Outcome<'a> = (&'a str, &'static str, usize);

/// Writes the section.
pub(super) fn section(evolved: &EvolveResult) -> Markup {
    let mut parts = parts(&evolved.history.counts);
    parts.retain(|(_, count)| *count > 0);
    let total: usize = parts.iter().map(|(_, count)| count).sum();
    let shares: Vec<f64> = parts.iter().map(|(_, count)| *count as f64 / total.max(1) as f64).collect();
    html! {
        @if total > 0 {
            section {
                h2 { "What became of the candidates" }
                div.stacks.whole aria-hidden="true" {
                    div.stack { div {
                        @for (((name, _, style), count), share) in parts.iter().zip(&shares) {
                            span.{ "c" (style) } style={ "flex:" (count) } title={ (name) ": " (count) } {
                                @if *share >= 0.08 { (percent(*share)) }
                            }
                        }
                    } }
                }
                ul.outcomes {
                    @for (((name, meaning, style), count), share) in parts.iter().zip(&shares) {
                        li {
                            i.key.{ "c" (style) } aria-hidden="true" {} b { (name) }
                            " " (plural(*count, "candidate")) ", " (percent(*share))
                            @if !meaning.is_empty() { ": " (meaning) }
                        }
                    }
                }
                @if evolved.time.has_candidates() { (stages(&evolved.time)) }
            }
        }
    }
}

/// Writes the stages in their order, with their candidates and their time.
fn stages(time: &TimeBreakdown) -> Markup {
    let table = html! {
        table.numbers {
            thead { tr { (columns(&["stage", "it passes if", "came", "refused", "time"])) } }
            tbody {
                @for stage in time.stages.iter().filter(|stage| stage.came > 0) {
                    tr {
                        th scope="row" { (stage.about.name) } td.text { (stage.about.demand) }
                        td { (stage.came) } td { (stage.refused) }
                        td { (words::duration(stage.time.as_secs_f64())) }
                    }
                }
            }
        }
    };
    html! {
        h3 { "The stages" }
        p {
            "A candidate goes through them in this order. Numbers are of this session, times of all cores or devices "
            "together."
        }
        (wide("", "the stages of acceptance", &table))
        p { "Where the time went: " (time) "." }
    }
}

/// Writes a share in percent.
fn percent(share: f64) -> String {
    format!("{} %", Percent(share).to_string().trim_end_matches(".0"))
}

/// Counts the candidates of each kind.
fn parts(counts: &Counts) -> Vec<(Outcome<'_>, usize)> {
    let ran = ("ran", "time and error are known", 6);
    let same = ("the same code", "as one that ran before, so that it did not run again", 4);
    let failed = counts.failed.iter().map(|(how, count)| (failure(how), *count));
    [(ran, counts.ran), (same, counts.same)].into_iter().chain(failed).collect()
}

/// Returns the kind of a failure.
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
