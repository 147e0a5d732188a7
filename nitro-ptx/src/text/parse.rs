//! From text to [`Module`].

use nitro_core::Artifact;

use super::body::Body;
use super::error::ParseError;
use super::head::{self, Head};
use super::module::{Function, Module, Piece};
use super::scan::Scan;

/// The longest text that is parsed.
const MAX_TEXT_BYTES: usize = 64 << 20;

/// The most `_` in how moved names begin, or they might be as long as the text.
const MAX_STROKES: usize = 64;

impl Module {
    /// Reads a text.
    ///
    /// # Errors
    /// When brackets, comments or strings do not end, a statement has no `;`, what is no instruction stands where
    /// one should, a guard is not declared, or something is more than is read: 64 MiB, 64 brackets or scopes inside
    /// of each other.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        if text.len() > MAX_TEXT_BYTES {
            let what = format!("the text has {} bytes, and at most {MAX_TEXT_BYTES} are read", text.len());
            return Err(ParseError { line: 1, what });
        }
        let moved = unused_prefix(text)?;
        let mut scan = Scan::new(text);
        let mut pieces = Vec::new();
        let mut lines = Vec::new();
        while scan.at < text.len() {
            let from = scan.at;
            scan.until(&[], |_| (), |word| matches!(word, ".entry" | ".func"))?;
            let head_at = scan.at;
            if head_at > from {
                pieces.push(Piece::Text(text[from..head_at].to_owned()));
            }
            if head_at == text.len() {
                break;
            }
            let has_body = head::skip(&mut scan)?;
            let head = &text[head_at..scan.at];
            if has_body {
                pieces.push(Piece::Function(function(&mut scan, head, &mut lines, &moved)?));
            } else {
                pieces.push(Piece::Text(head.to_owned()));
            }
        }
        Ok(Self { pieces, digest: Artifact::of(text), lines: lines.into() })
    }
}

/// A function from its opening to its closing brace.
fn function(
    scan: &mut Scan,
    head: &str,
    lines: &mut Vec<usize>,
    moved: &str,
) -> Result<Function, ParseError> {
    let name = Head::of(head).name;
    if name.is_empty() {
        return Err(scan.error("a function has no name"));
    }
    scan.at += 1;
    let mut body = Body::new(scan, lines, moved);
    body.read()?;
    let (registers, scopes, items) = body.finish();
    Ok(Function { name: name.to_owned(), head: head.trim_end().to_owned(), registers, scopes, items })
}

/// Returns a beginning for names of nested scopes that move to a body: as nothing else in the text.
fn unused_prefix(text: &str) -> Result<String, ParseError> {
    const PREFIX: &str = "%scope";
    let strokes = |(at, _): (usize, &str)| {
        text[at + PREFIX.len()..].bytes().take(MAX_STROKES + 1).take_while(|&byte| byte == b'_').count()
    };
    let needed = text.match_indices(PREFIX).map(strokes).max().map_or(0, |longest| longest + 1);
    if needed > MAX_STROKES {
        let what =
            format!("a name begins with `{PREFIX}` and {MAX_STROKES} or more `_`, which only this makes");
        return Err(ParseError { line: 1, what });
    }
    Ok(format!("{PREFIX}{}", "_".repeat(needed)))
}
