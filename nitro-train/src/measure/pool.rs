//! The device that a recording runs on, as the command line names it.

use std::fmt;
use std::str::FromStr;

use nitro_core::host::{self, Host};
use thiserror::Error;

/// A device to record on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceSpec {
    /// The host with so many threads: `host:THREADS`.
    Host {
        /// Number of threads, at least 1.
        threads: usize,
    },
}

/// Why a text names no device, or a device cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DeviceSpecError {
    /// The text is not of the form of a device.
    #[error("`{text}` is not a device: write host:THREADS, for example host:4, or host for all threads")]
    Form {
        /// The text.
        text: String,
    },
    /// The program has no support for this kind of device.
    #[error("`{text}`: this program has no CUDA devices; record on host:THREADS instead")]
    NoCuda {
        /// The text.
        text: String,
    },
    /// More threads than the machine runs at once would measure the scheduler.
    #[error(
        "host:{threads} asks for more threads than the {available} of this machine: use host:{available} or fewer"
    )]
    TooManyThreads {
        /// Threads asked for.
        threads: usize,
        /// Threads there are.
        available: usize,
    },
    /// The thread pool could not be started.
    #[error("the thread pool of the device could not be started")]
    Pool(#[from] rayon::ThreadPoolBuildError),
}

impl DeviceSpec {
    /// The host with all threads that the process may use.
    #[must_use]
    pub fn whole_host() -> Self {
        Self::Host { threads: host::available_threads() }
    }

    /// The device's description.
    #[must_use]
    pub fn host(&self) -> Host {
        let Self::Host { threads } = *self;
        Host::with_threads(threads)
    }

    /// Runs `work` on the device: for the host in a thread pool of the device's size, whose threads know that they are
    /// this device.
    ///
    /// # Errors
    /// When the pool cannot be started.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> Result<R, DeviceSpecError> {
        let Self::Host { threads } = *self;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(move |index| format!("host:{threads}/{index}"))
            .start_handler(move |_| host::enter(threads))
            .build()?;
        Ok(pool.install(work))
    }
}

impl FromStr for DeviceSpec {
    type Err = DeviceSpecError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let form = || DeviceSpecError::Form { text: text.to_owned() };
        match text.split_once(':') {
            None if text == "host" => Ok(Self::whole_host()),
            Some(("host", threads)) => {
                let threads = threads.parse().ok().filter(|&threads: &usize| threads > 0).ok_or_else(form)?;
                let available = host::available_threads();
                if threads > available {
                    return Err(DeviceSpecError::TooManyThreads { threads, available });
                }
                Ok(Self::Host { threads })
            }
            Some(("cuda", _)) => Err(DeviceSpecError::NoCuda { text: text.to_owned() }),
            _ => Err(form()),
        }
    }
}

impl fmt::Display for DeviceSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Host { threads } = self;
        write!(formatter, "host:{threads}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_written_as_the_command_line_names_them() {
        assert_eq!("host:1".parse::<DeviceSpec>().unwrap(), DeviceSpec::Host { threads: 1 });
        assert_eq!("host".parse::<DeviceSpec>().unwrap(), DeviceSpec::whole_host());
        for text in ["host:0", "host:x", "host:", "gpu", "", "cuda:0", "host:100000"] {
            let message = text.parse::<DeviceSpec>().unwrap_err().to_string();
            assert!(message.contains("host:"), "{message}");
        }
    }

    #[test]
    fn work_runs_on_a_pool_that_knows_its_device() {
        let spec = DeviceSpec::Host { threads: 1 };
        let (threads, current) =
            spec.run(|| (rayon::current_num_threads(), host::current().threads())).unwrap();
        assert_eq!((threads, current), (1, 1));
    }
}
