//! Things of a module that the emulator does not know.

use crate::machine::error::Unsupported;
use crate::text::declare::UnknownDeclaration;

/// Something that is not known, and the names of those who have to do with it.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    pub(super) unsupported: Unsupported,
    /// Whoever needs none of these names needs nothing of it; none: everybody does.
    pub(super) names: Vec<String>,
}

impl From<UnknownDeclaration> for Refusal {
    fn from(UnknownDeclaration { names, why }: UnknownDeclaration) -> Self {
        Self { unsupported: Unsupported::declaration(why), names }
    }
}
