//! Artifacts: generated code as a value of a tuning parameter.

use std::fmt;
use std::str::FromStr;

use crate::chain::Chain;
use crate::error_text::error_text;
use crate::hash::fnv1a;

/// The most bytes of a text that models, stores and searches take.
pub const MAX_ARTIFACT_BYTES: usize = 1 << 20;

/// The number of lists, which leaves each short with ten thousand artifacts. A variant looks its text up in every
/// call.
const BUCKETS: usize = 1024;

/// The kept texts, by digest.
static KEPT: [Chain<(Artifact, Box<str>)>; BUCKETS] = [const { Chain::new() }; BUCKETS];

/// Generated code, such as CUDA C++ with its launch plan, or PTX: a text, known by a digest of 64 bits.
///
/// It is the value of a parameter `in artifacts` of
/// [`#[code_variant]`](https://docs.rs/nitro-variants/latest/nitro/attr.code_variant.html), and as such found,
/// recorded, learned and chosen like any other value. A program knows the text of those that its models carry, and
/// of those that it keeps itself. A model with artifacts is code: take it from whom you would take a program.
///
/// ```
/// use nitro_core::Artifact;
///
/// let kernel = Artifact::keep("block=32");
/// assert_eq!(kernel.text(), Some("block=32"));
/// assert_eq!(kernel.to_string(), "226541c3925d7e18"); // in stores, models and messages
/// assert_eq!("226541c3925d7e18".parse(), Ok(kernel));
/// assert!("none".parse() == Ok(Artifact::NONE) && Artifact::NONE.text().is_none());
/// assert!(Artifact::of("block=64").text().is_none(), "nobody has kept that here");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Artifact(u64);

impl Artifact {
    /// No code: what a variant has where nothing was found.
    pub const NONE: Self = Self(0);

    /// The artifact of this text, whether or not it is kept.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self(fnv1a(text.as_bytes()).max(1)) // 0 is none
    }

    /// Keeps a text until the process ends, once however often it is given. From now on [`text`](Self::text) knows
    /// it on every thread.
    pub fn keep(text: &str) -> Self {
        let artifact = Self::of(text);
        artifact.bucket().find_or_insert(|(own, _)| *own == artifact, || (artifact, text.into()));
        artifact
    }

    /// The text, if this process knows it. Takes no lock and allocates nothing.
    #[must_use]
    #[inline]
    pub fn text(self) -> Option<&'static str> {
        self.bucket().find(|(own, _)| *own == self).map(|(_, text)| &**text)
    }

    /// Returns true where this process knows the text. No choice with an artifact runs without.
    #[must_use]
    #[inline]
    pub fn is_known(self) -> bool {
        self.text().is_some()
    }

    /// The digest; 0 is none.
    #[must_use]
    pub const fn digest(self) -> u64 {
        self.0
    }

    /// The artifact of this digest.
    pub(crate) const fn of_digest(digest: u64) -> Self {
        Self(digest)
    }

    fn bucket(self) -> &'static Chain<(Self, Box<str>)> {
        &KEPT[self.0 as usize % BUCKETS]
    }
}

impl fmt::Display for Artifact {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NONE => formatter.write_str("none"),
            Self(digest) => write!(formatter, "{digest:016x}"),
        }
    }
}

impl FromStr for Artifact {
    type Err = ArtifactError;

    fn from_str(text: &str) -> Result<Self, ArtifactError> {
        match text {
            "none" => Ok(Self::NONE),
            _ if text.len() != 16 || !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) => {
                Err(ArtifactError)
            }
            _ => u64::from_str_radix(text, 16)
                .ok()
                .filter(|&digest| digest != 0)
                .map(Self)
                .ok_or(ArtifactError),
        }
    }
}

/// A text that names no artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArtifactError;

impl std::error::Error for ArtifactError {}

error_text!(ArtifactError: Self =>
    "an artifact is written as its digest of 16 lower-case hexadecimal digits, or `none`");

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;

    #[test]
    fn a_text_is_kept_once_whoever_gives_it() {
        let texts: Vec<String> = (0..4000).map(|number| format!("kept once, {number}")).collect();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| texts.iter().map(|text| Artifact::keep(text)).max());
            }
        });
        for text in &texts {
            let known = Artifact::of(text).text().expect("it was kept");
            assert_eq!(known, text);
            assert!(ptr::eq(known, Artifact::keep(&text.clone()).text().unwrap()), "where it was");
        }
    }

    #[test]
    fn only_what_is_shown_is_read() {
        for artifact in [Artifact::NONE, Artifact::of("a"), Artifact(1)] {
            assert_eq!(artifact.to_string().parse(), Ok(artifact));
        }
        for text in
            ["", "0", "0000000000000000", "3FA9000000000000", "3fa900000000000", "+fa9000000000000", "None"]
        {
            assert_eq!(text.parse::<Artifact>(), Err(ArtifactError), "{text}");
        }
    }
}
