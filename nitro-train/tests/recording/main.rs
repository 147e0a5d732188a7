//! Recording in this process. One program, since each would be linked with the whole trainer.

#[path = "../scripted/mod.rs"]
mod scripted;

mod approximate;
mod as_a_library;
mod asked_features;
mod calibrates;
mod changing_inputs;
mod claims;
mod declarations;
mod feature_times;
mod imported_order;
mod input_patterns;
mod load;
mod old_recordings;
mod sample;
mod session;
mod time;
