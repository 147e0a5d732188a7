//! Interfaces for crates that bring devices of a kind of their own, as `nitro-cuda` does. They say what such crates
//! share with the host, and how a trainer finds their devices by name.

use std::error::Error;

pub use crate::chain::Chain;
pub use crate::device::feature_cache::cache_folder;
pub use crate::events::tell as tell_event;
use crate::{Device, Regime};

/// Devices of one kind, found by what a user writes on a command line. In the example those are the accelerators of
/// [`Device`]'s.
///
/// ```
#[doc = include_str!("example_lab.md")]
/// use std::error::Error;
/// use nitro_core::provide::{DeviceProvider, OpenDevice};
///
/// /// The devices `acc:0` to `acc:3`; a trainer takes them by `Trainer::devices(Accelerators)`.
/// struct Accelerators;
///
/// impl DeviceProvider for Accelerators {
///     fn kind(&self) -> &'static str {
///         "acc"
///     }
///
///     fn forms(&self) -> &'static str {
///         "acc:N"
///     }
///
///     fn check(&self, text: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
///         number(text).map(|_| ())
///     }
///
///     fn open(&self, text: &str) -> Result<Box<dyn OpenDevice>, Box<dyn Error + Send + Sync>> {
///         Ok(Box::new(Accelerator(number(text)?)))
///     }
/// }
///
/// fn number(text: &str) -> Result<u32, Box<dyn Error + Send + Sync>> {
///     let number = text.strip_prefix("acc:").and_then(|number| number.parse().ok());
///     number.filter(|&number| number < 4).ok_or_else(|| format!("`{text}` is no device: write acc:0 to acc:3").into())
/// }
/// # impl OpenDevice for Accelerator {
/// #     fn run(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), Box<dyn Error + Send + Sync>> {
/// #         work();
/// #         Ok(())
/// #     }
/// # }
///
/// assert_eq!(Accelerators.open("acc:1")?.entry().id(), "acc:1@lab");
/// assert!(Accelerators.check("acc:9").is_err());
/// # Ok::<(), Box<dyn Error + Send + Sync>>(())
/// ```
pub trait DeviceProvider: Send + Sync {
    /// The kind: this provider is asked for `KIND` and for everything that begins with `KIND:`.
    fn kind(&self) -> &'static str;

    /// The forms in which its devices are written, for help texts, e.g. `cuda:N or cuda:N/SMSsm`.
    fn forms(&self) -> &'static str;

    /// The regimes in which its devices time calls. The devices' stopwatches do so where the thread is in such a regime
    /// ([`Regime::of_thread`]).
    fn regimes(&self) -> &'static [Regime] {
        &[Regime::Eager]
    }

    /// Checks that `text` is well formed, as far as can be told without touching a device.
    ///
    /// # Errors
    /// When it is not; the message says what to write.
    fn check(&self, text: &str) -> Result<(), Box<dyn Error + Send + Sync>>;

    /// The device of this name.
    ///
    /// # Errors
    /// When the name has another form or the device cannot be used here; the message says what to change.
    fn open(&self, text: &str) -> Result<Box<dyn OpenDevice>, Box<dyn Error + Send + Sync>>;

    /// Names of the devices that `--device all` takes: every GPU, whole. They work at the same time without
    /// disturbing each other, and none is opened. A kind that has nothing of that sort, such as the host, names
    /// none.
    ///
    /// # Errors
    /// When the devices cannot be counted, e.g. without a driver; the message says what to install.
    fn all(&self) -> Result<Vec<String>, Box<dyn Error + Send + Sync>> {
        Ok(Vec::new())
    }

    /// Names of devices that can be used here, and of parts of them that are worth telling apart. None where that
    /// cannot be found out.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A device that a provider has opened, on which threads can do their work. The example goes on from that of
