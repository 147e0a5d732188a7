//! Sections of a profile: what the worker process shows the profiler, in order.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

/// A section of a profile, announced before it begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The number of the section, from 1: the number of blocks of the mark that begins it.
    pub section: u32,
    /// Number of launches that the profiler sees after the mark.
    pub shown: usize,
    /// The call or proxy in it.
    pub what: Shown,
}

/// The call or proxy in a section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// A call of a variant.
    Variant {
        /// The variant.
        variant: String,
        /// The input.
        input: String,
        /// Number of kernels that the call launches.
        launches: usize,
    },
    /// A launch of an application proxy.
    Proxy {
        /// The proxy.
        proxy: String,
        /// The intensity of the proxy.
        intensity: u32,
    },
}

impl Section {
    /// Writes the section as a line of JSON, and flushes it: the process may not live to see its end.
    pub(crate) fn announce(&self, to: &mut impl Write) -> io::Result<()> {
        writeln!(to, "{}", serde_json::to_string(self)?)?;
        to.flush()
    }
}

/// Reads the sections in a file of lines; a last line that was not finished is none.
///
/// ```
/// use nitro_train::profile::{Shown, read_sections};
///
/// let text = r#"{"section":1,"shown":1,"what":{"proxy":{"proxy":"atomics","intensity":3}}}
/// {"section":2,"sho"#; // the process ended while it wrote
/// let sections = read_sections(text)?;
/// assert_eq!(sections.len(), 1);
/// assert_eq!(sections[0].what, Shown::Proxy { proxy: "atomics".into(), intensity: 3 });
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
/// When a whole line is no section.
pub fn read_sections(text: &str) -> Result<Vec<Section>, serde_json::Error> {
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.lines().map(serde_json::from_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_survive_a_process_that_died_while_writing() {
        let variant = |section| Section {
            section,
            shown: 3,
            what: Shown::Variant { variant: "csr".into(), input: "a \"b\", c".into(), launches: 40 },
        };
        let mut text = Vec::new();
        variant(1).announce(&mut text).unwrap();
        variant(2).announce(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(read_sections(&text).unwrap(), [variant(1), variant(2)]);
        assert_eq!(read_sections(&text[..text.len() - 5]).unwrap(), [variant(1)]);
        assert!(read_sections("").unwrap().is_empty());
        assert!(read_sections("no section\n").is_err());
    }
}
