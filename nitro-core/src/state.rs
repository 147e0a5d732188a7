//! What is known of a function from its first call on: its choices, the user's pins, its model. All of it can be replaced on
//! request, while calls go on.

use std::fmt;

use crate::choice_table::ChoiceTable;
use crate::environment::{self, DETERMINISTIC, EXACT};
use crate::model::{self, Model};
use crate::model_search::{self, Origin, Unusable};
use crate::resolve::{DeviceChain, ModelInCode, Resolved, resolve};
use crate::{Choice, DeviceEntry, Function, Reason, epoch, events};

/// What is known of a function after its first call, whatever the device.
pub(crate) struct FunctionState {
    /// The number of the choice table, by which calls are counted.
    pub(crate) number: usize,
    /// What a call can end in.
    pub(crate) choices: &'static ChoiceTable,
    /// Index of the choice to which the user pinned the function.
    pub(crate) forced: Option<usize>,
    /// Bit by bit the variants of which every choice may run, as far as numerical exactness is concerned.
    exact_enough: u64,
    /// Bit by bit those of them that have no constraint, which need not be asked.
    always_admissible: u64,
    /// Whether only what is the same on every device of one kind decides.
    deterministic: bool,
    /// The model, or why there is none.
    model: Result<ModelInCode, Reason>,
    /// What the model means on each device met so far.
    devices: DeviceChain,
}

impl FunctionState {
    fn new(function: &'static Function) -> Self {
        Self::with(function, first_model(function))
    }

    /// The state with the settings of the moment.
    fn with(function: &'static Function, model: Result<(Model, Origin), Reason>) -> Self {
        let (forced, deterministic) = (environment::forced_choice(function), DETERMINISTIC.is_on());
        let named = model.iter().flat_map(|(model, _)| &model.choices);
        let of_model: Vec<Option<Choice>> = named.map(|choice| function.choice(choice).ok()).collect();
        let further = forced.into_iter().chain(of_model.iter().copied().flatten());
        let (number, choices) = ChoiceTable::with(function, further);
        let index_of = |choice: Option<Choice>| choices.index_of(choice?);
        let model = model.map(|(model, origin)| {
            let choices = of_model.into_iter().map(index_of).collect();
            ModelInCode { model, origin, choices }
        });
        let forced = index_of(forced);
        let bits = |is_in: &dyn Fn(usize) -> bool| {
            let variants = (0..function.variants().len()).filter(|&variant| is_in(variant));
            variants.fold(0, |bits, variant| bits | 1 << variant)
        };
        let exact_only = EXACT.is_on();
        let exact_enough = bits(&|variant| !exact_only || function.is_in_default_group(variant));
        let always_admissible =
            exact_enough & bits(&|variant| function.variants()[variant].constraint().is_none());
        let devices = DeviceChain::new();
        Self { number, choices, forced, exact_enough, always_admissible, deterministic, model, devices }
    }

    /// The choice of this index.
    #[inline]
    pub(crate) fn choice(&self, index: usize) -> Choice {
        self.choices.choices()[index]
    }

    /// What the model may pick, as far as the code has it.
    pub(crate) fn of_model(&self) -> impl Iterator<Item = usize> + '_ {
        self.model.iter().flat_map(|model| model.choices.iter().copied().flatten())
    }

    /// Whether the choice of this index may run for an input, whose constraints `admits` evaluates.
    #[inline]
    pub(crate) fn may_run(&self, index: usize, admits: &dyn Fn(Choice) -> bool) -> bool {
        let choice = self.choice(index);
        self.always_admissible >> choice.variant & 1 == 1 || self.is_exact_enough(index) && admits(choice)
    }

    /// Whether the choice of this index may run, as far as numerical exactness is concerned.
    #[inline]
    pub(crate) fn is_exact_enough(&self, index: usize) -> bool {
        self.exact_enough >> self.choice(index).variant & 1 == 1
            || index == self.choices.function.default_variant()
    }

    /// What the model means on this device; the first call for the device resolves it.
    #[inline]
    pub(crate) fn resolved(&self, function: &'static Function, device: &'static DeviceEntry) -> &Resolved {
        let known = self.devices.find(|(own, _)| *own == device);
        known.map_or_else(|| self.resolve(function, device), |(_, known)| known)
    }

    #[cold]
    fn resolve(&self, function: &'static Function, device: &'static DeviceEntry) -> &Resolved {
        let model = || self.model.as_ref().map_err(|&reason| reason);
        let resolve = || {
            let resolved =
                model().and_then(|model| resolve(function, self.choices, model, device, self.deterministic));
            (device, resolved)
        };
        let (known, events) =
            events::hold(|| self.devices.find_or_insert(|(own, _)| *own == device, resolve));
        events.tell();
        &known.1
    }
}

