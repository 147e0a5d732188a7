//! Repairs of what Python writes and JSON does not have: numbers that are none, and a cache that is not closed yet.

use std::borrow::Cow;

/// The text with `null` for `NaN` and infinities, and with the brackets that an unclosed cache lacks at its end.
pub(super) fn repaired(text: &str) -> Cow<'_, str> {
    let (mut found, mut copied, mut scan) = (String::new(), 0, Scan::default());
    let bytes = text.as_bytes();
    while scan.at < bytes.len() {
        if let Some(length) = scan.no_number(bytes) {
            found.push_str(&text[copied..scan.at]);
            found.push_str("null");
            scan.at += length;
            copied = scan.at;
        } else {
            scan.step(bytes[scan.at]);
        }
    }
    let end = scan.unclosed_end(text);
    if copied == 0 && end.is_none() {
        return Cow::Borrowed(text);
    }
    let (until, brackets) = end.unwrap_or((text.len(), ""));
    found.push_str(&text[copied..until.max(copied)]);
    found.push_str(brackets);
    Cow::Owned(found)
}

#[derive(Default)]
struct Scan {
    at: usize,
    is_text: bool,
    is_escaped: bool,
    /// Objects and lists that are open.
    depth: usize,
}

const NO_NUMBERS: [&[u8]; 3] = [b"-Infinity", b"Infinity", b"NaN"];

impl Scan {
    fn no_number(&self, bytes: &[u8]) -> Option<usize> {
        if self.is_text {
            return None;
        }
        NO_NUMBERS.iter().find(|word| bytes[self.at..].starts_with(word)).map(|word| word.len())
    }

    fn step(&mut self, byte: u8) {
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.is_text => self.is_escaped = true,
            b'"' => self.is_text = !self.is_text,
            _ if self.is_text => {}
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.at += 1;
    }

    /// Returns where a cache ends that waits for its next entry, with the brackets to come. A text that ends inside of
    /// an entry is none.
    fn unclosed_end(&self, text: &str) -> Option<(usize, &'static str)> {
        let whole = text.trim_end();
        let brackets = match (self.is_text, self.depth) {
            (false, 1) => "}",
            (false, 2) => "}}",
            _ => return None,
        };
        match whole.as_bytes().last()? {
            b',' => Some((whole.len() - 1, brackets)),
            b'}' | b'{' => Some((whole.len(), brackets)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_is_closed_after_its_last_whole_entry() {
        for (open, closed) in [
            ("{\"cache\": {", "{\"cache\": {}}"),
            ("{\"cache\": {\n\"a\": {\"x\": 1},\n", "{\"cache\": {\n\"a\": {\"x\": 1}}}"),
            ("{\"cache\": {\"a\": {\"x\": 1}", "{\"cache\": {\"a\": {\"x\": 1}}}"),
            ("{\"cache\": {\"a\": {\"x\": 1}}", "{\"cache\": {\"a\": {\"x\": 1}}}"),
            ("{\"cache\": {\"a\": {\"x\": \"}}\"},", "{\"cache\": {\"a\": {\"x\": \"}}\"}}}"),
        ] {
            assert_eq!(repaired(open), closed);
        }
        for as_it_is in
            ["{\"cache\": {}}", "{\"cache\": {\"a\": {\"x\": 1", "{\"cache\": {\"a", "", "[[[", "}}}"]
        {
            assert_eq!(repaired(as_it_is), as_it_is, "nothing is made up");
        }
    }

    #[test]
    fn what_is_no_number_in_python_is_null() {
        let text = "{\"NaN\": NaN, \"b\": [-Infinity, Infinity, \"say \\\"NaN\\\"\"]}";
        assert_eq!(repaired(text), "{\"NaN\": null, \"b\": [null, null, \"say \\\"NaN\\\"\"]}");
    }
}
