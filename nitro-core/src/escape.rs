//! Texts inside the text of a choice. A sign that means something there is written behind a backslash, and so are
//! blanks at an end.

use std::borrow::Cow;

const SIGNS: [char; 5] = ['\\', ',', '=', '{', '}'];

/// The text, so that what reads a choice takes it as it is.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    if text.chars().all(|letter| !SIGNS.contains(&letter) && !letter.is_whitespace()) {
        return text.into();
    }
    let last = text.chars().count() - 1;
    let mut escaped = String::with_capacity(text.len() + 4);
    for (index, letter) in text.chars().enumerate() {
        if SIGNS.contains(&letter) || letter.is_whitespace() && (index == 0 || index == last) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped.into()
}

/// The text that was meant, without blanks around it.
pub(crate) fn meant(written: &str) -> String {
    let mut meant = String::with_capacity(written.len());
    let mut letters = trimmed(written).chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => meant.extend(letters.next()),
            letter => meant.push(letter),
        }
    }
    meant
}

/// Removes the blanks around a text, as far as they are not meant.
pub(crate) fn trimmed(written: &str) -> &str {
    let begun = written.trim_start();
    let end = begun.trim_end().len();
    let backslashes = begun[..end].chars().rev().take_while(|letter| *letter == '\\').count();
    let meant = begun[end..].chars().next().filter(|_| backslashes % 2 == 1);
    &begun[..end + meant.map_or(0, char::len_utf8)]
}

/// The signs that mean something, with their places.
fn signs(written: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let mut is_behind_backslash = false;
    written.char_indices().filter(move |&(_, letter)| {
        let means_something = !std::mem::take(&mut is_behind_backslash);
        is_behind_backslash = means_something && letter == '\\';
        means_something
    })
}

/// The places of this sign where it means something.
fn places(written: &str, sign: char) -> impl Iterator<Item = usize> + '_ {
    signs(written).filter_map(move |(place, letter)| (letter == sign).then_some(place))
}

/// Splits a text at the first sign of this kind that means something.
pub(crate) fn split_once(written: &str, sign: char) -> Option<(&str, &str)> {
    let place = places(written, sign).next()?;
    Some((&written[..place], &written[place + sign.len_utf8()..]))
}

/// The text without the sign at its end, if it means something there.
pub(crate) fn strip_end(written: &str, sign: char) -> Option<&str> {
    let place = places(written, sign).last()?;
    (place + sign.len_utf8() == written.len()).then(|| &written[..place])
}

/// Splits a text at the commas that mean something and are not inside of braces.
pub(crate) fn entries(written: &str) -> Vec<&str> {
    let (mut entries, mut begin, mut is_inside) = (vec![], 0, false);
    for (place, sign) in signs(written) {
        match sign {
            ',' if !is_inside => {
                entries.push(&written[begin..place]);
                begin = place + 1;
            }
            '{' | '}' => is_inside = sign == '{',
            _ => {}
        }
    }
    entries.push(&written[begin..]);
    entries
}

/// The most characters that are kept of a message.
const MOST_MESSAGE_CHARS: usize = 1000;

/// Returns what foreign code has said, of a panic or an error, as it may be kept and shown.
///
/// At most 1,000 characters are left, and control characters other than line breaks are written out, as `\u{1b}`.
///
/// ```
/// use nitro_core::recording::message;
///
/// assert_eq!(message("no file `a`\n\x1b[2J"), "no file `a`\n\\u{1b}[2J");
/// assert_eq!(message(&"x".repeat(1_000_000)).chars().count(), 1_000);
/// ```
#[must_use]
pub fn message(text: &str) -> String {
    let mut shown = String::new();
    // One more than are kept tells whether there are more.
    for letter in text.chars().take(MOST_MESSAGE_CHARS + 1) {
        match letter.is_control() && letter != '\n' {
            true => shown.extend(letter.escape_default()),
            false => shown.push(letter),
        }
    }
    if shown.chars().nth(MOST_MESSAGE_CHARS).is_some() {
        shown = shown.chars().take(MOST_MESSAGE_CHARS - 1).collect();
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All texts of up to four of these letters.
    #[test]
    fn what_is_escaped_is_meant_whatever_stands_around_it() {
        let letters = ['\\', ',', '=', '{', '}', ' ', 'a', '"', 'é'];
        for number in 0..letters.len().pow(4) {
            let digits = (0..4).map(|digit| number / letters.len().pow(digit) % letters.len());
            let text: String = digits.skip(number % 4).map(|digit| letters[digit]).collect();
            let escaped = escaped(&text);
            assert_eq!(meant(&format!("  {escaped} ")), text);
            let before = format!("{escaped},b");
            assert_eq!(entries(&before), [&*escaped, "b"]);
            assert_eq!(split_once(&format!("{escaped}={escaped}"), '='), Some((&*escaped, &*escaped)));
            assert_eq!(strip_end(&format!("{escaped}}}"), '}'), Some(&*escaped));
            assert_eq!(strip_end(&escaped, '}'), None);
        }
        assert!(matches!(escaped("tiled"), Cow::Borrowed("tiled")));
    }
}
