//! How much memory a process may still take.

use std::path::Path;

/// Nobody asks the system where less is taken.
const LARGE_BYTES: u64 = 64 << 20;

/// Fails where what takes these bytes takes more than half of what `free_bytes` says is free: others need memory, too.
pub(crate) fn check(what: &str, bytes: u64, free_bytes: impl Fn() -> Option<u64>) -> Result<(), String> {
    let free = if bytes > LARGE_BYTES { free_bytes() } else { None };
    match free.filter(|free| bytes > free / 2) {
        None => Ok(()),
        Some(free) => {
            let [bytes, free] = [bytes, free].map(|bytes| bytes as f64 / f64::from(1 << 30));
            Err(format!(
                "{what} take {bytes:.1} GiB, more than half of the {free:.1} GiB of memory that are free; \
                 make them smaller"
            ))
        }
    }
}

/// Returns the bytes that this process may still take, as far as the system says.
pub(crate) fn free_bytes() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let limits = [
        read("/proc/meminfo").and_then(|text| of_machine(&text)),
        read("/proc/self/cgroup").and_then(|text| of_group(&text)),
        read("/proc/self/limits").zip(read("/proc/self/status")).and_then(|(l, s)| of_process(&l, &s)),
    ];
    limits.into_iter().flatten().min()
}

/// Returns what the machine has free, or can make free, by `/proc/meminfo`.
fn of_machine(meminfo: &str) -> Option<u64> {
    kibibytes(meminfo, "MemAvailable:")
}

/// Returns what the process may still add to its address space, by `/proc/self/limits` and `/proc/self/status`.
fn of_process(limits: &str, status: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let most: u64 = line.split_whitespace().next()?.parse().ok()?; // or `unlimited`
    Some(most.saturating_sub(kibibytes(status, "VmSize:")?))
}

/// Returns what the control group that `/proc/self/cgroup` names leaves, and the groups around it.
fn of_group(cgroup: &str) -> Option<u64> {
    let own = cgroup.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let root = Path::new("/sys/fs/cgroup");
    let number = |path: &Path| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let folders = Path::new(own).ancestors().map(|folder| root.join(folder));
    let left = |folder: &Path| {
        let most = number(&folder.join("memory.max"))?; // or `max`
        Some(most.saturating_sub(number(&folder.join("memory.current"))?))
    };
    folders.filter_map(|folder| left(&folder)).min()
}

/// Returns a number of a file whose lines are a name and kibibytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_more_than_half_of_what_is_free_is_refused() {
        let check = |bytes, free| check("the buffers", bytes, || free);
        assert_eq!(check(8 << 30, Some(16 << 30)), Ok(()));
        let expected = "the buffers take 9.0 GiB, more than half of the 16.0 GiB of memory that are free; make them smaller";
        assert_eq!(check(9 << 30, Some(16 << 30)), Err(expected.to_owned()));
        assert_eq!((check(9 << 30, None), check(1 << 20, Some(0))), (Ok(()), Ok(())));
    }

    #[test]
    fn what_is_free_is_read_as_the_kernel_writes_it() {
        let meminfo = "MemTotal:       16296032 kB\nMemFree:          831828 kB\nMemAvailable:    2048 kB\n";
        assert_eq!(of_machine(meminfo), Some(2 << 20));
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max file size             unlimited            unlimited            bytes     \n\
                      Max address space         8192000000           unlimited            bytes     \n";
        let status = "Name:\ttrain\nVmPeak:\t  200000 kB\nVmSize:\t  100000 kB\n";
        assert_eq!(of_process(limits, status), Some(8_192_000_000 - 102_400_000));
        assert_eq!(of_process(&limits.replace("8192000000", "unlimited "), status), None);
        assert_eq!((of_machine(""), of_group("1:memory:/old\n")), (None, None));
    }
}
