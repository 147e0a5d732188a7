//! All forms of a nest: what the passes over nests make of it, with and without each optional one.

use super::{AnalysedNest, NEST_PASSES, Rewrites};
use crate::dependence::DependenceError;
use crate::nest::Nest;

/// All forms of a nest.
#[derive(Clone, Debug)]
pub(crate) struct Forms {
    /// Those that are different nests, the first without any optional pass, each with the fewest that make it.
    pub(crate) all: Vec<(Rewrites, AnalysedNest)>,
    /// The form that each choice of optional passes leads to.
    indices: Vec<(Rewrites, usize)>,
}

impl Forms {
    /// Runs the passes over a nest, as it is written, in all ways.
    pub(crate) fn new(nest: &Nest) -> Result<Self, DependenceError> {
        let mut ways = vec![(Rewrites::default(), AnalysedNest::new(nest.clone())?)];
        for pass in NEST_PASSES {
            let mut next: Vec<(Rewrites, AnalysedNest)> = Vec::new();
            let mut known: Vec<(Nest, AnalysedNest)> = Vec::new();
            for (rewrites, input) in ways {
                let output = match known.iter().find(|(nest, _)| *nest == input.nest) {
                    Some((_, output)) => output.clone(),
                    None => (pass.run)(&input)?.unwrap_or_else(|| input.clone()),
                };
                known.push((input.nest.clone(), output.clone()));
                let mut with = rewrites;
                if let Some(option) = pass.option {
                    next.push((rewrites, input));
                    *option(&mut with) = true;
                }
                next.push((with, output));
            }
            ways = next;
        }
        let mut forms = Self { all: Vec::new(), indices: Vec::new() };
        for (rewrites, nest) in ways {
            let known = forms.all.iter().position(|(_, known)| known.nest == nest.nest);
            forms.indices.push((rewrites, known.unwrap_or(forms.all.len())));
            if known.is_none() {
                forms.all.push((rewrites, nest));
            }
        }
        Ok(forms)
    }

    /// Returns the index of the form that these passes make.
    pub(crate) fn index(&self, rewrites: Rewrites) -> usize {
        let found = self.indices.iter().find(|(known, _)| *known == rewrites);
        found.expect("all ways are known").1
    }

    /// Returns the nest that these passes make.
    pub(crate) fn get(&self, rewrites: Rewrites) -> &AnalysedNest {
        &self.all[self.index(rewrites)].1
    }
}
