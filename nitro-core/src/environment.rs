//! The environment variables of the run time, and how a user hears of what is wrong with them.

use std::convert::Infallible;
use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use crate::chain::Chain;
use crate::escape::message;
use crate::replaceable::Replaceable;
use crate::{events, files};

/// `NITRO_MODELS`: the folder of models; that it is none is reported once in the process.
pub(crate) fn models_folder() -> Option<PathBuf> {
    static TOLD: AtomicBool = AtomicBool::new(false);
    let folder = std::env::var_os("NITRO_MODELS").filter(|folder| !folder.is_empty()).map(PathBuf::from)?;
    if !folder.is_dir() && !TOLD.swap(true, Ordering::Relaxed) {
        warn(format!("NITRO_MODELS: no model is taken from `{}`, which is no folder", folder.display()));
    }
    Some(folder)
}

/// The folder that [`set_models`] named last.
static MODELS: Replaceable<PathBuf> = Replaceable::new();

/// The folder of models that the program names, if it does.
pub(crate) fn models_of_program() -> Option<PathBuf> {
    MODELS.get().cloned()
}

/// Takes models from this folder from now on, where the folder that `NITRO_MODELS` names has none.
///
/// It goes before the models that the program carries. Models with generated code are taken from it too; from
/// `models/` in its working directory a program takes none of those.
///
/// A relative path is one in the working directory of this moment. A function takes the setting at its first call or
/// [`reload`](crate::reload()): say it at the start of `main`.
///
/// ```
/// # use nitro_core as nitro;
/// fn main() {
///     nitro::set_models("/opt/app/models");
///     // from now on models are looked for there first
/// }
/// ```
pub fn set_models(folder: impl Into<PathBuf>) {
    let folder = folder.into();
    let folder = std::path::absolute(&folder).unwrap_or(folder);
    // What is replaced stays in memory.
    if MODELS.get() != Some(&folder) {
        let _ = MODELS.try_replace(|_| Ok::<_, Infallible>(Some(folder.clone())));
    }
}

/// A setting that the program or a variable of the environment turns on.
pub(crate) struct Switch {
    variable: &'static str,
    /// The program's word: nothing yet, off or on.
    said: AtomicU8,
}

const NOTHING: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;

/// `NITRO_DETERMINISTIC`
pub(crate) static DETERMINISTIC: Switch = Switch::new("NITRO_DETERMINISTIC");
/// `NITRO_EXACT`
pub(crate) static EXACT: Switch = Switch::new("NITRO_EXACT");

impl Switch {
    const fn new(variable: &'static str) -> Self {
        Self { variable, said: AtomicU8::new(NOTHING) }
    }

    fn say(&self, on: bool) {
        self.said.store(if on { ON } else { OFF }, Ordering::Relaxed);
    }

    /// Returns the program's word, or else true where the variable is there and neither empty nor `0`.
    pub(crate) fn is_on(&self) -> bool {
        match self.said.load(Ordering::Relaxed) {
            NOTHING => std::env::var_os(self.variable).is_some_and(|value| !value.is_empty() && value != "0"),
            said => said == ON,
        }
    }
}

/// Makes the same input get the same variant on every device of one kind, in every process. This is for the ranks of
/// one job, and for runs that must be repeatable. Without a call of it, `NITRO_DETERMINISTIC=1` decides; the
/// program's word goes first.
///
/// What differs between devices of one kind, and from run to run, are device features that are *measured*: by a
/// benchmark, or as the present clock of a processor that does not tell its highest. On, nothing is measured, and no
/// selection uses what was. Where a model needs such a feature, it takes the value that was measured on the source
/// device most like this one. Devices are compared by what is the same on every device of the kind; the value is a
/// part of the model. On a device of a source's kind it is the source's own. A model that does not know its sources
/// gives way to the default variant, for the reason
/// [`Reason::DeviceFeatureVaries`](crate::Reason::DeviceFeatureVaries).
///
/// A device's kind is its processor in the same configuration with the same number of threads, or its model of GPU
/// with the same number of multiprocessors. The same choice also takes the same program, the same model files and
/// the same `NITRO_FORCE`, `NITRO_EXACT` and `NITRO_DETERMINISTIC` in all processes, and features that are
/// functions of the input.
///
/// A function takes the setting at its first call or [`reload`](crate::reload()): say it at the start of `main`.
///
/// ```
/// # use nitro_core as nitro;
/// fn main() {
///     nitro::set_deterministic(true);
///     // every rank of the job now chooses alike
/// }
/// ```
pub fn set_deterministic(on: bool) {
    DETERMINISTIC.say(on);
}

/// Lets only variants run whose results are bit for bit those of the default variant. These are the variants in its
/// `exact(..)` group, or the default alone where it is in none. Without a call of it, `NITRO_EXACT=1` decides; the
/// program's word goes first.
///
/// Other variants then count as inadmissible, for `NITRO_FORCE` too; the reason is
/// [`Reason::FirstChoiceInexact`](crate::Reason::FirstChoiceInexact) where the model would have preferred one. That
/// the variants of a group give the same bits is a promise of whoever wrote the group. Recordings are not
/// concerned.
///
/// A function takes the setting at its first call or [`reload`](crate::reload()): say it at the start of `main`.
///
/// ```
/// # use nitro_core as nitro;
/// fn main() {
///     nitro::set_exact(true);
///     // from now on results are those of the default variants, bit for bit
/// }
/// ```
pub fn set_exact(on: bool) {
    EXACT.say(on);
}

/// The file that `NITRO_CAPTURE` names, open for lines at its end; that it cannot be opened is reported.
pub(crate) fn capture_file() -> Option<File> {
    let path = std::env::var_os("NITRO_CAPTURE").filter(|path| !path.is_empty()).map(PathBuf::from)?;
    let opened = files::open_to_append(&path);
    opened
        .inspect_err(|error| {
            let path = path.display();
            warn(format!("NITRO_CAPTURE: nothing is captured, as `{path}` cannot be written: {error}"));
        })
        .ok()
}

/// Warns once in the process, of what concerns no single function: each function reads the variable.
pub(crate) fn warn_once(message: String) {
    static TOLD: Chain<String> = Chain::new();
    if TOLD.insert(|told| *told == message, || message.clone()).is_ok() {
        warn(message);
    }
}

/// Tells the user about something dispatch had to ignore. It is an event where the application listens, otherwise a
/// line on stderr, since whoever set the variable by hand must see it.
pub(crate) fn warn(said: String) {
    let message = message(&said);
    events::tell(move || {
        tracing::error!("{message}");
        events::line_where_nobody_listens(format_args!("{message}"));
    });
}
