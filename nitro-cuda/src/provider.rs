//! The devices of this crate for a trainer's command line.

use std::error::Error;

use nitro_core::Regime;
use nitro_core::provide::{DeviceProvider, OpenDevice, Profiled};

use crate::driver::device_count;
use crate::name::Name;
use crate::open::open;
use crate::{Cuda, CudaError};

/// Brings `cuda:N` and `cuda:N/SMSsm` to a trainer: `Trainer::new().devices(nitro_cuda::Devices::new())`.
///
/// ```
/// use nitro_core::provide::DeviceProvider;
/// use nitro_cuda::Devices;
///
/// // As a trainer asks, before it touches a device.
/// assert!(Devices::new().check("cuda:1/16sm").is_ok());
/// let error = Devices::new().check("cuda:16sm").unwrap_err().to_string();
/// assert!(error.contains("write cuda:N, or cuda:N/SMSsm"), "{error}");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Devices {
    _private: (),
}

impl Devices {
    /// All GPUs and their partitions.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl DeviceProvider for Devices {
    fn kind(&self) -> &'static str {
        "cuda"
    }

    fn forms(&self) -> &'static str {
        "cuda:N or cuda:N/SMSsm"
    }

    fn regimes(&self) -> &'static [Regime] {
        &Regime::ALL
    }

    fn check(&self, text: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
        name(text)?;
        Ok(())
    }

    fn open(&self, text: &str) -> Result<Box<dyn OpenDevice>, Box<dyn Error + Send + Sync>> {
        Ok(Box::new(open(name(text)?)?))
    }

    fn all(&self) -> Result<Vec<String>, Box<dyn Error + Send + Sync>> {
        let gpus = (0..device_count()?).map(|ordinal| Name { ordinal, multiprocessors: None }.to_string());
        Ok(gpus.collect())
    }

    /// Names every GPU, and those of its partitions that green contexts of 2^k multiprocessors give.
    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for ordinal in 0.. {
            let gpu = format!("cuda:{ordinal}");
            let Ok(opened) = self.open(&gpu) else { break };
            let count = opened.entry().described("sm_count").unwrap_or(0.0);
            let sizes = [8, 16, 32, 64, 128].into_iter().filter(|&size| f64::from(size) < count);
            let parts: Vec<String> = sizes.map(|size| format!("{gpu}/{size}sm")).collect();
            names.push(gpu);
            names.extend(parts);
        }
        names
    }
}

fn name(text: &str) -> Result<Name, CudaError> {
    Name::parse(text).unwrap_or_else(|| Err(CudaError::Form { text: text.to_owned() }))
}

impl OpenDevice for Cuda {
    fn run(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.scope(work);
        Ok(())
    }

    fn profiled(&self) -> Option<&dyn Profiled> {
        Some(self)
    }
}
