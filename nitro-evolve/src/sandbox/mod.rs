//! The sandbox: candidates run in a worker process, so that what they do costs at most that process.
//!
//! After an illegal access a device is lost to its process, and a kernel that never ends cannot be stopped but with
//! it. So a [`Sandbox`], which is a [`Bench`](crate::Bench), asks a worker: another process of the same program,
//! which [`serve`]s a bench of its own and alone has a context. A worker that is late is ended, one that ends is
//! replaced, and code that has cost a worker is not run again. Machine code is made beside that, in any number of
//! threads ([`Assembler`]).

mod assembler;
mod child;
mod cuda;
mod frame;
mod limits;
mod message;
mod parent;
mod quarantine;
mod tail;
mod worker;

pub use self::assembler::Assembler;
pub(crate) use self::assembler::written_for;
pub use self::cuda::CudaBench;
pub use self::limits::{Clock, Limits, Statistics, SystemClock};
pub use self::parent::Sandbox;
pub use self::worker::serve;
