//! A search by branch and bound: its tree by level, bounds against times, and what each term of the bound is good for.

use maud::{Markup, PreEscaped, html};
use nitro_page::{Drawing, LETTER, at, columns, document, short, text_at, wide};
use nitro_search::Tree;

use crate::{Counts, Problem, Statistics};

const OWN_STYLE: &str = include_str!("page.css");

/// Something whose time is known and has a lower limit.
///
/// ```
/// use nitro_decide::PointTime;
///
/// let point = PointTime { bound_ns: 30e3, time_ns: 41e3, limit: "sectors" };
/// assert!(point.bound_ns <= point.time_ns);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointTime {
    /// The bound of its time.
    pub bound_ns: f64,
    /// Its time.
    pub time_ns: f64,
    /// The limit that the bound names.
    pub limit: &'static str,
}

/// A search when a part of the bound was turned off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ablation {
    /// The part that was off.
    pub term: String,
    /// The number of points that were evaluated.
    pub evaluated: u64,
    /// The number of states that were expanded.
    pub expanded: u64,
}

/// A page about a search by branch and bound.
///
/// ```
/// use nitro_decide::{PointTime, SearchView};
/// use nitro_decide::{Problem, Statistics};
///
/// let (problem, statistics) = (Problem::default(), Statistics::default());
/// let measured = [PointTime { bound_ns: 30e3, time_ns: 41e3, limit: "sectors" }];
/// let (problem, statistics) = (&problem, &statistics);
/// let view = SearchView { title: "sgemm 1024", problem, statistics, measured: &measured, without: &[] };
/// assert!(view.page().contains("No point lies above the line"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SearchView<'a> {
    /// The name of the space.
    pub title: &'a str,
    /// The choices.
    pub problem: &'a Problem,
    /// The counts of its states.
    pub statistics: &'a Statistics,
    /// Points that were measured, whether the search asked for them or not.
    pub measured: &'a [PointTime],
    /// The same search without parts of the bound; the first is with all of them.
    pub without: &'a [Ablation],
}

