//! The state of a function from its first call on: its choices, the user's pins, its model. All of it can be
//! replaced on request, while calls go on.

use std::cell::Cell;
use std::convert::Infallible;
use std::fmt;

use super::choice_table::ChoiceTable;
use super::forced::forced_choice;
use super::model_search::{self, Origin, Source, SourceIdentity, UnusableModel};
use super::resolve::{DeviceChain, ModelInCode, Resolution, Resolver};
use super::{Choice, Function};
use crate::chain::Chain;
use crate::device::Lookup;
use crate::environment::{DETERMINISTIC, EXACT};
use crate::model::{self, Calibration, MAX_CALIBRATIONS, Model};
use crate::{Device as _, DeviceEntry, DeviceId, Reason, Regime, epoch, events, host, regime};

/// The state of a function after its first call, whatever the device.
pub(crate) struct FunctionState {
    /// The number of the choice table, by which calls are counted.
    pub(crate) number: usize,
    /// The choices that a call can end in.
    pub(crate) choices: &'static ChoiceTable,
    /// Index of the choice to which the user pinned the function.
    pub(crate) forced: Option<usize>,
    /// Bit by bit the variants that are exact enough for every choice of theirs to run, and compiled for a processor
    /// like this one.
    exact_enough: u64,
    /// Bit by bit those of them that have no constraint, which need not be asked.
    always_admissible: u64,
    /// True where only what is the same on every device of one kind decides.
    deterministic: bool,
    /// True, by the number of a regime, where the model was trained or calibrated on a device in it.
    knows: [bool; Regime::ALL.len()],
    /// The basis of the state: as long as that is the same, so is the state.
    basis: Basis,
    /// The model, or the reason why there is none.
    model: Result<ModelInCode, Reason>,
    /// The model resolved for each device met so far.
    devices: DeviceChain,
    /// The devices met so far that had to be measured first.
    pending: Chain<&'static DeviceEntry>,
}

/// The resolution on a device that is still to be measured.
static PENDING: Resolution = Err(Reason::DeviceFeaturesPending);

/// The basis of a state: the settings, and the identity of the model that was found.
#[derive(Clone, PartialEq)]
struct Basis {
    forced: Option<Choice>,
    exact_only: bool,
    deterministic: bool,
    source: Option<SourceIdentity>,
}

impl Basis {
    /// Takes the settings of the moment.
    fn now(function: &Function, source: Option<&Source>) -> Self {
        Self {
            forced: forced_choice(function),
            exact_only: EXACT.is_on(),
            deterministic: DETERMINISTIC.is_on(),
            source: source.and_then(Source::identity),
        }
    }
}

impl FunctionState {
    fn new(function: &'static Function) -> Self {
        let source = model_search::find_source(function);
        let basis = Basis::now(function, source.as_ref());
        Self::with(function, basis, first_model(function, source))
    }

    /// The state that follows from its basis and the model.
    fn with(function: &'static Function, basis: Basis, model: Result<(Model, Origin), Reason>) -> Self {
        let Basis { forced, exact_only, deterministic, .. } = basis;
        let named = model.iter().flat_map(|(model, _)| &model.choices);
        let of_model: Vec<Option<Choice>> = named.map(|choice| function.choice(choice).ok()).collect();
        let further = forced.into_iter().chain(of_model.iter().copied().flatten());
        let (number, choices) = ChoiceTable::with(function, further);
        let model = model.map(|(model, origin)| {
            let choices = of_model.into_iter().map(|choice| choices.index_of(choice?)).collect();
            ModelInCode { model, origin, choices }
        });
        let forced = forced.and_then(|choice| choices.index_of(choice));
        let (mut exact_enough, mut always_admissible) = (0, 0);
        for (variant, info) in function.variants().iter().enumerate() {
            // The processor stays the same: no call has to ask what it has.
            if info.runs_here() && (!exact_only || function.is_in_default_group(variant)) {
                exact_enough |= 1 << variant;
                always_admissible |= u64::from(info.constraint().is_none()) << variant;
            }
        }
        let knows = Regime::ALL.map(|regime| model.iter().any(|own| own.model.knows(regime)));
        if knows[1..].contains(&true) {
            regime::use_regimes();
        }
        let (devices, pending) = (DeviceChain::new(), Chain::new());
        Self {
            number,
            choices,
            forced,
            exact_enough,
            always_admissible,
            deterministic,
            knows,
            basis,
            model,
            devices,
            pending,
        }
    }

