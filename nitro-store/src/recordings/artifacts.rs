//! Generated code: the texts behind configurations that are digests.

use std::cell::RefCell;
use std::collections::BTreeSet;

use nitro_core::{Artifact, choice_text};

use super::{Recordings, assignments};

impl Recordings {
    /// The generated code that a choice or configuration names (`found{kernel=3fa9…}`, `kernel=3fa9…`), if its text
    /// is here. It is kept then ([`Artifact::keep`]): whoever has recordings can run and ship what they measured.
    ///
    /// ```
    /// use nitro_core::Artifact;
    /// use nitro_store::recordings::Recordings;
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
    /// Returns true if the variant at this position runs generated code: its configurations are digests, or none.
    pub fn is_generated(&self, variant: usize) -> bool {
        let of_variant = self.measurements.iter().filter(|one| one.variant == variant);
        let digests: Option<Vec<Artifact>> = of_variant.map(|one| digest(&one.configuration)).collect();
        digests.is_some_and(|all| all.iter().any(|own| *own != Artifact::NONE))
    }

    /// Leaves out measurements of generated code whose text is not here; returns what those choices are called.
    pub fn keep_artifacts(&mut self) -> Vec<String> {
        let generated: BTreeSet<String> = (0..self.variants.len())
            .filter(|&own| self.is_generated(own))
            .map(|own| self.variants[own].clone())
            .collect();
        let artifacts = std::mem::take(&mut self.artifacts);
        let lacking = RefCell::new(Vec::new());
        self.keep_configurations(|variant, configuration| {
            let artifact = named(configuration);
            let stays =
                !generated.contains(variant) || artifact.is_some_and(|own| artifacts.contains_key(&own));
            // What is no code at all lacks no text.
            if !stays && artifact.is_some() {
                lacking.borrow_mut().push(choice_text(variant, configuration));
            }
            stays
        });
        self.artifacts = artifacts;
        lacking.into_inner()
    }
}

/// The artifact that a choice or configuration names.
pub fn named(choice: &str) -> Option<Artifact> {
    let configuration = choice.split_once('{').map_or(choice, |(_, rest)| rest.trim_end_matches('}'));
    digest(configuration).filter(|own| *own != Artifact::NONE)
}

/// The value of the only parameter, where it is an artifact or none.
fn digest(configuration: &str) -> Option<Artifact> {
    let mut entries = assignments(configuration);
    let (_, value) = entries.next()?;
    value.parse().ok().filter(|_| entries.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recordings::{Measurement, Outcome};

    fn recordings(rows: &[(&str, String)]) -> Recordings {
        let mut recordings = Recordings::default();
        for (variant, configuration) in rows {
            let variant = recordings.variant_index(variant).unwrap_or_else(|| {
                recordings.variants.push((*variant).to_owned());
                recordings.variants.len() - 1
            });
            recordings.measurements.push(Measurement {
                device: 0,
                input: 0,
                variant,
                configuration: configuration.clone(),
                outcome: Outcome::Wrong,
                spread_ns: 0.0,
                repeats: 0,
                load: None,
                reason: String::new(),
            });
        }
        recordings
    }

    #[test]
    fn code_without_its_text_is_left_out_and_named_once() {
        let [here, gone] = ["here", "gone"].map(Artifact::of);
        let kernel = |own: Artifact| format!("kernel={own}");
        let mut own = recordings(&[
            ("found", kernel(here)),
            ("found", kernel(gone)),
            ("found", kernel(gone)),
            ("found", kernel(Artifact::NONE)),
            ("plain", String::new()),
            ("tiled", "mode=none".to_owned()),
        ]);
        own.artifacts.insert(here, "here".to_owned());
        assert_eq!((0..3).map(|at| own.is_generated(at)).collect::<Vec<_>>(), [true, false, false]);
        assert_eq!(own.keep_artifacts(), [format!("found{{{}}}", kernel(gone))]);
        let left: Vec<_> = own.measurements.iter().map(|one| one.configuration.clone()).collect();
        assert_eq!(left, [kernel(here), String::new(), "mode=none".to_owned()]);
        assert_eq!(own.artifacts.len(), 1);
    }

    #[test]
    fn a_configuration_of_several_parameters_is_no_code() {
        let kernel = Artifact::of("here");
        assert_eq!(named(&format!("kernel={kernel}")), Some(kernel));
        assert_eq!(named(&format!("found{{kernel={kernel}}}")), Some(kernel));
        for other in
            [String::new(), format!("a={kernel},b=1"), "tile=16".to_owned(), "kernel=none".to_owned()]
        {
            assert_eq!(named(&other), None, "{other}");
        }
    }
}
