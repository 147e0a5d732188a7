//! The devices of the host, each a thread pool of its size, devices in a regime, and work on any device.

use nitro_core::host::{self, Host};
use nitro_core::provide::{DeviceProvider, OpenDevice};
use nitro_core::{Device, DeviceEntry, Regime, Stopwatch, in_regime};
use thiserror::Error;

use super::error::BoxError;

/// The reason for which a text names no part of the host that can be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HostDeviceError {
    /// The text is not of the form of a host device.
    #[error("`{text}` is not a device: write host:THREADS, for example host:4, or host for all threads")]
    Form {
        /// The text.
        text: String,
    },
    /// The text names more threads than the machine runs at once: they would measure the scheduler.
    #[error(
        "host:{threads} asks for more threads than the {available} of this machine: use host:{available} or fewer"
    )]
    TooManyThreads {
        /// Number of threads that were asked for.
        threads: usize,
        /// Number of threads there are.
        available: usize,
    },
}

/// The host's devices, `host:THREADS` and `host`.
#[derive(Clone, Copy, Debug)]
pub struct HostDevices;

impl HostDevices {
    /// Returns the number of threads that a text names.
    fn threads(text: &str) -> Result<usize, HostDeviceError> {
        let available = host::available_threads();
        if text == "host" {
            return Ok(available);
        }
        match text.strip_prefix("host:").and_then(|threads| threads.parse().ok()) {
            None | Some(0) => Err(HostDeviceError::Form { text: text.to_owned() }),
            Some(threads) if threads > available => {
                Err(HostDeviceError::TooManyThreads { threads, available })
            }
            Some(threads) => Ok(threads),
        }
    }
}

impl DeviceProvider for HostDevices {
    fn kind(&self) -> &'static str {
        "host"
    }

    fn forms(&self) -> &'static str {
        "host:THREADS"
    }

    fn regimes(&self) -> &'static [Regime] {
        &[Regime::Eager, Regime::Cold]
    }

    fn check(&self, text: &str) -> Result<(), BoxError> {
        Self::threads(text)?;
        Ok(())
    }

    fn open(&self, text: &str) -> Result<Box<dyn OpenDevice>, BoxError> {
        Ok(Box::new(HostPool { host: Host::with_threads(Self::threads(text)?) }))
    }

    /// Lists powers of two up to all threads, and all threads.
    fn names(&self) -> Vec<String> {
        let available = host::available_threads();
        let powers = std::iter::successors(Some(1), |threads| Some(2 * threads));
        let below = powers.take_while(|&threads| threads < available);
        below.chain([available]).map(|threads| format!("host:{threads}")).collect()
    }
}

/// A thread pool of a part of the host, whose threads know that they are this device.
struct HostPool {
    host: Host,
}

impl Device for HostPool {
    fn entry(&self) -> &'static DeviceEntry {
        self.host.entry()
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        self.host.stopwatch()
    }
}

impl OpenDevice for HostPool {
    fn run(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), BoxError> {
        let threads = self.host.threads();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(move |index| format!("host:{threads}/{index}"))
            .start_handler(move |_| host::enter(threads))
            .build()
            .map_err(|error| format!("the thread pool of host:{threads} could not be started: {error}"))?;
        pool.install(work);
        Ok(())
    }
}

/// A device on which all calls are in a regime.
pub(crate) struct InRegime {
    pub(crate) device: Box<dyn OpenDevice>,
    pub(crate) regime: Regime,
}

impl Device for InRegime {
    fn entry(&self) -> &'static DeviceEntry {
        self.device.entry().in_regime(self.regime)
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        in_regime(self.regime, || self.device.stopwatch())
    }

    fn regime(&self) -> Regime {
        self.regime
    }

    fn is_lost(&self) -> bool {
        self.device.is_lost()
    }
}

impl OpenDevice for InRegime {
    fn run(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), BoxError> {
        self.device.run(&mut || in_regime(self.regime, &mut *work))
    }
}

/// Returns the name, on the command line, of the host with all threads that the process may use.
///
/// ```
/// use nitro_train::measure::{HostDevices, whole_host};
/// use nitro_train::provide::DeviceProvider;
///
/// assert_eq!(HostDevices.names().last(), Some(&whole_host()));
/// ```
#[must_use]
pub fn whole_host() -> String {
    format!("host:{}", host::available_threads())
}

/// Runs `work` on a device and returns what it returns.
///
/// ```
/// use nitro::host;
/// use nitro_train::measure::{HostDevices, run_on};
/// use nitro_train::provide::DeviceProvider;
///
/// let device = HostDevices.open("host:1")?;
/// assert_eq!(run_on(&*device, || host::current().threads())?, 1);
/// # Ok::<(), nitro_train::BoxError>(())
/// ```
///
/// # Errors
/// When the device cannot be used now.
pub fn run_on<R: Send>(device: &dyn OpenDevice, work: impl FnOnce() -> R + Send) -> Result<R, BoxError> {
    let (mut work, mut result) = (Some(work), None);
    device.run(&mut || result = work.take().map(|work| work()))?;
    result.ok_or_else(|| format!("{} was given work and did not run it", device.entry().id()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_written_as_the_command_line_names_them() {
        assert_eq!(HostDevices::threads("host:1").unwrap(), 1);
        assert_eq!(HostDevices::threads("host").unwrap(), host::available_threads());
        assert_eq!(HostDevices::threads(&whole_host()).unwrap(), host::available_threads());
        for text in ["host:0", "host:x", "host:", "gpu", "", "hosts", "host:100000"] {
            let message = HostDevices.check(text).unwrap_err().to_string();
            assert!(message.contains("host:"), "{message}");
        }
    }

    #[test]
    fn work_runs_on_a_pool_that_knows_its_device() {
        let device = HostDevices.open("host:1").unwrap();
        let found = run_on(&*device, || (rayon::current_num_threads(), host::current().threads())).unwrap();
        assert_eq!(found, (1, 1));
    }

    #[test]
    fn work_on_a_device_in_a_regime_is_in_it_and_nothing_after_it() {
        let device = InRegime { device: HostDevices.open("host:1").unwrap(), regime: Regime::Cold };
        let found = run_on(&device, || (Regime::of_thread(), host::current().threads())).unwrap();
        assert_eq!(found, (Regime::Cold, 1));
        assert_eq!(Regime::of_thread(), Regime::Eager);
        assert!(device.entry().id().starts_with("host:1+cold@"));
    }
}
