//! The device as a profiler such as Nsight Compute is shown it: chosen launches of timed calls, and application
//! proxies.

mod proxies;

use std::error::Error;

use nitro_core::provide::Profiled;

use crate::{Cuda, profiled_launches};

impl Profiled for Cuda {
    fn count_launches(&self, work: &mut dyn FnMut()) -> usize {
        profiled_launches::during(&[], work)
    }

    fn show(
        &self,
        section: u32,
        shown: &[usize],
        work: &mut dyn FnMut(),
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        proxies::mark(*self, section)?;
        profiled_launches::during(shown, work);
        Ok(())
    }

    fn proxies(&self) -> &'static [&'static str] {
        &proxies::NAMES
    }

    fn show_proxy(
        &self,
        section: u32,
        proxy: &str,
        intensity: u32,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        proxies::mark(*self, section)?;
        Ok(proxies::run(*self, proxy, intensity)?)
    }
}