impl Function {
    /// The state of the function; the first call reads the environment and looks for the model.
    #[inline]
    pub(crate) fn state(&'static self) -> &'static FunctionState {
        self.state.get_or_init(|| FunctionState::new(self))
    }

    /// Reads the function's model again, from the first of its places that has one now (see `model = EXPRESSION` of
    /// `#[code_variant]`), and takes the settings of the moment ([`set_exact`](crate::set_exact),
    /// [`set_deterministic`](crate::set_deterministic), `NITRO_FORCE`).
    ///
    /// Calls on other threads go on meanwhile, with the old model until the new one is ready on every device that the function was
    /// called on. Where no place has a model any more, the default variant runs from now on.
    ///
    /// A child made by `fork` may call this too, whatever the other threads of its parent were doing.
    ///
    /// The old model stays in memory, because a call may still be using it: each reload costs the size of a model in memory for the
    /// life of the process.
    ///
    /// # Errors
    /// When the new model cannot be read, is of another function, or needs what the code or a device does not have where the old
    /// one could be used. The old model stays in use then.
    pub fn reload(&'static self) -> Result<(), ReloadError> {
        let replaced = self.state.try_replace(|old| match old {
            Some(old) => old.renewed(self),
            None => Ok(FunctionState::new(self)),
        });
        epoch::advance();
        replaced.map_err(|unusable| ReloadError { refused: vec![(self.name(), unusable)] })
    }
}

impl FunctionState {
    /// The state with the model that is found now, ready on the devices of this one.
    fn renewed(&self, function: &'static Function) -> Result<Self, Unusable> {
        let model = model_search::find_model(function)?;
        let origin = model.as_ref().map(|(_, origin)| origin.clone());
        let state = Self::with(function, model.ok_or(Reason::NoModel));
        for (device, old) in self.devices.iter() {
            if let (Err(reason), Ok(_), Some(origin)) = (state.resolved(function, device), old, &origin) {
                let cause = reason.to_string().replacen("default, ", "", 1);
                let why = format!("cannot be used on {}: {cause}", device.id());
                return Err(Unusable { reason: *reason, origin: origin.clone(), why });
            }
        }
        let origin = origin.map(|origin| origin.to_string());
        events::tell(move || tracing::info!(function = function.name(), origin, "the model was read again"));
        Ok(state)
    }
}

/// The model for the first call: what is wrong with it is told once, as an event.
fn first_model(function: &Function) -> Result<(Model, Origin), Reason> {
    let name = function.name();
    match model_search::find_model(function) {
        Ok(Some(found)) => Ok(found),
        Ok(None) => {
            let file = model::file_name(name);
            events::tell(move || {
                tracing::debug!(function = name, file, "no model, the default variant runs")
            });
            Err(Reason::NoModel)
        }
        Err(Unusable { reason, origin, why }) => {
            events::tell(move || {
                tracing::warn!(function = name, %origin, why, "the model is not used, the default variant runs");
                events::line_where_nobody_listens(format_args!(
                    "`{name}`: {origin} {why}; the default variant runs"
                ));
            });
            Err(reason)
        }
    }
}

/// Reads the models of all functions called so far again, as [`Function::reload`] does for one.
///
/// ```
/// # use nitro_core as nitro;
/// // When a file of models has been replaced:
/// if let Err(error) = nitro::reload() {
///     eprintln!("{error}"); // what was in use before stays in use
/// }
/// ```
///
/// # Errors
/// When some model cannot be used; that function keeps its old one, and the others have their new ones.
pub fn reload() -> Result<(), ReloadError> {
    let functions = ChoiceTable::functions();
    let refused: Vec<_> =
        functions.filter_map(|function| function.reload().err()).flat_map(|error| error.refused).collect();
    if refused.is_empty() { Ok(()) } else { Err(ReloadError { refused }) }
}

/// New models that are not used. The old ones stay in use.
///
/// ```
#[doc = include_str!("example_sort.md")]
/// # let folder = tempfile::tempdir()?;
/// # let models = folder.path();
/// # // SAFETY: no other thread runs.
/// # unsafe { std::env::set_var("NITRO_MODELS", models) };
/// sort(&mut [3, 1, 2]); // has its model now
/// std::fs::write(models.join("sort.model"), "not a model")?;
/// let error = nitro::reload().unwrap_err();
/// assert_eq!(error.functions().collect::<Vec<_>>(), ["sort"]);
/// assert_eq!(sort::select(&[7; 4096]).variant(), sort::Variant::Radix, "by the model it had before");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReloadError {
    /// Functions, each with what is wrong with its model.
    refused: Vec<(&'static str, Unusable)>,
}

impl ReloadError {
    /// The names of the functions that keep their old models.
    pub fn functions(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.refused.iter().map(|(function, _)| *function)
    }
}

impl fmt::Display for ReloadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (function, Unusable { origin, why, .. }) in &self.refused {
            write!(formatter, "`{function}`: {origin} {why}; ")?;
        }
        formatter.write_str("what was in use before stays in use")
    }
}

impl std::error::Error for ReloadError {}
