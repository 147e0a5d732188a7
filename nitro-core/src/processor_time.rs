//! The load of the machine's processors: what has to be known before a time is believed.

use std::fs;

/// Processor time since some beginning, in ticks of the system, of the processors that this process may use.
///
/// ```
/// use nitro_core::ProcessorTime;
///
/// let before = ProcessorTime { processors: 2, total: 2000, busy: 900, stolen: 0, own: 400 };
/// let after = ProcessorTime { processors: 2, total: 2200, busy: 1100, stolen: 0, own: 500 };
/// assert_eq!(after.wall_since(&before), 100); // ticks of the clock on the wall
/// assert_eq!(after.others_since(&before), 100); // one of the two processors was taken
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorTime {
    /// The number of processors that this process may use.
    pub processors: u64,
    /// Ticks of all of them, also when they have nothing to do.
    pub total: u64,
    /// Ticks in which they were busy, or taken away by another virtual machine.
    pub busy: u64,
    /// Ticks in which another virtual machine had taken them away; part of the busy time.
    pub stolen: u64,
    /// Ticks used by this process, and by children that it has waited for.
    pub own: u64,
}

/// Fewer ticks cannot tell a share of a few per cent.
const LEAST_TICKS: u64 = 20;

impl ProcessorTime {
    /// Returns the time so far, where the system tells it: on Linux, unless `/proc` is hidden.
    #[must_use]
    pub fn now() -> Option<Self> {
        if cfg!(not(target_os = "linux")) {
            return None;
        }
        let allowed = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let machine = fs::read_to_string("/proc/stat").ok()?;
        Self::parse(&machine, &fs::read_to_string("/proc/self/stat").ok()?, &allowed)
    }

    /// Reads the texts of `/proc/stat`, `/proc/self/stat` and `/proc/self/status`.
    fn parse(machine: &str, process: &str, status: &str) -> Option<Self> {
        let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        let mut time = Self { processors: 0, total: 0, busy: 0, stolen: 0, own: own_ticks(process)? };
        for line in machine.lines() {
            let Some((name, ticks)) = line.split_once(' ') else { continue };
            let Some(Ok(number)) = name.strip_prefix("cpu").map(str::parse::<u64>) else { continue };
            if allowed.is_none_or(|list| is_in_list(list, number)) {
                time.add(ticks)?;
            }
        }
        (time.processors > 0).then_some(time)
    }

    /// Adds the times of one processor.
    fn add(&mut self, ticks: &str) -> Option<()> {
        let ticks: Vec<u64> = ticks.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
        // The time of guests, which may follow, is part of that of users.
        let [user, nice, system, idle, waiting, irq, softirq, steal, ..] = ticks[..] else { return None };
        let busy = user + nice + system + irq + softirq + steal;
        self.processors += 1;
        self.total += busy + idle + waiting;
        self.busy += busy;
        self.stolen += steal;
        Some(())
    }

    /// Returns the ticks that have passed on the wall since an earlier reading.
    #[must_use]
    pub fn wall_since(&self, earlier: &Self) -> u64 {
        self.total.saturating_sub(earlier.total) / self.processors.max(1)
    }

    /// Returns the ticks that other processes of this machine have used since an earlier reading.
    #[must_use]
    pub fn others_since(&self, earlier: &Self) -> u64 {
        let busy = self.busy.saturating_sub(earlier.busy);
        let not_for_others = [(self.stolen, earlier.stolen), (self.own, earlier.own)];
        not_for_others.iter().fold(busy, |left, (now, then)| left.saturating_sub(now.saturating_sub(*then)))
    }

    /// The share of the machine's time since an earlier reading that others used. None when too little has passed to
    /// tell.
    pub(crate) fn load_since(&self, earlier: &Self) -> Option<f64> {
        let total = self.total.saturating_sub(earlier.total);
        let own = self.own.saturating_sub(earlier.own);
        let others = self.busy.saturating_sub(earlier.busy).saturating_sub(own);
        (total >= LEAST_TICKS).then(|| others as f64 / total as f64)
    }
}

/// Returns the ticks of a process and the children it has waited for, from its `/proc/PID/stat`.
fn own_ticks(process: &str) -> Option<u64> {
    // The name of the program stands in parentheses and may contain anything.
    let fields = process.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks: Vec<u64> = fields.take(4).map(str::parse).collect::<Result<_, _>>().ok()?;
    (ticks.len() == 4).then(|| ticks.iter().sum())
}

/// Returns true where a list such as `0-3,8` has a number.
fn is_in_list(list: &str, number: u64) -> bool {
    list.trim().split(',').any(|part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let bounds = (first.parse::<u64>(), last.parse::<u64>());
        matches!(bounds, (Ok(first), Ok(last)) if (first..=last).contains(&number))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(total: u64, busy: u64, own: u64) -> ProcessorTime {
        ProcessorTime { processors: 4, total, busy, stolen: 0, own }
    }

    #[test]
    fn the_load_is_what_other_processes_use() {
        let begin = time(1000, 500, 100);
        assert_eq!(time(1400, 600, 200).load_since(&begin), Some(0.0));
        assert_eq!(time(1400, 700, 200).load_since(&begin), Some(0.25));
        assert_eq!(time(1400, 590, 200).load_since(&begin), Some(0.0), "ticks of two clocks");
        assert_eq!(time(1010, 510, 100).load_since(&begin), None, "too short to tell");
    }

    #[test]
    fn stolen_time_is_of_no_other_process_of_this_machine() {
        let begin = time(1000, 500, 100);
        let stolen = ProcessorTime { stolen: 50, ..time(1400, 700, 200) };
        assert_eq!((stolen.wall_since(&begin), stolen.others_since(&begin)), (100, 50));
        assert_eq!(begin.wall_since(&stolen), 0, "a clock that goes back");
        assert_eq!(begin.others_since(&stolen), 0);
    }

    #[test]
    fn what_linux_tells_is_read_whatever_the_program_is_called() {
        let machine = "cpu  100 1 20 300 40 2 3 4 50 0\n\
             cpu0 60 1 10 200 20 1 3 4 50 0\n\
             cpu1 40 0 10 100 20 1 0 0 0 0\n\
             intr 5 0 0\ncpufreq 7\n";
        let process = "32227 (a) b (c) R 1 2 3 4 5 6 7 8 9 10 60 5 7 1 20 0 1\n";
        let all = ProcessorTime { processors: 2, total: 470, busy: 130, stolen: 4, own: 73 };
        assert_eq!(ProcessorTime::parse(machine, process, ""), Some(all));
        assert_eq!(ProcessorTime::parse(machine, process, "Cpus_allowed_list:\t0-7,9\n"), Some(all));
        let second = ProcessorTime { processors: 1, total: 171, busy: 51, stolen: 0, own: 73 };
        let allowed = "Name:\ta\nCpus_allowed_list:\t1,4-5\n";
        assert_eq!(ProcessorTime::parse(machine, process, allowed), Some(second));
        assert_eq!(ProcessorTime::parse(machine, process, "Cpus_allowed_list:\t8\n"), None);
        assert_eq!(ProcessorTime::parse("cpu  1 2\ncpu0 1 2\n", process, ""), None);
        assert_eq!(ProcessorTime::parse("cpu  100 1 20 300 40 2 3 4 50 0\n", process, ""), None);
        assert_eq!(ProcessorTime::parse(machine, "1 (a) R", ""), None);
        assert_eq!(ProcessorTime::parse("", "", ""), None);
    }
}
