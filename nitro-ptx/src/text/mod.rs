//! PTX as data: a text is read, printed, and taken apart. It knows no opcode.

mod body;
pub(crate) mod constant;
pub(crate) mod declare;
pub(crate) mod error;
pub(crate) mod head;
mod kernels;
pub(crate) mod module;
mod names;
pub(crate) mod parameters;
mod parse;
pub(crate) mod print;
pub(crate) mod reach;
pub(crate) mod scan;
mod statement;
pub(crate) mod textures;
pub(crate) mod types;
pub(crate) mod variables;
