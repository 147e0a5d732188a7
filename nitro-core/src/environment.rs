//! The environment variables of the run time, and how a user hears of what is wrong with them.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use crate::device::Chain;
use crate::escape::message;
use crate::escape::{entries, meant, split_once, trimmed};
use crate::replaceable::Replaceable;
use crate::{Choice, Function, events, files};

/// `NITRO_MODELS`: the folder of models; that it is none is reported once in the process.
pub(crate) fn models_folder() -> Option<PathBuf> {
    static TOLD: AtomicBool = AtomicBool::new(false);
    let folder = std::env::var_os("NITRO_MODELS").filter(|folder| !folder.is_empty()).map(PathBuf::from)?;
    if !folder.is_dir() && !TOLD.swap(true, Ordering::Relaxed) {
        warn(format!("NITRO_MODELS: no model is taken from `{}`, which is no folder", folder.display()));
    }
    Some(folder)
}

/// What [`set_models`] said last.
static MODELS: Replaceable<PathBuf> = Replaceable::new();

/// The folder of models that the program names, if it does.
pub(crate) fn models_of_program() -> Option<PathBuf> {
    MODELS.get().cloned()
}

/// Takes models from this folder from now on, where the folder that `NITRO_MODELS` names has none: before those that the program carries, and also
/// models with generated code, which a program does not take from `models/` in its working directory.
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
    /// What the program said: nothing yet, off or on.
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

    /// What the program said; otherwise whether the variable is there, and neither empty nor `0`.
    pub(crate) fn is_on(&self) -> bool {
        match self.said.load(Ordering::Relaxed) {
            NOTHING => std::env::var_os(self.variable).is_some_and(|value| !value.is_empty() && value != "0"),
            said => said == ON,
        }
    }
}

/// Whether the same input gets the same variant on every device of one kind, in every process: for the ranks of one
/// job, and for runs that must be repeatable. Without it, `NITRO_DETERMINISTIC=1` decides; the program's word goes
/// first.
///
/// What differs between devices of one kind, and from run to run, are device features that are *measured*: by a
/// benchmark, or as the present clock of a processor that does not tell its highest. On, nothing is measured, and
/// no selection uses what was. Where a model needs such a feature, it takes the value that was measured on the
/// source device most like this one, by what is the same on every device of the kind; that value is a part of the
/// model. On a device of a source's kind it is the source's own. A model that does not know its sources gives way
/// to the default variant, for the reason [`Reason::DeviceFeatureVaries`](crate::Reason::DeviceFeatureVaries).
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

/// Whether only variants run whose results are bit for bit those of the default variant: those in its `exact(..)`
/// group, or the default alone where it is in none. Without it, `NITRO_EXACT=1` decides; the program's word goes
/// first.
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
    let tell = |error: &std::io::Error| {
        let path = path.display();
        warn(format!("NITRO_CAPTURE: nothing is captured, as `{path}` cannot be written: {error}"));
    };
    files::open_to_append(&path).inspect_err(tell).ok()
}

/// The choice to which `NITRO_FORCE` pins the function; what cannot be followed is reported and ignored.
pub(crate) fn forced_choice(function: &Function) -> Option<Choice> {
    let setting = std::env::var_os("NITRO_FORCE").map(OsString::into_string)?;
    let Ok(setting) = setting else {
        warn_once(
            "NITRO_FORCE is not UTF-8 and is ignored: write it as function=variant,function=variant"
                .to_owned(),
        );
        return None;
    };
    forced_in(&setting, function)
}