impl SearchView<'_> {
    /// HTML that needs nothing but itself.
    #[must_use]
    pub fn page(&self) -> String {
        let total = self.statistics.total();
        let above = self.measured.iter().filter(|own| own.time_ns < own.bound_ns).count();
        let title = format!("{}: branch and bound", self.title);
        let main = html! {
            h1 { (title) }
            p.lead { (total.expanded) " states expanded, " (total.pruned) " pruned, " (total.dead_ends) " dead ends, "
                (self.statistics.evaluated) " points evaluated." }
            h2 { "The tree" }
            p { "A row is a level: so many decisions above. Its states, from the left: "
                "expanded, evaluated, dead ends, and pruned, by what would take too long. "
                "On the right, the decision that pruned most there." }
            (legend(&self.limits()))
            figure { (wide("", "the tree by level", &self.tree().inline())) }
            @if let Some(text) = self.pruned_early() { p { (text) } }
            h2 { "Bounds against times" }
            p { "Each point that was measured, by what its bound says takes so long. "
                @if above == 0 { "No point lies above the line." } @else {
                    b { (above) " points lie above the line: the bound is wrong, and nothing is proved." }
                } }
            figure { (wide("", "bounds against times", &self.scatter().inline())) }
            h2 { "How tight it is" }
            (wide("", "tightness", &self.tightness()))
            @if !self.without.is_empty() {
                h2 { "What each part is good for" }
                (wide("", "parts", &self.parts()))
            }
        };
        document(&title, OWN_STYLE, &main)
    }

    /// Returns the limits, the most frequent first.
    fn limits(&self) -> Vec<&'static str> {
        let mut counts: Vec<(&'static str, u64)> = Vec::new();
        let pruned = self.statistics.pruned.iter().map(|(key, count)| (key.2, *count));
        for (limit, count) in pruned.chain(self.measured.iter().map(|own| (own.limit, 1))) {
            match counts.iter_mut().find(|own| own.0 == limit) {
                Some(own) => own.1 += count,
                None => counts.push((limit, count)),
            }
        }
        counts.sort_by_key(|own| std::cmp::Reverse(own.1));
        counts.into_iter().map(|own| own.0).collect()
    }

    fn tree(&self) -> Drawing {
        const ROW: f64 = 18.0;
        const LEFT: f64 = 40.0;
        const BAR: f64 = 420.0;
        let limits = self.limits();
        let levels = &self.statistics.levels;
        let most = levels.iter().map(states).max().unwrap_or(1).max(1) as f64;
        let parts = levels.iter().enumerate().map(|(level, own)| {
            let y = 4.0 + ROW * level as f64;
            // Roots, so that levels with few states can be seen beside those with many.
            let wide = BAR * (states(own) as f64 / most).sqrt();
            let scale = wide / states(own).max(1) as f64;
            let mut segments = vec![
                ("expanded".to_owned(), "expanded", own.expanded),
                ("dot".into(), "evaluated", own.leaves),
                ("row".into(), "dead ends", own.dead_ends),
            ];
            for (place, &limit) in limits.iter().enumerate() {
                let pruned =
                    self.statistics.pruned.iter().filter(|(key, _)| key.0 == level && key.2 == limit);
                segments.push((color(place), limit, pruned.map(|(_, count)| count).sum()));
            }
            let mut x = LEFT;
            let label = self.label(level, states(own));
            html! {
                (text_at("soft small end", LEFT - 8.0, y + 12.0, &level.to_string()))
                @for (class, name, count) in segments.into_iter().filter(|own| own.2 > 0) {
                    @let width = scale * count as f64;
                    rect.(class) x=(at(x)) y=(at(y)) width=(format!("{width:.2}")) height="14" {
                        title { (name) ": " (count) }
                    }
                    ({ x += width; PreEscaped(String::new()) })
                }
                (text_at("soft small", LEFT + wide + 8.0, y + 11.0, &label))
            }
        });
        let parts = html! { @for part in parts { (part) } };
        Drawing {
            width: LEFT + BAR + 52.0 * LETTER,
            height: 12.0 + ROW * levels.len() as f64,
            title: "States by level".into(),
            parts,
        }
    }

    /// Says how much of all points was pruned up to which level; nothing where they are not counted.
    fn pruned_early(&self) -> Option<String> {
        let total = self.statistics.total();
        let points = total.pruned_points + total.leaves + total.known;
        let levels = self.statistics.levels.clone();
        let tree = Tree { levels, points: Some(points).filter(|_| total.pruned_points > 0), classes: None };
        let share =
            |level: usize| Some(format!("{:.1} % up to level {level}", 100.0 * tree.pruned_up_to(level)?));
        let shares: Option<Vec<String>> = EARLY.into_iter().map(share).collect();
        Some(format!(
            "Of {points} points were pruned {}. Those that stay so long differ in decisions that come later.",
            shares?.join(", ")
        ))
    }

    fn label(&self, level: usize, states: u64) -> String {
        let own = self.statistics.pruned.iter().filter(|(key, _)| key.0 == level);
        let most = own.max_by_key(|(_, count)| **count).and_then(|(key, _)| key.1);
        let name = most.map_or(String::new(), |choice| format!("  {}", self.problem.name(choice)));
        format!("{states}{}", short(&name, 42))
    }

    fn scatter(&self) -> Drawing {
        const SIDE: f64 = 420.0;
        const LEFT: f64 = 70.0;
        let all = self.measured.iter().flat_map(|own| [own.bound_ns, own.time_ns]).filter(|ns| *ns > 0.0);
        let (least, most) =
            all.fold((f64::INFINITY, 1.0), |(least, most), ns| (f64::min(least, ns), f64::max(most, ns)));
        let (low, high) = (least.min(most).log10() - 0.05, most.log10() + 0.05);
        let place = |ns: f64| SIDE * (ns.max(1e-9).log10() - low) / (high - low);
        let limits = self.limits();
        let parts = html! {
            rect.space x=(at(LEFT)) y="10" width=(at(SIDE)) height=(at(SIDE)) {}
            @for ns in ticks(low, high) {
                @let (x, y) = (at(LEFT + place(ns)), at(10.0 + SIDE - place(ns)));
                line.line x1=(x) x2=(x) y1="10" y2=(at(10.0 + SIDE)) {}
                line.line x1=(at(LEFT)) x2=(at(LEFT + SIDE)) y1=(y) y2=(y) {}
                (text_at("soft small middle", LEFT + place(ns), 28.0 + SIDE, &time(ns)))
                (text_at("soft small end", LEFT - 6.0, 14.0 + SIDE - place(ns), &time(ns)))
            }
            @for own in self.measured {
                @let limit = limits.iter().position(|limit| *limit == own.limit).unwrap_or(0);
                @let (x, y) = (at(LEFT + place(own.time_ns)), at(10.0 + SIDE - place(own.bound_ns)));
                circle.(color(limit)) cx=(x) cy=(y) r="2.2" opacity=".7" {}
            }
            line.box x1=(at(LEFT)) y1=(at(10.0 + SIDE)) x2=(at(LEFT + SIDE)) y2="10" {}
            (text_at("small middle", LEFT + SIDE / 2.0, 48.0 + SIDE, "measured"))
            (text_at("small", LEFT + 8.0, 26.0, "bound"))
        };
        Drawing {
            width: LEFT + SIDE + 20.0,
            height: SIDE + 60.0,
            title: "Bounds against times".into(),
            parts,
        }
    }

    fn tightness(&self) -> Markup {
        html! { table.numbers.narrow {
            thead { tr { (columns(&["What takes so long", "points", "median bound / time", "largest"])) } }
            tbody { @for limit in self.limits() {
                @let shares = shares(self.measured.iter().filter(|own| own.limit == limit));
                @if let Some(largest) = shares.last() {
                    @let median = format!("{:.2}", shares[shares.len() / 2]);
                    tr { th scope="row" { (limit) } td { (shares.len()) } td { (median) }
                        td { (format!("{largest:.2}")) } }
                }
            } }
        } }
    }

    fn parts(&self) -> Markup {
        html! { table.numbers.narrow {
            thead { tr { (columns(&["Without", "evaluated", "expanded"])) } }
            tbody { @for own in self.without {
                tr { th scope="row" { (own.term) } td { (own.evaluated) } td { (own.expanded) } }
            } }
        } }
    }
}

