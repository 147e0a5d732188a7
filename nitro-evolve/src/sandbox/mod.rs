//! The sandbox: candidates run in a worker process, so that what they do costs at most that process.
//!
//! After an illegal access a device is lost to its process, and a kernel that never ends cannot be stopped but with
//! it. So a [`Sandbox`], which is a [`Runner`](crate::Runner), asks a worker. That is another process of the same
//! program, which [`serve`]s a runner of its own and alone has a context. A worker that is late is ended, one that
//! ends is replaced, and code that has cost a worker is not run again. `nitro-process` has what that takes of any
//! worker.

mod assembler;
mod cuda;
mod limits;
mod loss;
mod message;
mod parent;
mod quarantine;
mod worker;

pub use self::assembler::Assembler;
pub(crate) use self::assembler::written_for;
pub use self::cuda::CudaRunner;
pub use self::limits::{Clock, Limits, Statistics};
pub use self::parent::Sandbox;
pub use self::worker::serve;
