//! The rule for which calls of an executable are made by a graph.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nitro_launch::{Host, PlanError};
use once_cell::sync::OnceCell;

use super::call::Call;
use super::graph::Graph;
use super::{Executable, LaunchError};
use crate::recent::Recent;
use crate::{Stream, capture, profiled_launches};

/// More launches than these are worth a graph.
const FEW: usize = 100;
/// More launches than these are made one by one. A graph keeps all of them, on the host and on the device.
const MOST_NODES: usize = 1 << 16;
/// Graphs of one executable.
const MOST_GRAPHS: usize = 8;

/// The key that tells one graph from another.
struct Key {
    stream: Stream,
    sizes: Vec<i64>,
    scalars: Vec<u64>,
    addresses: Vec<u64>,
}

impl Key {
    fn of(call: &Call<'_>) -> Self {
        let (scalars, addresses) = (call.scalars.clone(), call.addresses.clone());
        Self { stream: call.stream, sizes: call.sizes.to_vec(), scalars, addresses }
    }

    fn is(&self, call: &Call<'_>) -> bool {
        self.stream == call.stream
            && self.sizes == call.sizes
            && self.addresses == call.addresses
            && self.scalars == call.scalars
    }
}

/// A call that was made before, and its graph once it came again; none where its launches are few.
#[derive(Default)]
pub(super) struct Replay {
    was_called: AtomicBool,
    graph: OnceCell<Option<Arc<Graph>>>,
}

/// The calls of an executable that were made last.
pub(super) struct Replays(Recent<Key, Replay>);

impl Replays {
    pub(super) fn new() -> Self {
        Self(Recent::new(MOST_GRAPHS))
    }

    /// The number of calls that are made by a graph.
    pub(super) fn graphs(&self) -> usize {
        self.0.values().iter().filter(|replay| replay.graph.get().is_some_and(Option::is_some)).count()
    }

    /// The graph of this call, if it is made by one. That is from the second time on, since buffers that are new
    /// each time would have each graph launched once. A call that is captured or profiled is made launch by launch,
    /// as whoever looks at it expects.
    pub(super) fn graph(
        &self,
        executable: &Executable,
        call: &Call<'_>,
    ) -> Result<Option<Arc<Graph>>, LaunchError> {
        let host = &executable.plan.host;
        let may_be_many = host.len() > FEW || host.iter().any(|one| matches!(one, Host::Loop(..)));
        if !may_be_many || profiled_launches::is_on() || capture::is_captured(call.stream)? {
            return Ok(None);
        }
        let replay = self.0.get(|key| key.is(call), || Key::of(call));
        if !replay.was_called.swap(true, Ordering::Relaxed) {
            return Ok(None);
        }
        let graph = replay.graph.get_or_try_init(|| match is_worth_it(executable, call)? {
            true => Ok(Some(Arc::new(Graph::new(executable, call)?))),
            false => Ok(None),
        });
        graph.cloned()
    }
}

/// Returns true where the launches are many, and not too many.
fn is_worth_it(executable: &Executable, call: &Call<'_>) -> Result<bool, LaunchError> {
    enum Stop {
        Enough,
        Plan(PlanError),
    }
    impl From<PlanError> for Stop {
        fn from(error: PlanError) -> Self {
            Self::Plan(error)
        }
    }
    let mut count = 0;
    let counted = executable.plan.launches(call.sizes, |_| {
        count += 1;
        if count > MOST_NODES { Err(Stop::Enough) } else { Ok(()) }
    });
    match counted {
        Ok(()) => Ok(count > FEW),
        Err(Stop::Enough) => Ok(false),
        Err(Stop::Plan(error)) => Err(error.into()),
    }
}