/// The levels up to which a page says what was pruned.
const EARLY: [usize; 4] = [2, 4, 8, 16];

/// Counts all states of a level.
fn states(own: &Counts) -> u64 {
    own.expanded + own.leaves + own.known + own.dead_ends + own.pruned
}

/// Returns bounds over times, ascending.
fn shares<'a>(all: impl Iterator<Item = &'a PointTime>) -> Vec<f64> {
    let mut shares: Vec<f64> = all.map(|own| own.bound_ns / own.time_ns).collect();
    shares.sort_by(f64::total_cmp);
    shares
}

fn legend(limits: &[&'static str]) -> Markup {
    let classes =
        ["expanded", "dot", "row"].map(str::to_owned).into_iter().zip(["expanded", "evaluated", "dead ends"]);
    let all = classes.chain(limits.iter().enumerate().map(|(place, &limit)| (color(place), limit)));
    html! { p.legend { @for (class, name) in all {
        span { svg width="12" height="12" aria-hidden="true" { rect.(class) width="12" height="12" {} } " " (name) }
    } } }
}

/// The class of the limit at a place; the rarest share one.
fn color(place: usize) -> String {
    format!("limit{}", place.min(6))
}

/// Powers of ten, with halves and fifths where there are few.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let few = multiples(low, high, &[1.0]);
    if few.len() >= 3 { few } else { multiples(low, high, &[1.0, 2.0, 5.0]) }
}

/// Returns multiples of the powers of ten whose logarithms lie between these.
fn multiples(low: f64, high: f64, steps: &[f64]) -> Vec<f64> {
    let powers = (low.floor() as i32..=high.ceil() as i32).map(|power| 10_f64.powi(power));
    powers
        .flat_map(|power| steps.iter().map(move |step| power * step))
        .filter(|ns| (low..=high).contains(&ns.log10()))
        .collect()
}

fn time(ns: f64) -> String {
    match ns {
        ns if ns >= 1e6 => format!("{} ms", ns / 1e6),
        ns if ns >= 1e3 => format!("{} µs", ns / 1e3),
        ns => format!("{ns} ns"),
    }
}

#[cfg(test)]
mod tests {
    use nitro_test_support::pages::assert_fits_narrow_screens;

    use super::*;

    #[test]
    fn the_page_says_what_was_pruned_by_what_and_whether_a_point_lies_above_the_line() {
        let mut problem = Problem::default();
        let tile = problem.numbers("size of <i>", [1, 2, 4]).unwrap();
        let mut statistics = Statistics { evaluated: 2, ..Statistics::default() };
        statistics.levels = vec![
            Counts { expanded: 1, ..Counts::default() },
            Counts { pruned: 9, pruned_points: 98, leaves: 2, ..Counts::default() },
        ];
        statistics.pruned.insert((1, Some(tile), "sectors"), 9);
        let point = |bound_ns, time_ns| PointTime { bound_ns, time_ns, limit: "latency" };
        let page = |measured: &[PointTime]| {
            let without = [Ablation { term: "nothing".into(), evaluated: 2, expanded: 1 }];
            SearchView {
                title: "sgemm",
                problem: &problem,
                statistics: &statistics,
                measured,
                without: &without,
            }
            .page()
        };
        let sound = page(&[point(30e3, 60e3), point(50e3, 51e3)]);
        for part in [
            "9 pruned",
            "Of 100 points were pruned 98.0 % up to level 2",
            "<title>sectors: 9</title>",
            "11  size of &lt;i&gt;",
            "No point lies above the line",
            "0.98",
            "latency",
        ] {
            assert!(sound.contains(part), "{part}: {sound}");
        }
        assert_fits_narrow_screens(&sound);
        assert!(page(&[point(30e3, 20e3)]).contains("1 points lie above the line"));
        assert!(page(&[]).contains("branch and bound"));
    }
}
