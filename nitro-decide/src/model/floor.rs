//! The least time of whatever code does a work, by the rates of a device.

use nitro_nest::LeastWork;
use nitro_search::Floor;

use super::rates::Rates;
use super::terms::TimeTerm;

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
        let [l2_reads, l2_writes, dram] = self.memory().floors(work.read_bytes, work.written_bytes);
        [self.issue(work), l2_reads, l2_writes, dram].into_iter().fold(self.launch(), Floor::larger)
    }

    fn launch(&self) -> Floor {
        let reason = "a kernel that does nothing takes so long".to_owned();
        Floor { ns: self.launch_ns, limit: TimeTerm::Launch.name().to_owned(), reason }
    }

    fn issue(&self, work: &LeastWork) -> Floor {
        let lanes = self.arithmetic_lanes_per_clock.max(32.0 * self.warp_instructions_per_clock);
        let a_ns = lanes * self.multiprocessors as f64 * self.clock_ghz;
        let reason = format!(
            "{:.4e} instructions of threads, {lanes:.1} a clock of each of {} multiprocessors at {} GHz",
            work.instructions, self.multiprocessors, self.clock_ghz
        );
        Floor { ns: work.instructions / a_ns, limit: TimeTerm::Arithmetic.name().to_owned(), reason }
    }
}
