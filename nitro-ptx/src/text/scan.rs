//! Scanning of a text: where comments, strings and brackets begin and end. It knows no meaning.

use super::error::ParseError;

/// The most levels of brackets and scopes.
pub(crate) const MAX_DEPTH: usize = 64;

/// A place in a text, which only goes on.
#[derive(Clone)]
pub(crate) struct Scan<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: usize,
    /// Line of the place where counting began, and that place.
    counted: (usize, usize),
    /// Labels that lists have named by a range (`L<3>`): at most as many as the text has bytes.
    pub(crate) ranged_labels: u64,
}

/// A part of a text that [`Scan::until`] passes over.
pub(crate) enum Segment<'a> {
    Comment(&'a str),
    Other(&'a str),
}

impl<'a> Scan<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0, counted: (1, 0), ranged_labels: 0 }
    }

    /// The line of this place, from 1.
    pub(crate) fn line(&mut self) -> usize {
        let (line, from) = self.counted;
        let line = line + self.text.as_bytes()[from..self.at].iter().filter(|&&byte| byte == b'\n').count();
        self.counted = (line, self.at);
        line
    }

    pub(crate) fn error(&mut self, what: impl Into<String>) -> ParseError {
        ParseError { line: self.line(), what: what.into() }
    }

    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(crate) fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Passes the comment that begins here, if one does.
    pub(crate) fn comment(&mut self) -> Result<Option<&'a str>, ParseError> {
        let rest = self.rest();
        let Some(length) = comment(rest) else { return Ok(None) };
        let length = length.ok_or_else(|| self.error("a comment that begins with `/*` has no `*/`"))?;
        self.at += length;
        Ok(Some(&rest[..length]))
    }

    /// To the end of this line.
    pub(crate) fn line_end(&mut self) -> &'a str {
        let rest = self.rest();
        let length = rest.find('\n').unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Goes on to the first of the bytes `ends` that is outside of brackets, comments and strings, and stays before
    /// it. What is a word of its own may end it as well.
    pub(crate) fn until(
        &mut self,
        ends: &[u8],
        mut passes: impl FnMut(Segment<'a>),
        is_end_word: impl Fn(&str) -> bool,
    ) -> Result<(), ParseError> {
        let mut open: Vec<u8> = Vec::new();
        while let Some(byte) = self.peek() {
            if open.is_empty() && ends.contains(&byte) {
                return Ok(());
            }
            let from = self.at;
            if let Some(comment) = self.comment()? {
                passes(Segment::Comment(comment));
                continue;
            }
            match byte {
                b'"' => self.string()?,
                b'(' | b'[' | b'{' if open.len() < MAX_DEPTH => {
                    open.push(byte);
                    self.at += 1;
                }
                b'(' | b'[' | b'{' => {
                    return Err(self.error(format!("more than {MAX_DEPTH} brackets are open")));
                }
                b')' | b']' | b'}' => {
                    self.close(&mut open, byte)?;
                }
                _ if is_word(byte) => {
                    let word = lexeme(self.rest());
                    if open.is_empty() && is_end_word(word) {
                        return Ok(());
                    }
                    self.at += word.len();
                }
                _ => self.at += self.rest().chars().next().map_or(1, char::len_utf8),
            }
            passes(Segment::Other(&self.text[from..self.at]));
        }
        match open.is_empty() {
            true => Ok(()),
            false => Err(self.error(format!("a `{}` is never closed", open[open.len() - 1] as char))),
        }
    }

    fn close(&mut self, open: &mut Vec<u8>, byte: u8) -> Result<(), ParseError> {
        let opened = open.pop();
        if !matches!((opened, byte), (Some(b'('), b')') | (Some(b'['), b']') | (Some(b'{'), b'}')) {
            return Err(self.error(format!("a `{}` closes what was not opened", byte as char)));
        }
        self.at += 1;
        Ok(())
    }

    fn string(&mut self) -> Result<(), ParseError> {
        let length = string(self.rest()).ok_or_else(|| self.error("a string has no closing `\"`"))?.len();
        self.at += length;
        Ok(())
    }
}

/// Returns true if a byte belongs to names, numbers and opcodes.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%' | b'.')
}

/// The word at the beginning.
pub(crate) fn word(text: &str) -> &str {
    &text[..text.bytes().take_while(|&byte| is_word(byte)).count()]
}

/// The word at the beginning as the assembler sees it: `.param.u64` is two directives, `1.0E+1` one number.
pub(crate) fn lexeme(text: &str) -> &str {
    let word = word(text);
    if word.starts_with(|letter: char| letter.is_ascii_digit()) || is_fraction(word) {
        // A name may begin here: `17% 5` is three words.
        let word = word.split(['%', '$']).next().unwrap_or(word);
        return &text[..word.len() + signed_exponent(word, &text[word.len()..])];
    }
    match word.strip_prefix('.').and_then(|rest| rest.find('.')) {
        Some(length) => &word[..=length],
        None => word,
    }
}

/// Returns true if a word is a number that begins with its point.
fn is_fraction(word: &str) -> bool {
    word.strip_prefix('.').is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
}

/// The length of the sign and the digits of a decimal number's exponent, of which the `E` was read.
fn signed_exponent(mantissa: &str, after: &str) -> usize {
    let is_decimal = mantissa
        .strip_suffix(['e', 'E'])
        .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
    let digits = after
        .strip_prefix(['+', '-'])
        .map_or(0, |digits| digits.bytes().take_while(u8::is_ascii_digit).count());
    if is_decimal && digits > 0 { 1 + digits } else { 0 }
}

/// Words, numbers, strings and marks, without comments.
pub(crate) fn lexemes(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(letter) = rest.chars().next() {
        if let Some(length) = comment(rest) {
            rest = rest[length.unwrap_or(rest.len())..].trim_start();
            continue;
        }
        let length = match letter {
            '"' => string(rest).map_or(rest.len(), str::len),
            _ if letter.is_ascii() && is_word(letter as u8) => lexeme(rest).len(),
            _ => letter.len_utf8(),
        };
        found.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    found
}

/// Returns the length of the comment at the beginning, if there is one; none for one that does not end.
fn comment(text: &str) -> Option<Option<usize>> {
    if text.starts_with("//") {
        return Some(Some(text.find('\n').unwrap_or(text.len())));
    }
    text.starts_with("/*").then(|| text.find("*/").map(|end| end + 2))
}

/// Returns the string at the beginning, with its quotes.
pub(crate) fn string(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return Some(&text[..=at]),
            _ => at += 1,
        }
    }
    None
}

/// Returns the place where the bracket that opens at `from` is closed; the end where it is not.
pub(crate) fn closing(words: &[&str], from: usize) -> usize {
    let mut depth = 0_usize;
    for (at, word) in words.iter().enumerate().skip(from) {
        match *word {
            "(" | "{" => depth += 1,
            ")" | "}" if depth <= 1 => return at,
            ")" | "}" => depth -= 1,
            _ => {}
        }
    }
    words.len()
}
