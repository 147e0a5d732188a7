//! Recording in this process. One program, since each would be linked with the whole trainer.

#[allow(dead_code, reason = "sessions need no provider")]
#[path = "../scripted/mod.rs"]
mod scripted;

mod input_patterns;
mod session;
mod time;
