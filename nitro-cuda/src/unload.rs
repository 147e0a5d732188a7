//! Unloading of modules. The driver's documentation does not say what becomes of kernels that are still queued, nor
//! whether unloading waits for them. So a module is unloaded once the device has come past every launch of it, and
//! nobody waits for that.
//!
//! - A launch notes its stream ([`Uses::note`]); a dropped module is retired, and an event recorded in each of
//!   those streams tells when it can go. Retired modules are looked at whenever a module is dropped or loaded.
//! - What is captured runs as often as its graph does, long after the capture. A module of which a launch was
//!   captured stays for the life of the process.
//! - A stream that is captured when the module is dropped takes no event of ours; it is asked again later.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use cudarc::driver::sys::CUmodule;

use crate::driver::driver;
use crate::event::Event;
use crate::{Cuda, CudaError, Stream, capture};

/// The launches of a module's kernels.
#[derive(Default)]
pub(crate) struct Uses {
    streams: Mutex<Vec<Stream>>,
    /// True where one of the launches may be part of a graph.
    is_captured: AtomicBool,
}

impl Uses {
    /// Notes a launch that the stream is about to get.
    pub(crate) fn note(&self, stream: Stream) -> Result<(), CudaError> {
        if capture::is_captured(stream)? {
            self.is_captured.store(true, Ordering::Relaxed);
        }
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        if !streams.contains(&stream) {
            streams.push(stream);
        }
        Ok(())
    }
}

/// Modules that are to be unloaded.
static RETIRED: Mutex<Vec<RetiredModule>> = Mutex::new(Vec::new());

/// A module that nobody can launch from any more.
struct RetiredModule {
    device: Cuda,
    module: CUmodule,
    ends: Vec<End>,
}

// SAFETY: the driver takes a module's handle from any thread.
unsafe impl Send for RetiredModule {}

/// The end of what a stream was given before the module was dropped.
enum End {
    /// In a stream that takes no event yet.
    Of(Stream),
    At(Event),
}

/// Unloads the module as soon as what was launched of it is done.
pub(crate) fn retire(device: Cuda, module: CUmodule, uses: Uses) {
    if uses.is_captured.into_inner() {
        return;
    }
    let streams = uses.streams.into_inner().unwrap_or_else(PoisonError::into_inner);
    let ends = streams.into_iter().map(End::Of).collect();
    RETIRED.lock().unwrap_or_else(PoisonError::into_inner).push(RetiredModule { device, module, ends });
    unload_idle();
}

/// Unloads the retired modules that the devices have come past.
pub(crate) fn unload_idle() {
    // Streams that have nothing to do with the modules may be captured. A failure here is that of what follows.
    let _relaxed = capture::relaxed();
    RETIRED.lock().unwrap_or_else(PoisonError::into_inner).retain_mut(|retired| {
        match retired.unload_if_idle() {
            Ok(is_unloaded) => !is_unloaded,
            Err(error) => {
                retired.device.defer_error(error);
                false
            }
        }
    });
}

impl RetiredModule {
    /// Unloads the module where nothing uses it. Returns true where it is unloaded now.
    fn unload_if_idle(&mut self) -> Result<bool, CudaError> {
        let _active = self.device.activate()?;
        let mut is_idle = true;
        for end in &mut self.ends {
            is_idle &= end.is_reached()?;
        }
        if is_idle {
            // SAFETY: the module is of the context that is current; nothing of it is queued, and nobody can launch
            // from it.
            unsafe { driver!(cuModuleUnload(self.module)) }?;
        }
        Ok(is_idle)
    }
}

impl End {
    fn is_reached(&mut self) -> Result<bool, CudaError> {
        if let Self::Of(stream) = *self {
            if capture::is_captured(stream)? {
                return Ok(false);
            }
            let event = Event::untimed(stream.device)?;
            event.record(stream)?;
            *self = Self::At(event);
        }
        match self {
            Self::Of(_) => Ok(false),
            Self::At(event) => event.is_reached(),
        }
    }
}
