//! Every published figure, computed from the recordings that ship and kept in one file, `guide/figures.json`, from
//! which the documents get theirs.
//!
//! - [`recordings`] reads what ships: ten functions in `models/recordings`, and SpMV kernels measured by the Ginkgo
//!   project in `data/`;
//! - [`parts`] lists what is computed, [`compute`] computes it;
//! - [`figures`] is the form of the file, with the figures that need a clock or a GPU beside what measured them;
//! - [`numbers`] finds those in a text that somebody must have measured;
//! - [`blocks`] makes tables and sentences of figures, [`pictures`] draws them, [`documents`] puts them into the
//!   documents, between comments that name them.

pub mod blocks;
pub mod compute;
pub mod documents;
pub mod figures;
pub mod numbers;
pub mod parts;
pub mod pictures;
pub mod recordings;

/// What goes wrong is told once, to whoever ran the command.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// The root of the repository.
pub fn root() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
