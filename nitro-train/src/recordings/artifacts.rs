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

/// The artifact that a choice or configuration names.
pub(crate) fn named(choice: &str) -> Option<Artifact> {
    let configuration = choice.split_once('{').map_or(choice, |(_, rest)| rest.trim_end_matches('}'));
    let (_, digest) = assignments(configuration).next()?;
    digest.parse().ok().filter(|own| *own != Artifact::NONE)
}