    /// The choice of this index.
    #[inline]
    pub(crate) fn choice(&self, index: usize) -> Choice {
        self.choices.choices()[index]
    }

    /// The model, if there is one.
    pub(crate) fn model(&self) -> Option<&ModelInCode> {
        self.model.as_ref().ok()
    }

    /// Returns true where calls may run other choices than the model's first, to compare them.
    pub(crate) fn may_compare(&self) -> bool {
        self.forced.is_none() && !self.deterministic
    }

    /// Returns true for a state of the same model, settings and choices, whatever was calibrated in the background.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.number == other.number && self.basis == other.basis
    }

    /// Puts a calibration into the model of the function, in the place of one for the same device. Returns false where
    /// the function has another model by now, or has calibrations for as many devices as it may.
    pub(crate) fn calibrate(&self, function: &'static Function, calibration: &Calibration) -> bool {
        let is_replaced = Cell::new(false);
        let replaced = function.state.try_replace(|old| {
            let new =
                old.filter(|old| old.is_like(self)).and_then(|old| old.calibrated(function, calibration));
            is_replaced.set(new.is_some());
            Ok::<_, Infallible>(new)
        });
        let Ok(()) = replaced;
        epoch::advance();
        is_replaced.get()
    }

    /// The state with a calibration more.
    fn calibrated(&self, function: &'static Function, calibration: &Calibration) -> Option<Self> {
        let ModelInCode { model, origin, .. } = self.model()?;
        let mut model = model.clone();
        model.calibrations.retain(|own| own.device != calibration.device);
        if model.calibrations.len() >= MAX_CALIBRATIONS {
            return None;
        }
        model.calibrations.push(calibration.clone());
        Some(Self::with(function, self.basis.clone(), Ok((model, origin.clone()))))
    }

    /// The choices that the model may make, as far as the code has them.
    pub(crate) fn of_model(&self) -> impl Iterator<Item = usize> + '_ {
        self.model.iter().flat_map(|model| model.choices.iter().copied().flatten())
    }

    /// Returns true where the choice of this index may run for an input, whose constraints `admits` evaluates.
    #[inline]
    pub(crate) fn may_run(&self, index: usize, admits: &dyn Fn(Choice) -> bool) -> bool {
        let choice = self.choice(index);
        self.always_admissible >> choice.variant & 1 == 1 || self.is_exact_enough(index) && admits(choice)
    }

    /// Returns true where the choice of this index may run, as far as numerical exactness and the processor are
    /// concerned.
    #[inline]
    pub(crate) fn is_exact_enough(&self, index: usize) -> bool {
        self.exact_enough >> self.choice(index).variant & 1 == 1
            || index == self.choices.function.default_variant()
    }

    /// Returns true where the model can tell calls in a regime from eager ones.
    #[inline]
    pub(crate) fn knows(&self, regime: Regime) -> bool {
        self.knows[regime as usize]
    }

    /// The model resolved for this device; the first call for the device resolves it. In a regime that the model does
    /// not know, it is what it is for eager calls.
    #[inline]
    pub(crate) fn resolved(&self, function: &'static Function, device: &'static DeviceEntry) -> &Resolution {
        let device = if self.knows(device.regime()) { device } else { device.in_regime(Regime::Eager) };
        let known = self.devices.find(|(own, _)| *own == device);
        known.map_or_else(|| self.resolve(function, device), |(_, known)| known)
    }

    #[cold]
    fn resolve(&self, function: &'static Function, device: &'static DeviceEntry) -> &Resolution {
        if device.has_to_be_measured() && self.pending.find(|own| *own == device).is_some() {
            device.measure_in_background(); // a process that was forked has to begin it again
            return &PENDING;
        }
        let (resolved, events) = events::hold(|| {
            let model = self.model.as_ref().map_err(|&reason| reason)?;
            let resolver = Resolver {
                function,
                table: self.choices,
                in_code: model,
                device,
                deterministic: self.deterministic,
            };
            resolver.resolve()
        });
        if matches!(resolved, Err(Reason::DeviceFeaturesPending)) {
            self.pending.find_or_insert(|own| *own == device, || device);
            events.tell();
            return &PENDING;
        }
        match self.devices.insert(|(own, _)| *own == device, || (device, resolved)) {
            Ok(new) => {
                events.tell();
                &new.1
            }
            Err(known) => &known.1, // another thread was faster, and tells
        }
    }

    /// Waits until the model's device features are measured. That is on the devices that the function was called on,
    /// otherwise on the one where calls would go.
    pub(crate) fn wait_for_devices(&self) {
        let Ok(ModelInCode { model, .. }) = &self.model else { return };
        if self.deterministic || model.device_features.is_empty() {
            return;
        }
        let kinds: Vec<&str> = model.provenance.sources.iter().map(|id| DeviceId::new(id).kind()).collect();
        let is_elsewhere = |kind: &str| kind != "host" && kinds.contains(&kind);
        let mut devices: Vec<_> =
            DeviceEntry::all().filter(|own| is_elsewhere(DeviceId::new(own.id()).kind())).collect();
        if devices.is_empty() && self.pending.iter().next().is_none() && self.devices.iter().next().is_none()
        {
            devices.push(host::current().entry());
        }
        devices.extend(self.pending.iter());
        for device in devices {
            if model.needed_on(device.id()).iter().any(|name| device.look_up(name) == Lookup::Pending) {
                device.measured();
            }
        }
    }
}

