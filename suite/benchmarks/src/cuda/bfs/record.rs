//! Recording.

use std::cell::RefCell;

use nitro_cuda::CudaError;
use nitro_train::{BoxError, Session};
use rayon::prelude::*;

use super::{Graph, Reference, Search, checksum, inputs};
use crate::cuda::cuda_bfs;

/// Searches of a graph that are compared with the host's; the others are compared with the default variant's.
const COMPARED: usize = 8;

/// Measures the function on every input that is due. An input is a graph; its searches from all sources are one
/// measurement.
///
/// # Errors
/// When an input cannot be made, and as [`Session::checked_input`].
pub fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let pattern = inputs::load(name)?;
        let sources = inputs::sources(&pattern);
        let expected: Vec<u64> = sources
            .par_iter()
            .take(COMPARED)
            .map(|source| checksum(&Reference::new(&pattern, *source).distances))
            .collect();
        let graph = Graph::new(&pattern)?;
        let search = RefCell::new(Search::new(&graph)?);
        let run = || -> Result<Vec<u64>, CudaError> {
            let search = &mut *search.borrow_mut();
            let from = |source: &u32| {
                search.poison()?;
                cuda_bfs(&graph, *source, search)?;
                search.checksum()
            };
            sources.iter().map(from).collect()
        };
        session.checked_input(name, run, |first, found| match (first, found) {
            (Ok(first), Ok(found)) => first == found && found.starts_with(&expected),
            _ => false,
        })?;
    }
    Ok(())
}
