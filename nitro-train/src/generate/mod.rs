//! The generators of code: they write the texts that a variant with a parameter `in artifacts` runs.
//!
//! To the rest of the trainer such a text is a configuration like any other, known by its digest. Only a search
//! asks a [`Generator`] for texts, and whoever wants to know what one does asks it for a description.

// With what an implementation names, so that it needs no dependency on `nitro-search`.
pub use nitro_search::{
    Attributes, BoxError, Crossing, Decision, Decisions, Description, Evaluation, Generator, NodeKey,
    Observation, Part, PathBound, ProofPlan, Proposer, Prover, Step, Target, TellError,
};
