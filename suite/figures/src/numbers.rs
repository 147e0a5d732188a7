//! Numbers in a text that somebody must have measured, and sentences that say when.

/// The units that make a number an amount: of time, of speed, of memory and of shares.
const UNITS: [&str; 14] =
    ["%", "ns", "us", "µs", "ms", "s", "seconds", "minutes", "GFLOPS", "TFLOPS", "KiB", "MiB", "GiB", "GB"];

/// Returns the text by headings, without code and without the headings of code.
#[must_use]
pub fn sections(text: &str) -> Vec<String> {
    let mut sections = vec![String::new()];
    let mut is_code = false;
    for line in text.lines() {
        let fence = line.trim_start().starts_with("```");
        is_code ^= fence;
        if fence || is_code {
            continue;
        }
        if line.starts_with('#') {
            sections.push(String::new());
        }
        let section = sections.last_mut().expect("there is one from the beginning");
        *section += line;
        section.push('\n');
    }
    sections
}

/// Returns the decimal fractions of a text, and the whole numbers before a unit, but for those in code.
#[must_use]
pub fn amounts(text: &str) -> Vec<String> {
    // Between backticks is code: every second piece.
    let pieces = text.split('`').step_by(2);
    pieces.flat_map(|piece| words(piece)).filter_map(|(word, next)| amount(word, next)).collect()
}

/// Each word of a text with the one that follows.
fn words(text: &str) -> Vec<(&str, &str)> {
    let words: Vec<&str> = text
        .split([' ', '\n', '|', '(', ')', '[', ']', '/', '+', '−'])
        .filter(|word| !word.is_empty())
        .collect();
    (0..words.len()).map(|at| (words[at], words.get(at + 1).copied().unwrap_or_default())).collect()
}

/// The number that a word begins with, if it is one that somebody measured.
fn amount(word: &str, next: &str) -> Option<String> {
    let word = word
        .trim_matches(|letter: char| !letter.is_alphanumeric() && !".%".contains(letter))
        .trim_end_matches('.');
    let end = word.find(|letter: char| !letter.is_ascii_digit() && letter != '.' && letter != ',');
    let (number, rest) = word.split_at(end.unwrap_or(word.len()));
    if !number.starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let number = number.trim_end_matches([',', '.']);
    let next = next.trim_matches(|letter: char| letter != '%' && letter != 'µ' && !letter.is_alphanumeric());
    let unit = UNITS.into_iter().find(|unit| *unit == if rest.is_empty() { next } else { rest });
    match (number.matches('.').count(), unit) {
        (0, Some(unit)) => Some(format!("{number} {unit}")),
        (1, _) => Some(number.to_owned()),
        _ => None, // a version has two points
    }
}

/// Whether a text says when, by which command and at which commit its figures were measured.
#[must_use]
pub fn says_when_measured(text: &str) -> bool {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut places = text.split("easured on 20").skip(1);
    places.any(|rest| is_date(rest) && has_command(&text) && has_commit(rest))
}

/// Whether a text goes on as a date whose century has been read.
fn is_date(rest: &str) -> bool {
    let shape = |(letter, wanted): (char, char)| {
        if wanted == '0' { letter.is_ascii_digit() } else { letter == wanted }
    };
    rest.len() >= 8 && rest.chars().zip("00-00-00".chars()).all(shape)
}

/// Whether a text names a command.
fn has_command(text: &str) -> bool {
    text.contains('`') || text.contains("command")
}

/// Whether a text names a commit, within a few words of its beginning.
fn has_commit(rest: &str) -> bool {
    let words = rest.split(' ').take(30).collect::<Vec<_>>();
    let is_hash = |word: &str| {
        let word = word.trim_end_matches(|letter: char| !letter.is_alphanumeric());
        word.len() >= 7 && word.chars().all(|letter| letter.is_ascii_hexdigit())
    };
    words.windows(2).any(|pair| pair[0].trim_start_matches('(').starts_with("commit") && is_hash(pair[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_and_numbers_with_units_are_amounts() {
        let text = "it is 1.28x as fast, takes 14 us or 3,200 ns (97.5 % in 2 runs of 16), | 8 % | +0.6/−0.1";
        assert_eq!(amounts(text), ["1.28", "14 us", "3,200 ns", "97.5", "8 %", "0.6", "0.1"]);
        assert_eq!(amounts("18µs, 94%; *0.98*."), ["18 µs", "94 %", "0.98"]);
        let units = ["40 seconds", "9 s", "12 minutes", "164 KiB", "31 TFLOPS", "3,908 GB"];
        assert_eq!(amounts("40 seconds, 9 s; (12 minutes), 164 KiB, 31 TFLOPS, 3,908 GB/s"), units);
        let none =
            "`0.5 %` of sm_90 on 2026-11-22, 12,463 of 12,464, section 4, 8192 x 32, file.md, v2 and 3.0.1";
        assert_eq!(amounts(none), [""; 0]);
    }

    #[test]
    fn a_section_ends_at_the_next_heading_and_has_no_code() {
        let text = "# A\n1.5\n```text\n# no heading\n2.5 %\n```\n## B\n1.6\n";
        let found: Vec<Vec<String>> = sections(text).iter().map(|section| amounts(section)).collect();
        assert_eq!(found, [vec![], vec!["1.5".to_owned()], vec!["1.6".to_owned()]]);
    }

    #[test]
    fn date_command_and_commit_are_asked_for() {
        assert!(says_when_measured("Measured on 2026-11-24 with\n`judge`, commit 62daeb6, on an H200."));
        assert!(says_when_measured(
            "rows, measured on 2026-11-24 with the command above, commits 6830825 (one) and"
        ));
        for without in [
            "Measured on 2026-11-24 with `judge` on an H200.",
            "Measured on an H200 with `judge`, commit 62daeb6.",
            "Measured on 2026-11-24, commit 62daeb6.",
            "`judge` on 2026-11-24, commit 62daeb6.",
            "Measured on 2026-11-24 with `judge`, commit soonest.",
        ] {
            assert!(!says_when_measured(without), "{without}");
        }
    }
}