/// [`Device`].
///
/// ```
#[doc = include_str!("example_lab.md")]
/// use std::{cell::Cell, error::Error};
/// use nitro_core::provide::OpenDevice;
///
/// thread_local! {
///     /// What the option `device = ..` of the functions asks for.
///     static CURRENT: Cell<Option<Accelerator>> = const { Cell::new(None) };
/// }
///
/// impl OpenDevice for Accelerator {
///     fn run(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), Box<dyn Error + Send + Sync>> {
///         let before = CURRENT.replace(Some(*self));
///         work();
///         CURRENT.set(before);
///         Ok(())
///     }
/// }
///
/// let mut seen = None;
/// Accelerator(1).run(&mut || seen = CURRENT.get().map(|device| device.0))?;
/// assert_eq!((seen, CURRENT.get().is_none()), (Some(1), true));
/// assert!(Accelerator(1).profiled().is_none(), "unless it says how");
/// # Ok::<(), Box<dyn Error + Send + Sync>>(())
/// ```
pub trait OpenDevice: Device + Send + Sync {
    /// Runs `work` so that the calls it makes run on this device, and leaves the thread as it was.
    ///
    /// # Errors
    /// When the device cannot be used now; `work` has not run then.
    fn run(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), Box<dyn Error + Send + Sync>>;

    /// The way to profile the device's kernels; none when this kind of device has no way to that.
    fn profiled(&self) -> Option<&dyn Profiled> {
        None
    }
}

/// A device whose kernels can be profiled by a program outside of the process.
///
/// What the profiler is shown comes in sections. Each begins with the launch of the kernel [`SECTION_MARK`], whose
/// number of blocks is the section's number, from 1.
///
/// ```
/// # use std::cell::RefCell;
/// # type Result = std::result::Result<(), Box<dyn std::error::Error + Send + Sync>>;
/// # use nitro_core::provide::Profiled;
/// # #[derive(Default)]
/// # struct Log(RefCell<Vec<(u32, Vec<usize>)>>);
/// # impl Profiled for Log {
/// #     fn count_launches(&self, work: &mut dyn FnMut()) -> usize { work(); 30 }
/// #     fn show(&self, section: u32, shown: &[usize], work: &mut dyn FnMut()) -> Result {
/// #         self.0.borrow_mut().push((section, shown.to_vec()));
/// #         work();
/// #         Ok(())
/// #     }
/// #     fn proxies(&self) -> &'static [&'static str] { &[] }
/// #     fn show_proxy(&self, _: u32, _: &str, _: u32) -> Result { Ok(()) }
/// # }
/// /// Shows the profiler every tenth launch of each piece of work, in sections of their own.
/// fn sample(profiled: &dyn Profiled, works: &mut [&mut dyn FnMut()]) -> Result {
///     for (section, work) in (1..).zip(works) {
///         let launches = profiled.count_launches(work);
///         let shown: Vec<usize> = (0..launches).step_by(10).collect();
///         profiled.show(section, &shown, work)?;
///     }
///     Ok(())
/// }
///
/// # let (device, mut runs) = (Log::default(), 0);
/// sample(&device, &mut [&mut || runs += 1])?;
/// assert_eq!(runs, 2, "once to count and once to show");
/// # assert_eq!(*device.0.borrow(), [(1, vec![0, 10, 20])]);
/// # Result::Ok(())
/// ```
pub trait Profiled {
    /// Runs `work`, which the profiler does not see. Returns how many kernels its timed calls launch.
    fn count_launches(&self, work: &mut dyn FnMut()) -> usize;

    /// Begins a section and runs `work`. The profiler sees those launches of its timed calls whose positions are in
    /// `shown`, ascending from 0.
    ///
    /// # Errors
    /// When the section cannot be begun; `work` has not run then.
    fn show(
        &self,
        section: u32,
        shown: &[usize],
        work: &mut dyn FnMut(),
    ) -> Result<(), Box<dyn Error + Send + Sync>>;

    /// The application proxies: kernels that stress one resource each, by a chosen share of their instructions.
    fn proxies(&self) -> &'static [&'static str];

    /// Begins a section and shows the profiler one launch of a proxy. At intensity 0 to 5, 20 % of its instructions
    /// a step stress the proxy's resource.
    ///
    /// # Errors
    /// When the device has no such proxy or cannot run it.
    fn show_proxy(
        &self,
        section: u32,
        proxy: &str,
        intensity: u32,
    ) -> Result<(), Box<dyn Error + Send + Sync>>;
}

/// Name of the kernel that marks the beginning of a section in a profile.
pub const SECTION_MARK: &str = "nitro_section_mark";
