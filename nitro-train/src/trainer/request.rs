//! Settings that the calls of a trainer have in common, as the library and the command line take them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::TypedValueParser;
use nitro_core::model::{Model, file_name};

use super::error::TrainError;
use crate::measure::Repeats;

/// Reads a number from 1.
pub(crate) fn at_least_one() -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u32).range(1..).map(|number| number as usize)
}

/// Reads milliseconds for the repeats of one choice on one input.
pub(crate) fn repeats() -> impl TypedValueParser<Value = Repeats> {
    let milliseconds = clap::value_parser!(u32).range(1..);
    milliseconds.map(|ms| Repeats { budget_ns: f64::from(ms) * 1e6, ..Repeats::default() })
}

/// Reads seconds from 1.
pub(crate) fn seconds() -> impl TypedValueParser<Value = Duration> {
    clap::value_parser!(u32).range(1..).map(|seconds| Duration::from_secs(seconds.into()))
}

/// The recordings that a call works on.
///
/// ```
/// use nitro_train::DataRequest;
///
/// let all_of_a_store = DataRequest { store: Some("my.db".into()), ..DataRequest::default() };
/// assert!(all_of_a_store.functions.is_empty());
/// ```
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct DataRequest {
    /// Function to work on; repeat for several [default: all]
    #[arg(long = "function", value_name = "F")]
    pub functions: Vec<String>,
    /// Store of measurements: a file (made when absent) or redis://host:port/db. Without one, nitro.db in the working
    /// directory over the recordings that the program carries
    #[arg(long, value_name = "S", env = "NITRO_STORE", hide_env_values = true)]
    // an address may have a password
    pub store: Option<String>,
    /// The folder of profiles, as `train profile` writes them; without one, those that the program carries.
    #[arg(skip)]
    pub profiles: Option<PathBuf>,
}

/// The division of inputs into those to learn from and those to judge by, as far as files say it.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct InputLists {
    /// File with the names of the training inputs, one a line. Without: inputs whose names begin with train/, else
    /// about two thirds of the groups
    #[arg(long = "train-inputs", value_name = "FILE")]
    pub train: Option<PathBuf>,
    /// File with the names of the test inputs, one a line [default: the other inputs]
    #[arg(long = "test-inputs", value_name = "FILE")]
    pub test: Option<PathBuf>,
}

impl InputLists {
    /// Tells if a file says anything.
    pub(crate) fn is_given(&self) -> bool {
        self.train.is_some() || self.test.is_some()
    }
}

/// Reads the model of a function from a folder of models.
pub(super) fn read_model(models: &Path, function: &str) -> Result<Model, TrainError> {
    Model::read(&models.join(file_name(function)))
        .map_err(|source| TrainError::NoModel { function: function.to_owned(), source })
}

/// The store used when the user names none.
const DEFAULT_STORE: &str = "nitro.db";

impl DataRequest {
    /// Returns the same with a folder of profiles, if there is one.
    pub(crate) fn profiled(&self, profiles: Option<PathBuf>) -> Self {
        Self { profiles, ..self.clone() }
    }

    /// Returns the path or address of the store.
    pub(crate) fn store_url(&self) -> &str {
        self.store.as_deref().unwrap_or(DEFAULT_STORE)
    }
}
