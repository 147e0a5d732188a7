//! A process that was forked calls and reloads, whatever its parent's threads were about. In a file of its own: it
//! forks.
#![cfg(unix)]

use std::sync::atomic::{AtomicBool, Ordering};

use nitro::code_variant;

#[code_variant(name = "forked", variants(first, second), default = first)]
fn forked() -> usize;

fn first() -> usize {
    1
}

fn second() -> usize {
    2
}

/// Forks; whether the child, which reloads and calls, ends well. One that waits for a thread that it does not have
/// ends by the alarm.
fn child_ends_well() -> bool {
    // SAFETY: the child does what a call and a reload do, and ends without running what the parent has to run at
    // its end.
    unsafe {
        match libc::fork() {
            0 => {
                libc::alarm(20);
                let is_well = forked::function().reload().is_ok() && forked() == 1;
                libc::_exit(i32::from(!is_well));
            }
            child => {
                let mut status = 0;
                assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
                libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
            }
        }
    }
}

#[test]
fn a_forked_process_goes_on() {
    assert_eq!(forked(), 1);
    let goes_on = AtomicBool::new(true);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while goes_on.load(Ordering::Relaxed) {
                forked::function().reload().expect("no model is fine");
            }
        });
        let ended_well = (0..30).filter(|_| child_ends_well()).count();
        goes_on.store(false, Ordering::Relaxed);
        assert_eq!(ended_well, 30);
    });
}
