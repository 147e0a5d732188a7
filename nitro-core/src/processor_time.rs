//! How busy the machine's processors are, and who with: what a benchmark has to know before its figures are believed.

/// Processor time since some beginning, in ticks of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ProcessorTime {
    /// Of all processors, also when they have nothing to do.
    pub(crate) total: u64,
    /// In which they were busy, or taken away by another virtual machine.
    pub(crate) busy: u64,
    /// Used by this process.
    pub(crate) own: u64,
}

/// Fewer ticks cannot tell a share of a few per cent.
const LEAST_TICKS: u64 = 20;

impl ProcessorTime {
    /// The time so far, where the system tells it (Linux).
    pub(crate) fn now() -> Option<Self> {
        if cfg!(not(target_os = "linux")) {
            return None;
        }
        let read = |path| std::fs::read_to_string(path).ok();
        Self::parse(&read("/proc/stat")?, &read("/proc/self/stat")?)
    }

    fn parse(machine: &str, process: &str) -> Option<Self> {
        let ticks = machine.lines().next()?.strip_prefix("cpu ")?.split_whitespace().map(str::parse);
        let ticks: Vec<u64> = ticks.collect::<Result<_, _>>().ok()?;
        // user nice system idle iowait irq softirq steal; time of guests is in that of users
        let [user, nice, system, idle, waiting, irq, softirq, steal, ..] = ticks[..] else { return None };
        let busy = user + nice + system + irq + softirq + steal;
        // The name of the program stands in parentheses and may contain anything.
        let mut fields = process.rsplit_once(')')?.1.split_whitespace().skip(11).map(str::parse::<u64>);
        let own = fields.next()?.ok()? + fields.next()?.ok()?;
        Some(Self { total: busy + idle + waiting, busy, own })
    }

    /// The share of the machine's time since then that was not this process's; none when too little has passed to tell.
    pub(crate) fn load_since(&self, earlier: &Self) -> Option<f64> {
        let passed = |now: u64, then: u64| now.saturating_sub(then);
        let total = passed(self.total, earlier.total);
        let others = passed(self.busy, earlier.busy).saturating_sub(passed(self.own, earlier.own));
        (total >= LEAST_TICKS).then(|| others as f64 / total as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_is_what_other_processes_use() {
        let time = |total, busy, own| ProcessorTime { total, busy, own };
        let begin = time(1000, 500, 100);
        assert_eq!(time(1400, 600, 200).load_since(&begin), Some(0.0));
        assert_eq!(time(1400, 700, 200).load_since(&begin), Some(0.25));
        assert_eq!(time(1400, 590, 200).load_since(&begin), Some(0.0), "ticks of two clocks");
        assert_eq!(time(1010, 510, 100).load_since(&begin), None, "too short to tell");
    }

    #[test]
    fn what_linux_tells_is_read_whatever_the_program_is_called() {
        let machine = "cpu  100 1 20 300 40 2 3 4 50 0\ncpu0 1 2 3\n";
        let process = "32227 (a) b (c) R 1 2 3 4 5 6 7 8 9 10 60 5 0 0 20 0 1\n";
        assert_eq!(
            ProcessorTime::parse(machine, process),
            Some(ProcessorTime { total: 470, busy: 130, own: 65 })
        );
        assert_eq!(ProcessorTime::parse("cpu  1 2\n", process), None);
        assert_eq!(ProcessorTime::parse(machine, "1 (a) R"), None);
        assert_eq!(ProcessorTime::parse("", ""), None);
    }
}
