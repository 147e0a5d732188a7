//! PTX as data: what is read, written and changed, with NVIDIA's assembler as the judge.

mod edits;
mod evolution;
mod round_trip;
mod support;
