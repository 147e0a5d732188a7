//! The least time of whatever code does a work, by the rates of a device.

use nitro_nest::LeastWork;
use nitro_search::Floor;

use super::rates::Rates;
use super::terms::TimeTerm;

/// A term with its time in nanoseconds and what it counts.
type Limit = (TimeTerm, f64, String);

impl Rates {
    /// Returns the time that no code takes less than for a work of a nest
    /// ([`Nest::least_work`](nitro_nest::Nest::least_work)), whatever its kernels are.
    ///
    /// The time is the largest of a launch, the bytes that pass the second-level cache, the bytes that this cache can
    /// neither have had before nor keep, and the instructions of threads, each at the most that the device does. Tensor
    /// cores are not counted, which code of nests does not use.
    ///
    /// ```
    /// use nitro_decide::Rates;
    /// use nitro_nest::LeastWork;
    ///
    /// let features = [("sm_count", 132.0), ("clock_rate_mhz", 1980.0), ("l2_cache_kib", 61440.0),
    ///     ("cuda_cores", 16896.0), ("peak_gbps", 4917.0)];
    /// let rates = Rates::from_features(|name| features.iter().find(|own| own.0 == name).map(|own| own.1))?;
    /// let work = LeastWork { read_bytes: 1e9, ..LeastWork::default() };
    /// let floor = rates.floor(&work);
    /// assert_eq!(floor.limit, "memory");
    /// assert!((floor.ns - (1e9 - 61440.0 * 1024.0) / 4917.0).abs() < 1.0);
    /// # Ok::<(), nitro_decide::RatesError>(())
    /// ```
    #[must_use]
    pub fn floor(&self, work: &LeastWork) -> Floor {
        let limits =
            [self.launch(), self.l2_reads(work), self.l2_writes(work), self.dram(work), self.issue(work)];
        let most = limits.into_iter().max_by(|one, other| one.1.total_cmp(&other.1));
        let (term, ns, reason) = most.unwrap_or((TimeTerm::Launch, 0.0, String::new()));
        Floor { ns, limit: term.name().to_owned(), reason }
    }

    fn launch(&self) -> Limit {
        (TimeTerm::Launch, self.launch_ns, "a kernel that does nothing takes so long".to_owned())
    }

    fn l2_reads(&self, work: &LeastWork) -> Limit {
        let (bytes, rate) = (work.read_bytes, self.l2_read_gbps);
        (TimeTerm::L2Reads, bytes / rate, format!("{bytes:.4e} bytes are read once, {rate:.0} GB/s"))
    }

    fn l2_writes(&self, work: &LeastWork) -> Limit {
        let (bytes, rate) = (work.written_bytes, self.l2_write_gbps);
        (TimeTerm::L2Writes, bytes / rate, format!("{bytes:.4e} bytes are written once, {rate:.0} GB/s"))
    }

    fn dram(&self, work: &LeastWork) -> Limit {
        let beyond = |bytes: f64| (bytes - self.l2_bytes).max(0.0);
        let bytes = beyond(work.read_bytes) + beyond(work.written_bytes);
        let reason = format!(
            "{:.4e} bytes are read and {:.4e} written once, {:.4e} of each less, which the second-level cache may have; \
             {:.0} GB/s",
            work.read_bytes, work.written_bytes, self.l2_bytes, self.dram_gbps
        );
        (TimeTerm::Dram, bytes / self.dram_gbps, reason)
    }

    fn issue(&self, work: &LeastWork) -> Limit {
        let lanes = self.arithmetic_lanes_per_clock.max(32.0 * self.warp_instructions_per_clock);
        let a_ns = lanes * self.multiprocessors as f64 * self.clock_ghz;
        let reason = format!(
            "{:.4e} instructions of threads, {lanes:.1} a clock of each of {} multiprocessors at {} GHz",
            work.instructions, self.multiprocessors, self.clock_ghz
        );
        (TimeTerm::Arithmetic, work.instructions / a_ns, reason)
    }
}
