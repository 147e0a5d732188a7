//! Heads of functions: what stands between `.entry` or `.func` and the body.

use super::error::ParseError;
use super::scan::{Scan, closing, is_word, lexeme, lexemes};

/// Directives that begin another statement of a module, where the head of a function can only have ended.
const OF_MODULES: [&str; 16] = [
    ".entry",
    ".func",
    ".visible",
    ".extern",
    ".weak",
    ".common",
    ".global",
    ".const",
    ".shared",
    ".tex",
    ".alias",
    ".section",
    ".file",
    ".version",
    ".target",
    ".address_size",
];

/// The head of a function in parts, as words without comments.
#[derive(Debug, Default)]
pub(crate) struct Head<'a> {
    /// The words in the brackets before the name.
    pub(crate) results: Vec<&'a str>,
    pub(crate) name: &'a str,
    /// The words in the brackets after it.
    pub(crate) parameters: Vec<&'a str>,
    /// The words after these: `.maxntid 64`.
    pub(crate) directives: Vec<&'a str>,
}

impl<'a> Head<'a> {
    /// Takes a head apart.
    pub(crate) fn of(text: &'a str) -> Self {
        let words = lexemes(text);
        let mut head = Self::default();
        let mut at = 1;
        while let Some(&word) = words.get(at) {
            match word {
                ".attribute" => at = closing(&words, at + 1) + 1,
                "(" if head.name.is_empty() => {
                    let end = closing(&words, at);
                    head.results = words[at + 1..end].to_vec();
                    at = end + 1;
                }
                "(" => {
                    let end = closing(&words, at);
                    head.parameters = words[at + 1..end].to_vec();
                    head.directives = words[words.len().min(end + 1)..].to_vec();
                    break;
                }
                _ if !head.name.is_empty() => {
                    head.directives = words[at..].to_vec();
                    break;
                }
                _ => {
                    if !word.starts_with('.') && is_word(word.as_bytes()[0]) {
                        head.name = word;
                    }
                    at += 1;
                }
            }
        }
        head
    }
}

/// Returns a head with a directive and its numbers in the place of these directives.
pub(crate) fn with_directive(head: &str, name: &str, numbers: &[u32], replaced: &[&str]) -> String {
    let words = lexemes(head);
    let place = |word: &str| word.as_ptr() as usize - head.as_ptr() as usize;
    let (mut text, mut from, mut at) = (String::new(), 0, 0);
    while at < words.len() {
        at += 1;
        if !replaced.contains(&words[at - 1]) {
            continue;
        }
        text.push_str(&head[from..place(words[at - 1])]);
        let is_number =
            |word: &&&str| **word == "," || word.starts_with(|first: char| first.is_ascii_digit());
        at += words[at..].iter().take_while(is_number).count();
        from = words.get(at).map_or(head.len(), |next| place(next));
    }
    let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
    // On a line of its own, since the one before may be a comment.
    format!("{text}{}\n{name} {}\n", head[from..].trim_end(), numbers.join(", "))
}

/// Goes on from the beginning of a head to its end, and returns true if a body follows.
///
/// The end is before a body's `{` or a declaration's `;`, or behind the last word of a declaration that has none.
pub(crate) fn skip(scan: &mut Scan) -> Result<bool, ParseError> {
    let from = scan.at;
    scan.at += lexeme(scan.rest()).len();
    // Where the first `.pragma` stands, which is the module's if there is no body.
    let mut pragma_at = None;
    loop {
        scan.until(b"{;@", |_| (), |word| word == ".pragma" || OF_MODULES.contains(&word))?;
        if scan.peek() == Some(b'{') {
            return Ok(true);
        }
        if scan.peek() == Some(b';') && pragma_at.is_none() {
            return Ok(false);
        }
        if lexeme(scan.rest()) != ".pragma" {
            break;
        }
        pragma_at.get_or_insert(scan.at);
        scan.until(b";", |_| (), |_| false)?;
        scan.at = scan.text.len().min(scan.at + 1);
    }
    let head = &scan.text[from..pragma_at.unwrap_or(scan.at)];
    let last = lexemes(head).last().map_or(head, |last| *last);
    scan.at = from + (last.as_ptr() as usize - head.as_ptr() as usize) + last.len();
    Ok(false)
}
