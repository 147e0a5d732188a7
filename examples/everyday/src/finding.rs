//! Finding the first of some needles in a text.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind, packed};
use memchr::memmem;
use nitro::code_variant;

/// Where the first of these needles begins in the text; an empty needle is found nowhere.
///
/// What a search box, a filter of log lines or a list of words to look out for does. The needles come with the
/// call, so that whatever a variant prepares of them is a part of its time: who searches many texts for the same
/// needles keeps a prepared searcher instead, and has nothing to choose.
///
/// ```
/// let needles = ["error", "warning"];
/// assert_eq!(nitro_everyday::find("a warning, then an error", &needles), Some(2));
/// assert_eq!(nitro_everyday::find("all is well", &needles), None);
/// ```
#[code_variant(
    name = "everyday::find",
    features(
        text_bytes = text.len(),
        needle_count = needles.len(),
        shortest = needles.iter().map(|needle| needle.len()).min().unwrap_or(0),
    ),
    variants(
        one_by_one,
        one_by_one_vectorised,
        packed_needles if needle_count <= MOST_PACKED && shortest >= 1,
        automaton,
        table,
    ),
    default = one_by_one,
    model = nitro::embedded_model!("models/everyday.find.model"),
)]
pub fn find(text: &str, needles: &[&str]) -> Option<usize>;

/// Above it the packed search takes no more needles.
const MOST_PACKED: usize = 64;

/// The needles that can be found.
fn real<'n>(needles: &'n [&'n str]) -> impl Iterator<Item = &'n str> + Clone {
    needles.iter().copied().filter(|needle| !needle.is_empty())
}

/// The smallest place that `search` finds, one needle after the other, each only in what begins before the best
/// place so far.
fn first_of(text: &str, needles: &[&str], search: impl Fn(&str, &str) -> Option<usize>) -> Option<usize> {
    real(needles).fold(None, |best, needle| {
        let end = best.map_or(text.len(), |best: usize| best + needle.len() - 1);
        search(&text[..text.floor_char_boundary(end)], needle).or(best)
    })
}

fn one_by_one(text: &str, needles: &[&str]) -> Option<usize> {
    first_of(text, needles, |text, needle| text.find(needle))
}

fn one_by_one_vectorised(text: &str, needles: &[&str]) -> Option<usize> {
    first_of(text, needles, |text, needle| memmem::find(text.as_bytes(), needle.as_bytes()))
}

/// By vector instructions, for all needles at once.
fn packed_needles(text: &str, needles: &[&str]) -> Option<usize> {
    match packed::Searcher::new(real(needles)) {
        Some(searcher) => searcher.find(text).map(|found| found.start()),
        None => automaton(text, needles), // a processor without such instructions
    }
}

fn automaton(text: &str, needles: &[&str]) -> Option<usize> {
    by_automaton(AhoCorasickKind::ContiguousNFA, text, needles)
}

/// A table of all transitions, which is large, and read once a byte.
fn table(text: &str, needles: &[&str]) -> Option<usize> {
    by_automaton(AhoCorasickKind::DFA, text, needles)
}

fn by_automaton(kind: AhoCorasickKind, text: &str, needles: &[&str]) -> Option<usize> {
    let mut builder = AhoCorasick::builder();
    match builder.kind(Some(kind)).match_kind(MatchKind::LeftmostFirst).build(real(needles)) {
        Ok(automaton) => automaton.find(text).map(|found| found.start()),
        Err(_) => one_by_one(text, needles), // more needles than an automaton can have states
    }
}
