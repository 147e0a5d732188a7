//! Text of foreign origin as it may be shown on a terminal, and numbers.

use std::borrow::Cow;
use std::error::Error;

use nitro_core::recording::message;

/// The text with control characters written out, as `\u{1b}`, except line breaks: a terminal obeys them.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match is_obeyed(letter) {
            true => shown.extend(letter.escape_default()),
            false => shown.push(letter),
        }
    }
    Cow::Owned(shown)
}

fn is_obeyed(letter: char) -> bool {
    letter.is_control() && letter != '\n'
}

/// A number as tables show it, with as many digits as it deserves.
pub fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 { format!("{value}") } else { format!("{value:.3}") }
}

/// An error and its causes as one sentence; a cause that the one before has said already is left out. Causes may be
/// errors of the user's code, and are kept as [messages](message).
pub fn sentence(error: &(dyn Error + 'static)) -> String {
    let mut sentence = String::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let cause = error.to_string();
        next = error.source();
        if sentence.is_empty() {
            sentence = cause;
            continue;
        }
        let cause = message(&cause);
        if !sentence.ends_with(&cause) {
            sentence = format!("{sentence}: {cause}");
        }
    }
    sentence
}

/// Names one after the other.
pub fn list(names: &[impl AsRef<str>]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", "),
    }
}

/// Quotes foreign text in one line of at most 60 characters.
pub fn excerpt(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    let mut shown: String = text.chars().take(MAX_CHARS).flat_map(char::escape_debug).collect();
    if text.chars().nth(MAX_CHARS).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(printable("é \u{1F980} \"x\"\nnext"), "é \u{1F980} \"x\"\nnext");
        assert_eq!(printable("\x1b]0;x\x07\u{9b}2J\r\t"), "\\u{1b}]0;x\\u{7}\\u{9b}2J\\r\\t");
    }

    #[test]
    fn a_cause_is_said_once() {
        let cause = std::io::Error::other("no such host");
        let told =
            anyhow::Error::new(cause).context("the server at x: no such host").context("recording stopped");
        assert_eq!(sentence(told.as_ref()), "recording stopped: the server at x: no such host");
    }

    #[test]
    fn a_cause_is_of_bounded_length() {
        let cause = std::io::Error::other("x".repeat(1_000_000));
        let told = sentence(anyhow::Error::new(cause).context("recording stopped").as_ref());
        assert!(told.starts_with("recording stopped: xxx") && told.len() < 1_100, "{}", told.len());
    }

    #[test]
    fn a_list_of_nothing_is_said_to_be_none() {
        assert_eq!(list(&["a", "b"]), "a, b");
        assert_eq!(list(&[""; 0]), "none");
    }

    #[test]
    fn a_quotation_is_one_short_line() {
        assert_eq!(excerpt("a\n\x1b[31m"), "a\\n\\u{1b}[31m");
        assert_eq!(excerpt(&"z".repeat(1000)).chars().count(), 61);
    }
}
