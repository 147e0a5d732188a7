//! A kernel's use of a multiprocessor, as the assembler (`ptxas -v`) says in the compiler's log.

/// A kernel's use of a multiprocessor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Registers of a thread.
    pub registers: u32,
    /// Shared memory of a block that the source declares.
    pub static_shared_bytes: u32,
    /// Local memory of a thread: arrays and spilled registers.
    pub stack_bytes: u32,
    /// Stores and loads of spilled registers that stand in the code.
    pub spill_bytes: u32,
}

/// Reads what the log says of the kernel.
pub(super) fn of(kernel: &str, log: &str) -> Option<Usage> {
    let begin = format!("Compiling entry function '{kernel}' ");
    let lines = log.lines().skip_while(|line| !line.contains(&begin)).skip(1);
    let own = lines.take_while(|line| !line.contains("Compiling entry function"));
    // A device function that was not inlined has properties of its own, after those of the kernel.
    let mut usage = None;
    let mut frame = None;
    for line in own {
        if line.contains("bytes stack frame") && frame.is_none() {
            frame = Some((before(line, " bytes stack frame"), spills(line)));
        } else if let Some(registers) = before(line, " registers") {
            let static_shared_bytes = before(line, " bytes smem").unwrap_or(0);
            usage = Some(Usage { registers, static_shared_bytes, ..Usage::default() });
        }
    }
    let (stack_bytes, spill_bytes) = (frame?.0?, frame?.1?);
    Some(Usage { stack_bytes, spill_bytes, ..usage? })
}

fn spills(line: &str) -> Option<u32> {
    Some(before(line, " bytes spill stores")? + before(line, " bytes spill loads")?)
}

/// The number before these words.
fn before(line: &str, words: &str) -> Option<u32> {
    let (text, _) = line.split_once(words)?;
    text.rsplit([' ', ',']).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "a.cu(3): warning #177-D: variable \"q\" was declared but never referenced
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'k2' for 'sm_90'
ptxas info    : Function properties for k2
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 4 registers, used 0 barriers
ptxas info    : Compile time = 0.993 ms
ptxas info    : Compiling entry function 'k' for 'sm_90'
ptxas info    : Function properties for k
ptxas         .     16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 16 bytes cumulative stack size, 800 bytes smem
ptxas info    : Function properties for helper
ptxas         .     40 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Compile time = 1.568 ms";

    #[test]
    fn each_kernel_has_its_own() {
        let usage = Usage { registers: 32, static_shared_bytes: 800, stack_bytes: 16, spill_bytes: 20 };
        assert_eq!(of("k", LOG), Some(usage));
        assert_eq!(of("k2", LOG), Some(Usage { registers: 4, ..Usage::default() }));
    }

    #[test]
    fn what_the_log_does_not_say_is_not_known() {
        for log in [
            "",
            "ptxas info    : Compiling entry function 'k' for 'sm_90'",
            &LOG.replace("registers", "regs"),
        ] {
            assert_eq!(of("k", log), None, "{log}");
        }
        assert_eq!(of("absent", LOG), None);
    }
}
