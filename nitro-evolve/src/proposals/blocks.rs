//! Proposals of blocks: what all launches of the search have in common.

use std::collections::{BTreeMap, BTreeSet};

use nitro_ptx::{Operation, Proposal, Reason};

use crate::workload::Workload;

/// Proposes the threads of a block for each kernel that is always launched with the same.
pub(super) fn proposals(workload: &Workload) -> Vec<Proposal> {
    let mut seen = BTreeMap::<String, BTreeSet<[u32; 3]>>::new();
    for launch in workload.launches_of_search() {
        seen.entry(launch.kernel).or_default().insert(launch.block);
    }
    let edited = workload.kernels();
    seen.retain(|kernel, blocks| blocks.len() == 1 && edited.contains(&kernel.as_str()));
    let blocks = seen.into_iter().flat_map(|(kernel, blocks)| {
        blocks.into_iter().map(move |threads| Operation::Block { kernel: kernel.clone(), threads })
    });
    blocks.map(|operation| Proposal::new(Reason::Block, operation)).collect()
}
