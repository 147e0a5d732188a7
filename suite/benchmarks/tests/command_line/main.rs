//! The trainer as a user types it. One program, since each would be linked with the whole suite.

#[path = "../trainer/mod.rs"]
mod trainer;

mod check;
mod devices;
mod explain_why;
mod hostile_data;
#[cfg(target_os = "linux")]
mod outputs_that_fail;
#[cfg(unix)]
mod read_only;
mod report;
mod report_tuning;
mod search;
mod shown;
mod usage;
