//! The removal of recordings from the store, and marks that they are to be measured again.

use clap::Args;
use nitro_store::store::{self, Forgotten, Selected, SharedStore};
use serde::Serialize;

use super::builder::Trainer;
use super::devices::or_whole_host;
use super::error::TrainError;
use super::request::DataRequest;

/// The recordings of a variant, of inputs by a pattern, and of a device; all without these.
///
/// ```
/// use nitro_train::WhichRecordings;
///
/// let of_bitmap = WhichRecordings { variant: Some("bitmap".into()), ..WhichRecordings::default() };
/// assert!(of_bitmap.inputs.is_none(), "on all inputs");
/// ```
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct WhichRecordings {
    /// Only those of this variant
    #[arg(long, value_name = "V")]
    pub variant: Option<String>,
    /// Only those of inputs whose whole name matches the pattern; * is any text, as in 'dense/*'
    #[arg(long = "input", value_name = "GLOB")]
    pub inputs: Option<String>,
}

impl WhichRecordings {
    /// Returns the selection of these recordings on one device, or on all.
    pub(super) fn on(&self, device: Option<&str>) -> Result<Selected, TrainError> {
        Ok(Selected::new(self.variant.as_deref(), self.inputs.as_deref(), device)?)
    }
}

/// The recordings to take out of a store.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct ForgetRequest {
    /// The functions, all without names, and the store.
    #[command(flatten)]
    pub data: DataRequest,
    /// The recordings of these functions to forget.
    #[command(flatten)]
    pub which: WhichRecordings,
    /// Only those on this device, by the name that devices shows
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// Forget everything; needed if no other option says what
    #[arg(long, conflicts_with_all = ["functions", "variant", "inputs", "device"])]
    pub all: bool,
}

/// The recordings of one function that were forgotten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ForgottenOf {
    /// The function.
    pub function: String,
    /// Number of recordings of each kind.
    #[serde(flatten)]
    pub forgotten: Forgotten,
}

impl Trainer {
    /// Takes recordings out of a store, a function at a time; returns how many of each function. What the program
    /// carries stays.
    ///
    /// ```
    /// # let recordings = nitro_store::example();
    #[doc = include_str!("example_store.md")]
    /// use nitro_train::{DataRequest, ForgetRequest, Trainer, WhichRecordings};
    ///
    /// let data = DataRequest { store: Some(store), ..DataRequest::default() };
    /// let which = WhichRecordings { variant: Some("stable".into()), inputs: Some("test/*".into()) };
    /// let request = ForgetRequest { data: data.clone(), which, ..ForgetRequest::default() };
    /// let forgotten = Trainer::new().forget(&request)?;
    /// assert_eq!(forgotten[0].forgotten.inputs, 0, "another variant is still known on each");
    /// assert!(forgotten[0].forgotten.measurements > 0);
    /// let everything = ForgetRequest { data, ..ForgetRequest::default() };
    /// assert!(Trainer::new().forget(&everything).is_err(), "not by accident");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`TrainError::ForgetsAll`] when nothing says what is meant, when there is no store or no such function in
    /// it, when the pattern is none, and when the store cannot be written.
    pub fn forget(&self, request: &ForgetRequest) -> Result<Vec<ForgottenOf>, TrainError> {
        let ForgetRequest { data, which, device, all } = request;
        let is_named = !data.functions.is_empty() || device.is_some() || *which != WhichRecordings::default();
        if !is_named && !all {
            return Err(TrainError::ForgetsAll);
        }
        let selected = which.on(device.as_deref())?;
        let mut store = open_existing(data)?;
        let known = store.functions()?;
        let functions = if data.functions.is_empty() { known.clone() } else { data.functions.clone() };
        if let Some(unknown) = functions.iter().find(|name| !known.contains(name)) {
            let (store, function) = (store::shown(data.store_url()), unknown.clone());
            return Err(TrainError::NoneOfFunction { store, function, known });
        }
        let mut forgotten = Vec::new();
        for function in functions {
            let of_function = store.forget(&function, &selected)?;
            forgotten.push(ForgottenOf { function, forgotten: of_function });
        }
        Ok(forgotten)
    }

    /// Marks recordings of functions of this program on devices of this machine, and returns how many.
    ///
    /// [`record`](Self::record) measures them again. Until it has, the old ones are used, and [`check`](Self::check)
    /// fails.
    ///
    /// # Errors
    /// When a name is that of no function, device or variant, when nothing recorded is meant, when the pattern is
    /// none, and when the store cannot be written.
    pub fn measure_again(
        &self,
        data: &DataRequest,
        devices: &[String],
        which: &WhichRecordings,
    ) -> Result<usize, TrainError> {
        let mut store = open_existing(data)?;
        let (known, mut marked) = (store.functions()?, 0);
        self.has_variant(data, which)?;
        for name in or_whole_host(devices) {
            let device = self.open_device(&name)?;
            let selected = which.on(Some(device.entry().id()))?;
            for tunable in self.wanted_on(&data.functions, &name)? {
                if known.iter().any(|known| known == tunable.name()) {
                    marked += store.measure_again(tunable.name(), &selected)?;
                }
            }
        }
        match marked {
            0 => Err(TrainError::NothingToMeasureAgain { store: store::shown(data.store_url()) }),
            marked => Ok(marked),
        }
    }

    /// Makes sure that a function has the variant that is named.
    fn has_variant(&self, data: &DataRequest, which: &WhichRecordings) -> Result<(), TrainError> {
        let Some(variant) = &which.variant else { return Ok(()) };
        let mut known = Vec::new();
        for tunable in self.wanted(&data.functions)? {
            known.extend(tunable.function.variants().iter().map(|own| own.name().to_owned()));
        }
        match known.contains(variant) {
            true => Ok(()),
            false => Err(TrainError::UnknownVariant { variant: variant.clone(), known }),
        }
    }
}

/// Opens the store for writing, if there is one.
fn open_existing(data: &DataRequest) -> Result<Box<dyn SharedStore>, TrainError> {
    let url = data.store_url();
    if !store::exists(url) {
        return Err(TrainError::NoRecordings { store: store::shown(url) });
    }
    Ok(store::open(url)?)
}
