//! Generated code: the texts behind configurations that are digests.

use nitro_core::Artifact;

use super::{Recordings, assignments};

impl Recordings {
    /// The generated code that a choice or configuration names (`found{kernel=3fa9…}`, `kernel=3fa9…`), if its text is here. It is kept then
    /// ([`Artifact::keep`]): whoever has recordings can run and ship what they measured.
    ///
    /// ```
    /// use nitro_train::Artifact;
    /// use nitro_train::recordings::Recordings;
    ///
    /// let (kernel, text) = (Artifact::of("block=32"), "block=32".to_owned());
    /// let recordings = Recordings { artifacts: [(kernel, text)].into(), ..Recordings::default() };
    /// assert_eq!(recordings.artifact(&format!("found{{kernel={kernel}}}")), Some(kernel));
    /// assert_eq!(kernel.text(), Some("block=32"));
    /// assert_eq!(recordings.artifact("tiled{block=32}"), None);
    /// ```
    #[must_use]
    pub fn artifact(&self, choice: &str) -> Option<Artifact> {
        let text = self.artifacts.get(&named(choice)?)?;
        Some(Artifact::keep(text))
    }
}

impl Recordings {
    /// Whether the variant at this position runs generated code: all that was measured of it are digests.
    pub(crate) fn is_generated(&self, variant: usize) -> bool {
        let mut configurations = self
            .measurements
            .iter()
            .filter(|one| one.variant == variant)
            .map(|one| &one.configuration)
            .peekable();
        configurations.peek().is_some() && configurations.all(|own| digest(own).is_some())
    }
}

/// The artifact that a choice or configuration names.
pub(crate) fn named(choice: &str) -> Option<Artifact> {
    let configuration = choice.split_once('{').map_or(choice, |(_, rest)| rest.trim_end_matches('}'));
    digest(configuration).filter(|own| *own != Artifact::NONE)
}

/// The value of the only parameter, where it is an artifact or none.
fn digest(configuration: &str) -> Option<Artifact> {
    let mut entries = assignments(configuration);
    let (_, value) = entries.next()?;
    value.parse().ok().filter(|_| entries.next().is_none())
}
