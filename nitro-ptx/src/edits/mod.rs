//! Edits of a module: as data, as text, drawn at random, and applied.

mod ahead;
mod apply;
pub(crate) mod base;
mod describe;
pub(crate) mod edit;
pub(crate) mod legal_edits;
mod lift;
mod mutate;
mod narrow;
mod overlap;
pub(crate) mod patch;
pub(crate) mod proposal;
mod quick;
pub(crate) mod reword;
mod rewrite;
mod rounds;
mod simplify;
mod sink;
mod unroll;
mod widen;
