//! Generated code: who writes the texts that a variant with a parameter `in artifacts` runs, and what there is to decide about them.
//!
//! To the rest of the trainer such a text is a configuration like any other, known by its digest. Only a search asks a [`Generator`].

// What an implementation names, so that it needs no dependency on `nitro-search`.
pub use nitro_search::{Attributes, Crossing, Decision, Decisions, NodeKey, Part, Step};

use crate::measure::BoxError;

/// Writes code for a variant: what there is to decide about it, and the text that comes of decisions. [`Tunable::generated`](crate::Tunable::generated) takes one.
///
/// ```
/// use nitro_train::BoxError;
/// use nitro_train::generate::{Crossing, Decision, Decisions, Generator, NodeKey, Step};
///
/// /// Loops that are unrolled and cut into blocks, as text that a variant understands.
/// struct Loops;
///
/// const BLOCKS: [usize; 4] = [16, 32, 64, 128];
///
/// impl Decisions for Loops {
///     fn next(&self, path: &[Crossing]) -> Step {
///         match path.len() {
///             0 => Step::Choose(Decision::new(NodeKey::new("block"), BLOCKS.len())),
///             1 => Step::Choose(Decision::new(NodeKey::new("unroll"), 3)),
///             _ => Step::Complete,
///         }
///     }
/// }
///
/// impl Generator for Loops {
///     fn decisions(&self) -> &dyn Decisions {
///         self
///     }
///
///     fn artifact(&self, path: &[Crossing]) -> Result<String, BoxError> {
///         let [block, unroll] = path else { return Err("a path has two decisions".into()) };
///         Ok(format!("block={} unroll={}", BLOCKS[block.option], 1 << unroll.option))
///     }
///
///     fn presets(&self) -> Vec<(String, String)> {
///         vec![("what experts write".to_owned(), "block=64 unroll=4".to_owned())]
///     }
/// }
///
/// assert!(matches!(Loops.decisions().next(&[]), Step::Choose(decision) if decision.allowed.len() == 4));
/// ```
pub trait Generator: Send + Sync {
    /// What there is to decide. It answers the same whenever it is asked: a search that was stopped goes on by asking again.
    fn decisions(&self) -> &dyn Decisions;

    /// The text that these decisions give, e.g. CUDA C++ with what it is launched with. The same decisions give the same text; two paths may give one text,
    /// which is evaluated once.
    ///
    /// # Errors
    /// When nothing can be made of them; the search goes on without that path.
    fn artifact(&self, path: &[Crossing]) -> Result<String, BoxError>;

    /// Texts, each with a name for people, that every search evaluates before the first path: what is known to be sane.
    fn presets(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}
