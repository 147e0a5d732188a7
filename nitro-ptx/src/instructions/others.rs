//! Instructions that edits know, and the emulator does not: textures, surfaces, matrices.

use super::effect::{Kind, collective, collective_store, pure};
use super::entry::Entry;

pub(super) const FAMILY: &[Entry] = &[
    Entry::not_emulated("tex/tld4/txq/suq", pure),
    Entry::not_emulated("fns", pure),
    Entry::not_emulated("mma/ldmatrix/movmatrix", collective),
    Entry::not_emulated("stmatrix", collective_store),
    Entry::not_emulated("wmma", |parts| match parts.contains(&"store") {
        true => (Kind::Collective, 0),
        false => collective(parts),
    }),
];
