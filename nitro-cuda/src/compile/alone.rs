//! Sources that may read no file: those of launch plans, which come with models.
//!
//! NVRTC opens whatever path a source names, waits at a pipe that nobody writes, and has no option against it. So a
//! source is looked through before the compiler sees it. What is refused is a little more than what reads a file:
//! nothing that a plan needs is among it, and no state of a preprocessor has to be followed.

use super::Source;
use crate::CudaError;

/// The directives that read a file, in any dialect that a compiler may speak.
const READING: [&str; 5] = ["include", "include_next", "import", "embed", "using"];

/// The questions of a preprocessor that look for a file.
const ASKING: [&str; 2] = ["__has_include", "__has_embed"];

/// Refuses a source that reads a file, or looks for one.
pub(crate) fn check(source: &Source<'_>, architecture: u32) -> Result<(), CudaError> {
    let Some((line, what)) = reading(source.text) else { return Ok(()) };
    let file = source.file.to_owned();
    let log = format!(
        "{file}({line}): `{what}` could read a file, and the source of a launch plan has to stand alone"
    );
    Err(CudaError::Compile { file, architecture, log })
}

/// Returns the line and the word of the first thing that may read a file.
fn reading(text: &str) -> Option<(usize, &'static str)> {
    let (letters, lines) = spliced(text);
    let mut at = 0;
    while at < letters.len() {
        let rest = &letters[at..];
        if let Some(what) = ASKING.into_iter().find(|word| rest.starts_with(word.as_bytes())) {
            return Some((lines[at], what));
        }
        let Some(length) = hash(rest) else {
            at += 1;
            continue;
        };
        let behind = &rest[length..];
        // Pasting makes `__has_include` of its parts.
        if hash(behind).is_some() {
            return Some((lines[at], "##"));
        }
        let word = directive(behind);
        if let Some(what) = READING.into_iter().find(|known| known.as_bytes() == word) {
            return Some((lines[at], what));
        }
        at += length;
    }
    None
}

/// Returns the bytes as the preprocessor joins them, each with its line: trigraphs first, then lines that go on.
fn spliced(text: &str) -> (Vec<u8>, Vec<usize>) {
    let (mut letters, mut lines) = (Vec::with_capacity(text.len()), Vec::with_capacity(text.len()));
    let (mut rest, mut line) = (text.as_bytes(), 1);
    while let Some(&first) = rest.first() {
        let (letter, length) = match rest {
            [b'?', b'?', b'=', ..] => (b'#', 3),
            [b'?', b'?', b'/', ..] => (b'\\', 3),
            _ => (first, 1),
        };
        rest = &rest[length..];
        if letter == b'\\' {
            // Some compilers permit blanks before the end of the line.
            let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
            if rest.get(blanks) == Some(&b'\n') {
                rest = &rest[blanks + 1..];
                line += 1;
                continue;
            }
        }
        letters.push(letter);
        lines.push(line);
        line += usize::from(letter == b'\n');
    }
    (letters, lines)
}

/// Returns the length of the sign that begins a directive.
fn hash(letters: &[u8]) -> Option<usize> {
    match letters {
        [b'#', ..] => Some(1),
        [b'%', b':', ..] => Some(2),
        _ => None,
    }
}

/// Returns the first word behind blanks, comments and whatever is no part of a word.
fn directive(mut letters: &[u8]) -> &[u8] {
    loop {
        letters = match letters {
            [b'/', b'*', comment @ ..] => {
                let end = comment.windows(2).position(|pair| pair == b"*/");
                &comment[end.map_or(comment.len(), |end| end + 2)..]
            }
            [byte, rest @ ..] if !is_word(*byte) && *byte != b'\n' => rest,
            _ => break,
        };
    }
    let end = letters.iter().position(|byte| !is_word(*byte)).unwrap_or(letters.len());
    &letters[..end]
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_reads_a_file_is_found_with_its_line() {
        let found = [
            ("int x;\n#include \"/etc/passwd\"", 2, "include"),
            ("#include <cuda_fp16.h>", 1, "include"),
            ("\n\n  #  include H", 3, "include"),
            ("%:include \"a\"", 1, "include"),
            ("%\\\n:include \"a\"", 1, "include"),
            ("??=include \"a\"", 1, "include"),
            ("#inc\\\nlu\\  \r\nde \"a\"", 1, "include"),
            ("#in??/\nclude \"a\"", 1, "include"),
            ("/* a */ # /* b\n */ include \"a\"", 1, "include"),
            ("#/\\\n* a */include \"a\"", 1, "include"),
            ("\r#\r\x0b\x0cinclude \"a\"", 1, "include"),
            ("\u{feff}#\u{a0}include \"a\"", 1, "include"),
            ("const char* a = R\"(/*)\";\n#include \"a\" // */", 2, "include"),
            ("#include_next \"a\"", 1, "include_next"),
            ("#import \"a\"", 1, "import"),
            ("int a[] = {\n#embed \"a\"\n};", 2, "embed"),
            ("#define ASKS __has_include\n#if ASKS(\"a\")", 1, "__has_include"),
            ("#if __has_include_next(\"a\")", 1, "__has_include"),
            ("#if __has_embed(\"a\")", 1, "__has_embed"),
            ("#define PASTE(a, b) a ## b\n#if PASTE(__ha, s_include)(\"a\")", 1, "##"),
            ("#define PASTE(a, b) a %:%: b", 1, "##"),
        ];
        for (text, line, what) in found {
            assert_eq!(reading(text), Some((line, what)), "{text:?}");
        }
    }

    #[test]
    fn a_source_that_stands_alone_is_let_through() {
        let alone = [
            "",
            "#",
            "# /* without an end",
            "#define TILE 8\n#pragma unroll TILE\nint included, embed; // include this\n",
            "#define NAME(x) #x\n#ifdef TILE\n#elif 1 % 2\n#endif\nint a = b %c;",
            "int import = include[3]; // #1: nothing",
        ];
        for text in alone {
            assert_eq!(reading(text), None, "{text:?}");
        }
    }
}
