//! Worker processes of Nitro: started, asked or watched, ended and replaced.
//!
//! What runs in a worker may crash, never end, or take a device away from its process. So it costs the worker alone.
//! There are two ways to follow one:
//!
//! - An [`AnsweringWorker`] gets requests and gives answers, as frames over its standard streams. It reads
//!   [`Requests`] and writes with [`write_frame`].
//! - A plain [`Worker`] has a task of its own and writes into a [`NoteFile`] what it runs. Its parent looks there,
//!   which costs a measurement less than a reader that wakes up.
//!
//! Either ends with its parent, and its end is a [`Death`]. [`Losses`] limits how many are replaced.
//!
//! ```
//! # #[cfg(unix)] {
//! use std::process::Command;
//! use std::time::Duration;
//!
//! use nitro_process::AnsweringWorker;
//!
//! const MINUTE: Duration = Duration::from_secs(60);
//! // A worker whose answers are its requests.
//! let mut worker = AnsweringWorker::<String>::start(&mut Command::new("cat"))?;
//! worker.ask(&"request")?;
//! assert_eq!(worker.answer(MINUTE, MINUTE)?, "request");
//! worker.kill(MINUTE)?;
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate knows no other crate of Nitro and no messages: what workers and parents tell each other is any type of
//! serde.

mod answering;
mod death;
mod frame;
mod losses;
mod note;
mod parent;
mod tail;
mod worker;

pub use self::answering::AnsweringWorker;
pub use self::death::Death;
pub use self::frame::{FrameError, read_frame, write_frame};
pub use self::losses::{Losses, TooManyLosses};
pub use self::note::NoteFile;
pub use self::parent::{Requests, when_parent_ends};
pub use self::worker::{ProcessError, Worker};
