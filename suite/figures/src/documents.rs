//! Figures in the documents.
//!
//! A table or a paragraph that is made of figures stands between `<!-- figures: NAME -->` and `<!-- /figures -->`,
//! each on a line of its own; a measured figure in a sentence after `<!-- measured: NAME -->`.

use crate::blocks::block;
use crate::figures::Figures;
use crate::{Error, pictures, root};

/// The documents with figures, from the root of the repository.
pub const DOCUMENTS: [&str; 8] = [
    "README.md",
    "guide/src/results.md",
    "guide/src/call.md",
    "guide/src/learning.md",
    "guide/src/transfer.md",
    "guide/src/questions.md",
    "guide/src/tutorial.md",
    "models/README.md",
];

const BLOCK: &str = "<!-- figures: ";
const BLOCK_END: &str = "<!-- /figures -->";
const MEASURED: &str = "<!-- measured: ";
const END: &str = " -->";

/// Puts the figures into every document.
///
/// # Errors
/// When a document cannot be read or written, or names a figure that there is not.
pub fn write_all(figures: &Figures) -> Result<(), Error> {
    for (document, text) in changed(figures)? {
        std::fs::write(root().join(&document), text)?;
        eprintln!("{document}: written");
    }
    Ok(())
}

/// Fails where a document has other figures.
///
/// # Errors
/// As [`write_all`], and when there is such a document.
pub fn check_all(figures: &Figures) -> Result<(), Error> {
    match changed(figures)?.first() {
        Some((document, _)) => {
            Err(format!("{document}: its figures are not those of guide/figures.json: run with --documents")
                .into())
        }
        None => Ok(()),
    }
}

/// The documents and pictures whose figures are others, each with the text that it should have.
fn changed(figures: &Figures) -> Result<Vec<(String, String)>, Error> {
    let mut changed = Vec::new();
    for document in DOCUMENTS {
        let text = read(document)?;
        let written = written(&text, figures).map_err(|error| format!("{document}: {error}"))?;
        if written != text {
            changed.push((document.to_owned(), written));
        }
    }
    for (picture, drawn) in pictures::files(figures)? {
        // One that is not there yet has another text too.
        if read(&picture).ok().as_ref() != Some(&drawn) {
            changed.push((picture, drawn));
        }
    }
    Ok(changed)
}

/// The text of a document.
///
/// # Errors
/// When it cannot be read.
pub fn read(document: &str) -> Result<String, Error> {
    let text = std::fs::read_to_string(root().join(document));
    Ok(text.map_err(|error| format!("{document}: {error}"))?)
}

/// The text with the figures in it.
///
/// # Errors
/// When a comment names a figure that there is not, or a block does not end.
pub fn written(text: &str, figures: &Figures) -> Result<String, Error> {
    with_measured(&with_blocks(text, figures)?, figures)
}

fn with_blocks(text: &str, figures: &Figures) -> Result<String, Error> {
    let mut written = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        written += &format!("{line}\n");
        let name = line.strip_prefix(BLOCK).and_then(|rest| rest.strip_suffix(END));
        let Some(name) = name else { continue };
        lines.find(|line| *line == BLOCK_END).ok_or_else(|| format!("`{name}` does not end: {BLOCK_END}"))?;
        written += &format!("{}\n{BLOCK_END}\n", block(name, figures)?.trim_end());
    }
    Ok(written)
}

fn with_measured(text: &str, figures: &Figures) -> Result<String, Error> {
    let mut parts = text.split(MEASURED);
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(END).ok_or("a comment does not end")?;
        let rest = &rest[printed_length(rest)..];
        written += &format!("{MEASURED}{name}{END}{}{rest}", figures.measured(name)?);
    }
    Ok(written)
}

/// The length of the figure that a text begins with: `4.6`, `1,000` or `5 to 7`.
fn printed_length(text: &str) -> usize {
    let number = |text: &str| {
        let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.' && letter != ',');
        text[..end.unwrap_or(text.len())].trim_end_matches(['.', ',']).len()
    };
    let first = number(text);
    match text[first..].strip_prefix(" to ").map_or(0, number) {
        0 => first,
        second => first + " to ".len() + second,
    }
}

/// The names of the measured figures that stand in a text.
pub fn measured_names(text: &str) -> impl Iterator<Item = &str> {
    text.split(MEASURED).skip(1).filter_map(|part| Some(part.split_once(END)?.0))
}

/// The names of the blocks that stand in a text.
pub fn block_names(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.strip_prefix(BLOCK)?.strip_suffix(END))
}

/// The text without blocks and measured figures: what a person wrote.
pub fn handwritten(text: &str) -> String {
    let mut lines = text.lines();
    let mut kept = String::new();
    while let Some(line) = lines.next() {
        match line.starts_with(BLOCK) {
            true => drop(lines.find(|line| *line == BLOCK_END)),
            false => kept += &format!("{line}\n"),
        }
    }
    let mut parts = kept.split(MEASURED);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for rest in parts.filter_map(|part| Some(part.split_once(END)?.1)) {
        text += &rest[printed_length(rest)..];
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Measured;

    fn figures() -> Figures {
        let values = [("a.ns", "4.6"), ("b.us", "5 to 7")].map(|(name, value)| (name.into(), value.into()));
        let source = Measured { values: values.into(), ..Measured::default() };
        Figures { measured: vec![source], ..Figures::default() }
    }

    #[test]
    fn a_measured_figure_takes_the_place_of_what_stood_there() {
        for (before, after) in [
            ("takes <!-- measured: a.ns -->3 ns.", "takes <!-- measured: a.ns -->4.6 ns."),
            ("<!-- measured: a.ns -->1,000.", "<!-- measured: a.ns -->4.6."),
            ("<!-- measured: b.us -->1.5 to 2, or", "<!-- measured: b.us -->5 to 7, or"),
            ("<!-- measured: b.us -->1 to all", "<!-- measured: b.us -->5 to 7 to all"),
            ("<!-- measured: a.ns -->", "<!-- measured: a.ns -->4.6"),
        ] {
            assert_eq!(written(&format!("{before}\n"), &figures()).unwrap(), format!("{after}\n"));
        }
    }

    #[test]
    fn what_there_is_not_is_named() {
        for (text, part) in [
            ("<!-- measured: c -->4", "`c`"),
            ("<!-- figures: no-such-table -->\n<!-- /figures -->", "`no-such-table`"),
            ("<!-- figures: README.table -->\n| a |", "does not end"),
        ] {
            let error = written(text, &figures()).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
