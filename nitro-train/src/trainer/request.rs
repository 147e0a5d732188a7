//! What the calls of a trainer are asked for in common.

use std::path::PathBuf;

/// Which recordings a call works on.
///
/// ```
/// use nitro_train::DataRequest;
///
/// let all_of_a_store = DataRequest { store: Some("my.db".into()), ..DataRequest::default() };
/// assert!(all_of_a_store.functions.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataRequest {
    /// Functions to work on; empty for all.
    pub functions: Vec<String>,
    /// Store of measurements: a file (made when something is written) or `redis://host:port/db`. Without one,
    /// `nitro.db` in the working directory over the recordings that the program carries.
    pub store: Option<String>,
    /// Folder of profiles, as `train profile` writes them; without one, those that the program carries.
    pub profiles: Option<PathBuf>,
}

/// How inputs are divided, as far as files of their names say, one a line. Without: names that begin with `train/`
/// are trained on, else about two thirds of the groups; the others are for tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputLists {
    /// Names of the training inputs.
    pub train: Option<PathBuf>,
    /// Names of the test inputs.
    pub test: Option<PathBuf>,
}

/// The store used when the user names none.
const DEFAULT_STORE: &str = "nitro.db";

impl DataRequest {
    /// The path or address of the store.
    pub(crate) fn store_url(&self) -> &str {
        self.store.as_deref().unwrap_or(DEFAULT_STORE)
    }
}
