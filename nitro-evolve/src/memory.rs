//! The memory that a process may still take.

use std::path::Path;

/// The bytes up to which the system is not asked.
const LARGE_BYTES: u64 = 64 << 20;

/// Fails where `what` takes more than half of the free memory: others need some, too.
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
    // A file that is not there has no text, and a text without a number says nothing.
    let [meminfo, cgroup, limits, status] =
        ["/proc/meminfo", "/proc/self/cgroup", "/proc/self/limits", "/proc/self/status"]
            .map(|path| std::fs::read_to_string(path).unwrap_or_default());
    let limits = [of_machine(&meminfo), of_group(&cgroup), of_process(&limits, &status)];
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
    Path::new(own).ancestors().filter_map(|folder| left_of_group(&root.join(folder))).min()
}

/// Returns what one control group leaves, if it has a limit.
fn left_of_group(folder: &Path) -> Option<u64> {
    let [most, now] =
        ["memory.max", "memory.current"] // the first may be `max`
            .map(|name| std::fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok());
    Some(most?.saturating_sub(now?))
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
