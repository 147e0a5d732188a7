//! PTX as data: what is read, written and changed, with NVIDIA's assembler as the judge.

mod edits;
mod emulate;
mod evolution;
mod forms;
mod quick;
mod round_trip;
mod rounds;
mod support;
