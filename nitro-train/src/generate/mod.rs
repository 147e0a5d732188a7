//! Generated code: who writes the texts that a variant with a parameter `in artifacts` runs, and what there is to
//! decide about them.
//!
//! To the rest of the trainer such a text is a configuration like any other, known by its digest. Only a search
//! asks a [`Generator`] for texts, and who wants to know what one does asks it for a description.

// With what an implementation names, so that it needs no dependency on `nitro-search`.
pub use nitro_search::{
    Attributes, BoxError, Crossing, Decision, Decisions, Description, Evaluation, Generator, NodeKey,
    Observation, Part, Proposer, Prover, Step, Target, TellError,
};
