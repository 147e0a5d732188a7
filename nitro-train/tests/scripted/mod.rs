//! Devices whose time is scripted: the stopwatch says what the variant has set. All of them are of one kind, as
//! identical GPUs are.

use std::cell::Cell;
use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};

use nitro::{Device, DeviceEntry, Regime, Stopwatch};
use nitro_train::measure::Processors;
use nitro_train::provide::{DeviceProvider, OpenDevice};
use nitro_train::{BoxError, ProcessorTime};

thread_local! {
    /// Duration of the next timed call.
    pub static TIME_NS: Cell<f64> = const { Cell::new(0.0) };
    /// Whether the next timed call waits for its device, which in a graph it may not.
    pub static WAITS: Cell<bool> = const { Cell::new(false) };
}

/// Names the kind of the devices of a process, where it is to be another one.
#[allow(dead_code, reason = "not every test has devices of two kinds")]
pub const ID: &str = "SCRIPTED_ID";

/// Whether the process has lost its devices.
pub static LOST: AtomicBool = AtomicBool::new(false);

#[derive(Clone, Copy)]
pub struct Scripted;

impl Device for Scripted {
    fn entry(&self) -> &'static DeviceEntry {
        let id = std::env::var(ID).unwrap_or_else(|_| "scripted".to_owned());
        DeviceEntry::intern(&id, Vec::new, |_| Vec::new())
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        struct Watch {
            is_captured: bool,
        }
        impl Stopwatch for Watch {
            fn start(&mut self) {
                self.is_captured = true;
            }
            fn stop(&mut self) -> f64 {
                self.is_captured = !(WAITS.take() && Regime::of_thread() == Regime::Graph);
                if self.is_captured { TIME_NS.get() } else { f64::NAN }
            }
            fn failure(&self) -> Option<&str> {
                (!self.is_captured).then_some("waits for the device")
            }
        }
        Box::new(Watch { is_captured: true })
    }

    fn is_lost(&self) -> bool {
        LOST.load(Ordering::Relaxed)
    }
}

impl OpenDevice for Scripted {
    fn run(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), BoxError> {
        work();
        Ok(())
    }
}

/// Provides `scripted:N`.
pub struct Devices;

impl DeviceProvider for Devices {
    fn kind(&self) -> &'static str {
        "scripted"
    }

    fn forms(&self) -> &'static str {
        "scripted:N"
    }

    fn regimes(&self) -> &'static [Regime] {
        &Regime::ALL
    }

    fn check(&self, _: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(())
    }

    fn all(&self) -> Result<Vec<String>, Box<dyn Error + Send + Sync>> {
        Ok(vec!["scripted:0".into(), "scripted:1".into()])
    }

    fn open(&self, _: &str) -> Result<Box<dyn OpenDevice>, Box<dyn Error + Send + Sync>> {
        Ok(Box::new(Scripted))
    }
}

/// Tells nothing of the processors: on a device whose time is scripted, nobody disturbs.
#[derive(Debug)]
#[allow(dead_code, reason = "not every test records by a trainer")]
pub struct Hidden;

impl Processors for Hidden {
    fn time(&self) -> Option<ProcessorTime> {
        None
    }
}