impl Function {
    /// The state of the function; the first call reads the environment and looks for the model.
    #[inline]
    pub(crate) fn state(&'static self) -> &'static FunctionState {
        self.state.get_or_init(|| FunctionState::new(self))
    }

    /// Reads the function's model again, from the first of its places that has one now (see `model` of
    /// `#[code_variant]`). Takes the settings of the moment too ([`set_exact`](crate::set_exact),
    /// [`set_deterministic`](crate::set_deterministic), `NITRO_FORCE`).
    ///
    /// Calls on other threads go on meanwhile, with the old model until the new one is ready on every device that
    /// the function was called on. Where no place has a model any more, the default variant runs from now on.
    ///
    /// A child made by `fork` may call this too, whatever the other threads of its parent were doing.
    ///
    /// Where the model's bytes and the settings are what they were, nothing changes. Otherwise the old model stays
    /// in memory, because a call may still be using it: such a reload costs the size of a model for the life of the
    /// process.
    ///
    /// # Errors
    /// When the new model cannot be read, is of another function, or needs what the code or a device does not have
    /// where the old one could be used. The old model stays in use then.
    pub fn reload(&'static self) -> Result<(), ReloadError> {
        let replaced = self.state.try_replace(|old| match old {
            Some(old) => old.renewed(self),
            None => Ok(Some(FunctionState::new(self))),
        });
        epoch::advance();
        replaced.map_err(|unusable| ReloadError { refused: vec![(self.name(), unusable)] })
    }
}

impl FunctionState {
    /// The state with the model that is found now, ready on the devices of this one. None where it would be the
    /// same.
    fn renewed(&self, function: &'static Function) -> Result<Option<Self>, UnusableModel> {
        let source = model_search::find_source(function);
        let basis = Basis::now(function, source.as_ref());
        let is_usable = matches!(self.model, Ok(_) | Err(Reason::NoModel));
        if is_usable && basis == self.basis && source.is_some() == basis.source.is_some() {
            return Ok(None);
        }
        let model = source.map(|source| source.model(function)).transpose()?;
        let origin = model.as_ref().map(|(_, origin)| origin.clone());
        let state = Self::with(function, basis, model.ok_or(Reason::NoModel));
        for (device, old) in self.devices.iter() {
            if old.is_ok() && matches!(state.resolved(function, device), Err(Reason::DeviceFeaturesPending)) {
                device.measured(); // the old model goes on until the new one is ready
            }
            if let (Err(reason), Ok(_), Some(origin)) = (state.resolved(function, device), old, &origin) {
                let cause = reason.to_string().replacen("default, ", "", 1);
                let why = format!("cannot be used on {}: {cause}", device.id());
                return Err(UnusableModel { reason: *reason, origin: origin.clone(), why });
            }
        }
        let origin = origin.map(|origin| origin.to_string());
        events::tell(move || tracing::info!(function = function.name(), origin, "the model was read again"));
        Ok(Some(state))
    }
}

/// The model for the first call; an error in it is told once, as an event.
fn first_model(function: &Function, source: Option<Source>) -> Result<(Model, Origin), Reason> {
    let name = function.name();
    match source.map(|source| source.model(function)).transpose() {
        Ok(Some(found)) => Ok(found),
        Ok(None) => {
            let file = model::file_name(name);
            events::tell(move || {
                tracing::debug!(function = name, file, "no model, the default variant runs")
            });
            Err(Reason::NoModel)
        }
        Err(UnusableModel { reason, origin, why }) => {
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
#[doc = include_str!("../example_sort.md")]
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
    refused: Vec<(&'static str, UnusableModel)>,
}

impl ReloadError {
    /// The names of the functions that keep their old models.
    pub fn functions(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.refused.iter().map(|(function, _)| *function)
    }
}

impl fmt::Display for ReloadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (function, UnusableModel { origin, why, .. }) in &self.refused {
            write!(formatter, "`{function}`: {origin} {why}; ")?;
        }
        formatter.write_str("what was in use before stays in use")
    }
}

impl std::error::Error for ReloadError {}

#[cfg(test)]
mod tests {
    use std::ptr;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::VariantInfo;
    use crate::model::{Coverage, Provenance, Selector};

    /// The choice of the model that the function carries.
    static CHOSEN: AtomicUsize = AtomicUsize::new(0);
    static FUNCTION: Function =
        Function::new("reloaded_in_test", &[VariantInfo::new("a"), VariantInfo::new("b")]).with_model(model);

    fn model() -> &'static [u8] {
        let model = Model {
            function: "reloaded_in_test".into(),
            choices: vec!["a".into(), "b".into()],
            artifacts: vec![],
            features: vec![],
            feature_digests: vec![],
            device_features: vec![],
            selector: Selector::Constant { choice: CHOSEN.load(Ordering::Relaxed) },
            gate: None,
            caution: None,
            is_distilled: false,
            training_inputs: Default::default(),
            calibrations: vec![],
            coverage: Coverage::default(),
            provenance: Provenance::default(),
        };
        model.to_bytes().leak()
    }

    /// A state is never freed, so that a service that reloads every second must not make one each time.
    #[test]
    fn a_reload_of_the_same_bytes_goes_on_with_the_same_state() {
        let first = FUNCTION.state();
        for _ in 0..3 {
            FUNCTION.reload().unwrap();
            assert!(ptr::eq(FUNCTION.state(), first));
        }
        CHOSEN.store(1, Ordering::Relaxed);
        FUNCTION.reload().unwrap();
        let second = FUNCTION.state();
        assert!(!ptr::eq(second, first));
        FUNCTION.reload().unwrap();
        assert!(ptr::eq(FUNCTION.state(), second));
    }
}
