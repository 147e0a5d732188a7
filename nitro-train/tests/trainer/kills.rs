//! A search that is killed in the middle.

use std::fs;
use std::process::Command;

/// Says after how many evaluations a search is killed.
pub const KILL_AT: &str = "KILL_AT";

/// Once as much was evaluated as the environment says, the supervisor is killed, and this process ends with it.
pub fn kill_once(evaluated: impl FnOnce() -> usize) {
    let Some(at) = std::env::var(KILL_AT).ok().and_then(|at| at.parse::<usize>().ok()) else { return };
    if evaluated() >= at && fs::File::create_new(format!("killed-{at}")).is_ok() {
        #[cfg(unix)]
        let supervisor = std::os::unix::process::parent_id().to_string();
        #[cfg(not(unix))]
        let supervisor = String::new();
        Command::new("kill").args(["-9", &supervisor]).status().expect("kill is there");
        loop {
            std::thread::park();
        }
    }
}