fn forced_in(setting: &str, function: &Function) -> Option<Choice> {
    let mut forced = None;
    for entry in entries(setting).into_iter().map(trimmed).filter(|entry| !entry.is_empty()) {
        let is_name = |name: &str| !meant(name).is_empty() && split_once(name, '{').is_none();
        let Some((name, choice)) = split_once(entry, '=').filter(|(name, _)| is_name(name)) else {
            warn_once(format!("NITRO_FORCE: `{entry}` is ignored: write function=variant"));
            continue;
        };
        let name = &*meant(name);
        if name != function.name() && Some(name) != function.name().rsplit("::").next() {
            continue;
        }
        match function.choice(trimmed(choice)) {
            Ok(choice) => {
                if forced.is_some_and(|before| before != choice) {
                    let (function, choice) = (function.name(), function.choice_text(choice));
                    warn(format!(
                        "NITRO_FORCE pins `{function}` more than once: `{choice}`, the last, holds"
                    ));
                }
                forced = Some(choice);
            }
            Err(unknown) => warn(format!("NITRO_FORCE is ignored for `{}`: {unknown}", function.name())),
        }
    }
    forced
}

/// As [`warn`], of what is no single function's: once in the process, though each function reads the variable.
fn warn_once(message: String) {
    static TOLD: Chain<String> = Chain::new();
    if TOLD.insert(|told| *told == message, || message.clone()).is_ok() {
        warn(message);
    }
}

/// Tells the user about something dispatch had to ignore: an event where the application listens, otherwise a line
/// on stderr, since whoever set the variable by hand must see it.
fn warn(said: String) {
    let message = message(&said);
    events::tell(move || {
        tracing::error!("{message}");
        events::line_where_nobody_listens(format_args!("{message}"));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Parameter, ParameterKind, VariantInfo};

    static SORT: Function = Function::new(
        "app::sort",
        &[
            VariantInfo::new("merge"),
            VariantInfo::new("radix").with_parameters(&[
                Parameter::new("bits", ParameterKind::Number, &["4", "8"], 0),
                Parameter::new("staged", ParameterKind::Bool, &["false", "true"], 0),
            ]),
        ],
    );

    #[test]
    fn a_function_is_named_by_its_key_or_its_last_segment() {
        for (setting, expected) in [
            ("app::sort=radix", Some("radix{bits=4,staged=false}")),
            ("sort=radix", Some("radix{bits=4,staged=false}")),
            ("sort=radix{bits=8,staged=true}", Some("radix{bits=8,staged=true}")),
            (
                "spmv=tiled{a=1,sort=2},sort=radix{ staged = true, bits = 8 }",
                Some("radix{bits=8,staged=true}"),
            ),
            ("spmv=ell, sort = merge ,", Some("merge")),
            ("other::sort=radix", None),
            ("sort=quick", None),
            ("sort=radix{bits=8}", None),
            ("sort=radix{bits=8,staged=true", None),
            ("sort=merge{bits=8}", None),
            ("sort=merge,app::sort=radix", Some("radix{bits=4,staged=false}")),
            ("=merge", None),
            ("{sort=merge}", None),
            ("sort", None),
            ("", None),
        ] {
            let forced = forced_in(setting, &SORT).map(|choice| SORT.choice_text(choice));
            assert_eq!(forced.as_deref(), expected, "{setting}");
        }
    }

    /// Whatever a descriptor calls its variants, parameters and values.
    #[test]
    fn what_a_choice_is_called_pins_it() {
        static ODD: Function = Function::new(
            "odd",
            &[
                VariantInfo::new("a{b}=c, d"),
                VariantInfo::new(" \\").with_parameters(&[Parameter::new(
                    "k,",
                    ParameterKind::Category,
                    &["", "}", "{,", "\" \\"],
                    1,
                )]),
            ],
        );
        let of_parameters = ODD.variants()[1].configurations();
        let choices = of_parameters.map(|configuration| Choice { variant: 1, configuration });
        for choice in choices.chain([ODD.variant_choice(0)]) {
            let text = ODD.choice_text(choice);
            for setting in [format!("odd={text}"), format!("sort=radix{{bits=4}}, odd = {text} ,x=y")] {
                assert_eq!(forced_in(&setting, &ODD), Some(choice), "{setting}");
            }
        }
    }
}
