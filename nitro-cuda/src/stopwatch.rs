//! Timing by events on the stream of the call. The time is from the moment the device reaches the work to the moment
//! it has done it.

use nitro_core::{Regime, Stopwatch};

use crate::driver::driver;
use crate::event::Event;
use crate::{Buffer, CudaError, Stream, profiled_launches};

/// A stopwatch of two events on a stream.
pub(crate) struct Events {
    stream: Stream,
    /// Absent once something has failed: the time is then no number.
    pair: Option<Pair>,
}

struct Pair {
    begin: Event,
    end: Event,
    /// The buffer of twice the second-level cache's size that is written before a cold call.
    eviction: Option<Buffer<u8>>,
}

impl Events {
    /// The stopwatch of a call on the stream.
    pub(crate) fn boxed(stream: Stream) -> Box<dyn Stopwatch> {
        if let Some(profiled) = profiled_launches::stopwatch(stream) {
            return profiled;
        }
        let mut events = Self { stream, pair: None };
        events.pair = Pair::new(stream).map_err(|error| events.report(&error)).ok();
        Box::new(events)
    }

    fn report(&self, error: &CudaError) {
        tracing::warn!(device = %self.stream.device, %error, "the timed work failed");
    }
}

impl Stopwatch for Events {
    fn start(&mut self) {
        let started = self.pair.as_mut().map_or(Ok(()), |pair| pair.start(self.stream));
        if let Err(error) = started {
            self.report(&error);
            self.pair = None;
        }
    }

    fn stop(&mut self) -> f64 {
        let Some(pair) = &self.pair else { return f64::NAN };
        pair.stop(self.stream).unwrap_or_else(|error| {
            self.report(&error);
            self.pair = None;
            f64::NAN
        })
    }
}

impl Pair {
    fn new(stream: Stream) -> Result<Self, CudaError> {
        let eviction = if Regime::of_thread() == Regime::Cold {
            Some(Buffer::uninit_on(stream, 2 * stream.device.attributes().l2_bytes as usize)?)
        } else {
            None
        };
        Ok(Self { begin: Event::timed(stream.device)?, end: Event::timed(stream.device)?, eviction })
    }

    fn start(&mut self, stream: Stream) -> Result<(), CudaError> {
        if let Some(eviction) = &mut self.eviction {
            eviction.fill_zero()?;
        }
        self.begin.record(stream)
    }

    fn stop(&self, stream: Stream) -> Result<f64, CudaError> {
        self.end.record(stream)?;
        let _active = stream.device.activate()?;
        let mut time_ms = 0.0f32;
        // SAFETY: the events are of the context that is current, both are recorded, and `time_ms` lives through the
        // call.
        unsafe {
            driver!(cuEventSynchronize(self.end.handle))?;
            driver!(cuEventElapsedTime_v2(&mut time_ms, self.begin.handle, self.end.handle))?;
        }
        Ok(f64::from(time_ms) * 1e6)
    }
}
