//! The trainer of an application: its functions, their inputs, and the command line over them.

use nitro_core::Function;
use nitro_core::provide::DeviceProvider;

use crate::measure::{BoxError, HostDevices, Session};

type RecordInputs = Box<dyn Fn(&mut Session<'_>) -> Result<(), BoxError> + Send + Sync>;

/// Measures, learns and evaluates the functions of one application; by convention a package `train` beside it.
///
/// ```no_run
/// # mod app {
/// #     #[derive(Debug)] pub struct Keys;
/// #     pub fn load(_: &str) -> std::io::Result<Vec<f32>> { Ok(vec![]) }
/// #     pub fn sort(_: &mut [f32]) {}
/// #     pub mod sort { pub fn function() -> &'static nitro_core::Function { unimplemented!() } }
/// # }
/// # use app::{load, sort};
/// fn main() -> std::process::ExitCode {
///     nitro_train::Trainer::new()
///         .function(sort::function(), |session| {
///             for path in session.inputs("*.f32") {
///                 let keys = load(path)?;
///                 session.input(path, || sort(&mut keys.clone()))?;
///             }
///             Ok(())
///         })
///         .main()
/// }
/// ```
pub struct Trainer {
    pub(crate) functions: Vec<Registered>,
    pub(crate) shipped: Vec<Shipped>,
    /// Profiles of the application proxies.
    pub(crate) shipped_proxies: Option<&'static [u8]>,
    pub(crate) providers: Vec<Box<dyn DeviceProvider>>,
}

impl Default for Trainer {
    fn default() -> Self {
        let (functions, shipped, shipped_proxies) = Default::default();
        Self { functions, shipped, shipped_proxies, providers: vec![Box::new(HostDevices)] }
    }
}

/// One function with the closure that runs it on inputs.
pub(crate) struct Registered {
    pub(crate) function: &'static Function,
    pub(crate) record: RecordInputs,
    pub(crate) generated: Vec<String>,
    /// The kind of device it runs on; none for any.
    pub(crate) runs_on: Option<&'static str>,
}

impl Registered {
    /// Whether the function runs on the device of this name.
    pub(crate) fn runs_on(&self, device: &str) -> bool {
        self.runs_on.is_none_or(|kind| kind_of(device) == kind)
    }
}

/// The kind of device that a name begins with.
pub(crate) fn kind_of(device: &str) -> &str {
    device.split(':').next().unwrap_or(device)
}

/// Recordings of one function that a program carries, so that a fresh machine can learn from others without a network.
///
/// Each part is the content of a file in the import form, gzip or plain: see `train import --help`.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// The function's name.
    pub function: &'static str,
    /// Measurements: device, input, variant, time in nanoseconds.
    pub measurements: &'static [u8],
    /// Inputs: name, then a column a feature.
    pub inputs: &'static [u8],
    /// Devices: name, then a column a device feature.
    pub devices: &'static [u8],
    /// Hardware counters of the variants, as `train profile` writes them to `profiles.csv`; none where none were read.
    pub profiles: Option<&'static [u8]>,
}

impl Trainer {
    /// A trainer without functions.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a function (`NAME::function()` beside each `#[code_variant]` function) and the closure that calls it on
    /// inputs while a session records.
    #[must_use]
    pub fn function(
        mut self,
        function: &'static Function,
        record: impl Fn(&mut Session<'_>) -> Result<(), BoxError> + Send + Sync + 'static,
    ) -> Self {
        self.functions.push(Registered {
            function,
            record: Box::new(record),
            generated: Vec::new(),
            runs_on: None,
        });
        self
    }

    /// Names of built-in inputs of the function added last: what [`Session::inputs`] hands out without `--inputs DIR`.
    ///
    /// Names that begin with `train/` are trained on, names that begin with `test/` are evaluated on.
    ///
    /// # Panics
    /// When no function was added yet.
    #[must_use]
    pub fn generated_inputs(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let last =
            self.functions.last_mut().expect("generated_inputs follows the function that it belongs to");
        last.generated.extend(names.into_iter().map(Into::into));
        self
    }

    /// The function added last runs on devices of this kind alone, e.g. `"cuda"`: commands for another device pass over it.
    /// Without, a function takes part whatever the device.
    ///
    /// # Panics
    /// When no function was added yet.
    #[must_use]
    pub fn runs_on(mut self, kind: &'static str) -> Self {
        let last = self.functions.last_mut().expect("runs_on follows the function that it belongs to");
        last.runs_on = Some(kind);
        self
    }

    /// Adds devices beside the host's, e.g. `nitro_cuda::Devices::new()` for `--device cuda:0`.
    #[must_use]
    pub fn devices(mut self, provider: impl DeviceProvider + 'static) -> Self {
        self.providers.push(Box::new(provider));
        self
    }

    /// Adds recordings of other devices that the program carries.
    #[must_use]
    pub fn shipped(mut self, shipped: Shipped) -> Self {
        self.shipped.push(shipped);
        self
    }

    /// Adds profiles of the application proxies that the program carries, as `train profile` writes them to `proxies.csv`:
    /// those of [`Shipped::profiles`] are compared with them.
    #[must_use]
    pub fn shipped_proxies(mut self, proxies: &'static [u8]) -> Self {
        self.shipped_proxies = Some(proxies);
        self
    }

    pub(crate) fn registered(&self, name: &str) -> Option<&Registered> {
        self.functions.iter().find(|registered| registered.function.name() == name)
    }
}
