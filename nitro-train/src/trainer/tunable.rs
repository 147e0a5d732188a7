//! A function of an application with all that its training takes.

use std::fmt;
use std::path::Path;

use nitro_core::{Choice, CodeChoice, DeviceId, Function};
use nitro_learn::configurations::ConfigurationsError;

use crate::generate::Generator;
use crate::measure::{BoxError, Inputs, Session};
use crate::search::{Floor, Floors, Generators, InputFloor, SearchError, no_generator};

type PrepareChoice = Box<dyn Fn(Choice, &str) + Send + Sync>;
type RecordInputs = Box<dyn Fn(&mut Session<'_>) -> Result<(), BoxError> + Send + Sync>;

/// A function with the closure that calls it on inputs, and what else its training takes.
/// [`Trainer::tunable`](crate::Trainer::tunable) adds it.
///
/// ```
/// # mod app {
/// #     use nitro::code_variant;
/// #     #[code_variant(features(length = keys.len()), variants(stable, unstable), default = stable, crate = nitro)]
/// #     pub fn sort(keys: &mut [u32]);
/// #     fn stable(keys: &mut [u32]) { keys.sort() }
/// #     fn unstable(keys: &mut [u32]) { keys.sort_unstable() }
/// # }
/// # use app::sort;
/// use nitro_train::{Trainer, Tunable};
///
/// let sorting = Tunable::new(sort::function(), |session| {
///     for name in session.inputs("") {
///         let keys: Vec<u32> = (0..name.rsplit('/').next().unwrap_or_default().parse()?).rev().collect();
///         session.input(name, || sort(&mut keys.clone()))?;
///     }
///     Ok(())
/// });
/// let sorting = sorting.generated_inputs(["train/10", "train/1000", "test/100"]).runs_on("host");
/// let trainer = Trainer::new().tunable(sorting);
/// assert_eq!(trainer.functions().count(), 1);
/// ```
pub struct Tunable {
    pub(super) function: &'static Function,
    pub(super) record: RecordInputs,
    pub(super) generated_inputs: Vec<String>,
    pub(super) runs_on: Option<&'static str>,
    pub(super) shipped: Vec<ShippedRecordings>,
    pub(super) prepare: Option<PrepareChoice>,
    /// The generators of code, with the variant that each writes for.
    pub(super) generators: Vec<(&'static str, Box<dyn Generator>)>,
    pub(super) floor: Option<Box<InputFloor>>,
}

impl Tunable {
    /// Returns a function with the closure that calls it on inputs while a session records.
    ///
    /// `NAME::function()` stands beside each `#[code_variant]` function.
    #[must_use]
    pub fn new(
        function: &'static Function,
        record: impl Fn(&mut Session<'_>) -> Result<(), BoxError> + Send + Sync + 'static,
    ) -> Self {
        let (generated_inputs, runs_on, shipped, prepare, generators, floor) = Default::default();
        let record = Box::new(record);
        Self { function, record, generated_inputs, runs_on, shipped, prepare, generators, floor }
    }

    /// Adds names of built-in inputs: what [`Session::inputs`] hands out without `--inputs DIR`.
    ///
    /// Names that begin with `train/` are trained on, names that begin with `test/` are evaluated on.
    #[must_use]
    pub fn generated_inputs(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.generated_inputs.extend(names.into_iter().map(Into::into));
        self
    }

    /// Restricts the function to devices of this kind, e.g. `"cuda"`: what is done on another device passes over it.
    /// Without, it takes part whatever the device.
    #[must_use]
    pub fn runs_on(mut self, kind: &'static str) -> Self {
        self.runs_on = Some(kind);
        self
    }

    /// Adds recordings of the function on other devices that the program carries.
    #[must_use]
    pub fn shipped(mut self, recordings: ShippedRecordings) -> Self {
        self.shipped.push(recordings);
        self
    }

    /// Adds what makes a choice ready to run on the device of this name, such as compiling its kernel.
    ///
    /// While a search times one configuration, threads of the host do that for those that come next. What becomes of it
    /// does not matter: a choice that is not ready makes itself so when it runs. The name has no regime.
    ///
    /// The type of the choice is the function's own.
    ///
    /// ```
    /// # mod app {
    /// #     use nitro::code_variant;
    /// #     #[code_variant(features(length = values.len()),
    /// #         variants(plain, blocked { block in pow2(1..=64) = 8 }), default = plain, crate = nitro)]
    /// #     pub fn sum(values: &[u32]) -> u32;
    /// #     fn plain(values: &[u32]) -> u32 { values.iter().sum() }
    /// #     fn blocked(p: sum::Blocked, values: &[u32]) -> u32 { values.chunks(p.block).flatten().sum() }
    /// # }
    /// # use app::sum;
    /// # fn compile(block: usize, device: &str) {}
    /// use nitro_train::Tunable;
    ///
    /// let tunable = Tunable::new(sum::function(), |session| Ok(session.input("ten", || sum(&[1; 10]))?));
    /// let tunable = tunable.prepare(|choice, device| match choice {
    ///     sum::Choice::Blocked(p) => compile(p.block, device), // with NVRTC: `nitro_cuda::Program::prepare`
    ///     sum::Choice::Plain => {}
    /// });
    /// # let _ = tunable;
    /// ```
    #[must_use]
    pub fn prepare<C: CodeChoice>(mut self, prepare: impl Fn(C, &str) + Send + Sync + 'static) -> Self {
        self.prepare = Some(Box::new(move |choice, device| prepare(C::of(choice), device)));
        self
    }

    /// Adds the generator of this variant's code, which has a parameter `in artifacts`.
    ///
    /// `train search` asks it, and nothing else does: the texts that are worth it are in the store, and those that a
    /// model picks go with it.
    ///
    /// ```
    /// # mod app {
    /// #     use nitro::code_variant;
    /// #     #[code_variant(features(length = values.len()), variants(plain, found), default = plain, crate = nitro)]
    /// #     pub fn sum(values: &[u32]) -> u32;
    /// #     fn plain(values: &[u32]) -> u32 { values.iter().sum() }
    /// #     fn found(values: &[u32]) -> u32 { plain(values) }
    /// # }
    /// # use app::sum;
    /// # use nitro_train::BoxError;
    /// # use nitro_train::generate::{Crossing, Decision, Decisions, Generator, NodeKey, Step};
    /// # struct Blocks;
    /// # impl Decisions for Blocks {
    /// #     fn next(&self, path: &[Crossing]) -> Step {
    /// #         if path.is_empty() { Step::Choose(Decision::new(NodeKey::new("block"), 4)) } else { Step::Complete }
    /// #     }
    /// # }
    /// # impl Generator for Blocks {
    /// #     fn decisions(&self) -> &dyn Decisions { self }
    /// #     fn artifact(&self, path: &[Crossing]) -> Result<String, BoxError> {
    /// #         Ok(format!("block={}", 16 << path[0].option))
    /// #     }
    /// # }
    /// use nitro_train::Tunable;
    ///
    /// let tunable = Tunable::new(sum::function(), |session| Ok(session.input("ten", || sum(&[1; 10]))?));
    /// let tunable = tunable.generated("found", Blocks); // `Blocks` is a `nitro_train::generate::Generator`
    /// # let _ = tunable;
    /// ```
    #[must_use]
    pub fn generated(mut self, variant: &'static str, generator: impl Generator + 'static) -> Self {
        self.generators.push((variant, Box::new(generator)));
        self
    }

    /// Adds the time that no variant takes less than on an input of this name, on a device with these features; none
    /// where that is not known.
    ///
    /// `train search` shows how near it is, stops there if asked to (`--until 95%-of-floor`), and ends with an error
    /// where a time is under it: so it has to be a true floor, not a guess. `nitro_decide::Rates::floor` makes one of
    /// the bytes and operations of a nest.
    ///
    /// ```
    /// # mod app {
    /// #     use nitro::code_variant;
    /// #     #[code_variant(features(length = values.len()), variants(plain, other), default = plain, crate = nitro)]
    /// #     pub fn sum(values: &[u32]) -> u32;
    /// #     fn plain(values: &[u32]) -> u32 { values.iter().sum() }
    /// #     fn other(values: &[u32]) -> u32 { plain(values) }
    /// # }
    /// # use app::sum;
    /// use nitro_train::Tunable;
    /// use nitro_train::search::Floor;
    ///
    /// let tunable = Tunable::new(sum::function(), |session| Ok(session.input("1000", || sum(&[1; 1000]))?));
    /// let tunable = tunable.floor(|input, feature| {
    ///     let (bytes, gbps) = (4.0 * input.parse::<f64>().ok()?, feature("peak_gbps")?);
    ///     let reason = format!("{bytes} bytes, {gbps:.0} GB/s");
    ///     Some(Floor { ns: bytes / gbps, limit: "memory".into(), reason })
    /// });
    /// # let _ = tunable;
    /// ```
    #[must_use]
    pub fn floor(
        mut self,
        floor: impl Fn(&str, &dyn Fn(&str) -> Option<f64>) -> Option<Floor> + Send + Sync + 'static,
    ) -> Self {
        self.floor = Some(Box::new(floor));
        self
    }

    /// Returns the floors of its inputs.
    pub(super) fn floors(&self) -> Floors<'_> {
        Floors(self.floor.as_deref())
    }

    /// Returns the generators for a search.
    pub(super) fn generators(&self) -> Generators<'_> {
        Generators(self.generators.iter().map(|(variant, own)| (*variant, &**own)).collect())
    }

    /// Returns the names of what searches begin with, by variant.
    pub(super) fn presets(&self) -> impl Iterator<Item = (&'static str, Vec<String>)> + '_ {
        self.generators.iter().map(|(variant, own)| {
            let names = own.presets().into_iter().map(|(name, _)| name).collect();
            (*variant, names)
        })
    }

    /// Returns true if there is something to search: configurations that can be listed, or a generator of code.
    pub(super) fn has_space(&self) -> bool {
        let mut parameters = self.function.variants().iter().map(|own| own.parameters());
        !self.generators.is_empty() || parameters.any(|own| !own.is_empty() && own.artifact().is_none())
    }

    /// Returns the reason why there is nothing to search.
    pub(super) fn no_space(&self) -> SearchError {
        let generated = self.function.variants().iter().find(|own| own.parameters().artifact().is_some());
        match generated {
            Some(variant) => no_generator(self.function, variant.name()),
            None => ConfigurationsError::NoSpace { function: self.name().to_owned() }.into(),
        }
    }

    /// Returns the name of the function.
    pub(super) fn name(&self) -> &'static str {
        self.function.name()
    }

    /// Returns true if the function runs on the device of this name.
    pub(super) fn fits(&self, device: &str) -> bool {
        self.runs_on.is_none_or(|kind| DeviceId::new(device).kind() == kind)
    }

    /// Returns the inputs in a folder, or else the built-in ones.
    pub(super) fn inputs<'a>(&'a self, folder: Option<&'a Path>) -> Inputs<'a> {
        folder.map_or(Inputs::Generated(&self.generated_inputs), Inputs::Folder)
    }
}

impl fmt::Debug for Tunable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let generated: Vec<&str> = self.generators.iter().map(|(variant, _)| *variant).collect();
        formatter
            .debug_struct("Tunable")
            .field("function", &self.name())
            .field("generated", &generated)
            .finish_non_exhaustive()
    }
}

/// Recordings of one function that a program carries, so that a fresh machine can learn from others without a network.
///
/// Each part is the content of a file in the import form, gzip or plain: see `train import --help`.
#[derive(Clone, Copy, Debug)]
pub struct ShippedRecordings {
    /// Measurements: device, input, variant, time in nanoseconds.
    pub measurements: &'static [u8],
    /// Inputs: name, then a column a feature.
    pub inputs: &'static [u8],
    /// Devices: name, then a column a device feature.
    pub devices: &'static [u8],
    /// The hardware counters of the variants, as `train profile` writes them to `profiles.csv`, if they were read.
    pub profiles: Option<&'static [u8]>,
    /// The times to compute features: device, input, then a column a feature with nanoseconds. None where they were not
    /// measured.
    pub feature_times: Option<&'static [u8]>,
    /// The texts of generated code, as `train export --artifacts` writes them; none where no variant has any.
    pub artifacts: Option<&'static [u8]>,
}
