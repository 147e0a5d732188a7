//! Timing by events on the stream of the call. The time is from the moment the device reaches the work to the moment
//! it has done it. In the regime `graph` the work is a graph of what the call launches, with both events in it, so that
//! the time holds no launch of the host.

use nitro_core::recording::wants_parts;
use nitro_core::{Regime, Stopwatch};

use crate::capture::Capture;
use crate::driver::driver;
use crate::event::Event;
use crate::graph::SingleLaunch;
use crate::{Buffer, CudaError, Stream, profiled_launches};

/// The stopwatch of a call on the stream, in the regime of the thread.
pub(crate) fn of_call(stream: Stream) -> Box<dyn Stopwatch> {
    // The parts of a call are timed one by one, which waits for the device, and a profiler looks at launches.
    match Regime::of_thread() == Regime::Graph && !wants_parts() && !profiled_launches::is_on() {
        true => Box::new(Replay { stream, capture: None, failure: None }),
        false => by_events(stream),
    }
}

/// The stopwatch of work that is not captured.
pub(crate) fn by_events(stream: Stream) -> Box<dyn Stopwatch> {
    profiled_launches::stopwatch(stream).unwrap_or_else(|| Box::new(Events::new(stream)))
}

/// A stopwatch of two events on a stream.
struct Events {
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
    fn new(stream: Stream) -> Self {
        Self { stream, pair: Pair::new(stream).map_err(|error| report(stream, &error)).ok() }
    }
}

fn report(stream: Stream, error: &CudaError) {
    tracing::warn!(device = %stream.device, %error, "the timed work failed");
}

impl Stopwatch for Events {
    fn start(&mut self) {
        let started = self.pair.as_mut().map_or(Ok(()), |pair| pair.start(self.stream));
        if let Err(error) = started {
            report(self.stream, &error);
            self.pair = None;
        }
    }

    fn stop(&mut self) -> f64 {
        let Some(pair) = &self.pair else { return f64::NAN };
        pair.stop(self.stream).unwrap_or_else(|error| {
            report(self.stream, &error);
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
            // While the device still writes, the call's first launch would cost nothing.
            stream.synchronize()?;
        }
        self.begin.record(stream)
    }

    fn stop(&self, stream: Stream) -> Result<f64, CudaError> {
        self.end.record(stream)?;
        self.elapsed_ns(stream)
    }

    /// Waits for both events, which are recorded or on their way.
    fn elapsed_ns(&self, stream: Stream) -> Result<f64, CudaError> {
        let _active = stream.device.activate()?;
        let mut time_ms = 0.0f32;
        // SAFETY: the events are of the context that is current, the device comes past both, and `time_ms` lives
        // through the call.
        unsafe {
            driver!(cuEventSynchronize(self.end.handle))?;
            driver!(cuEventElapsedTime_v2(&mut time_ms, self.begin.handle, self.end.handle))?;
        }
        Ok(f64::from(time_ms) * 1e6)
    }
}

/// A stopwatch that captures a call into a graph and times the replay, the only time that the work is done.
struct Replay {
    stream: Stream,
    /// The capture of the call that runs, with the events at both ends of it.
    capture: Option<Result<(Capture, Pair), CudaError>>,
    /// The reason for which the last call could not be captured.
    failure: Option<String>,
}

impl Replay {
    /// Begins a capture, with an event.
    fn begin(&self) -> Result<(Capture, Pair), CudaError> {
        let pair = Pair::new(self.stream)?;
        let capture = Capture::begin(self.stream)?;
        pair.begin.record_in_graph(self.stream)?;
        Ok((capture, pair))
    }

    /// Ends a capture, with an event: the graph, ready to be launched.
    fn graph(&self, capture: Capture, pair: &Pair) -> Result<SingleLaunch, CudaError> {
        pair.end.record_in_graph(self.stream)?;
        SingleLaunch::new(self.stream, &capture.end()?)
    }

    /// Times one replay of the graph.
    ///
    /// Only once the device has done all of it do the events tell of this replay.
    fn time(&self, graph: &SingleLaunch, pair: &Pair) -> Result<f64, CudaError> {
        graph.launch()?;
        self.stream.synchronize()?;
        pair.elapsed_ns(self.stream)
    }
}

impl Stopwatch for Replay {
    fn start(&mut self) {
        self.failure = None;
        self.capture = Some(self.begin());
    }

    fn stop(&mut self) -> f64 {
        let Some(capture) = self.capture.take() else { return f64::NAN };
        let graph = capture.and_then(|(capture, pair)| Ok((self.graph(capture, &pair)?, pair)));
        let graph = graph.map_err(|error| {
            // What was freed in vain during the capture is no failure of what comes next.
            let _ = self.stream.device.take_deferred_error();
            self.failure = Some(format!(
                "cannot be captured into a CUDA graph, as where it waits for the device: {error}"
            ));
        });
        graph.ok().map_or(f64::NAN, |(graph, pair)| {
            self.time(&graph, &pair).unwrap_or_else(|error| {
                report(self.stream, &error);
                f64::NAN
            })
        })
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}
