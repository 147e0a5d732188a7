//! The environment variables of the run time, and how a user hears of what is wrong with them.

use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;

use crate::Function;

/// `NITRO_MODELS`: the folder of models.
pub(crate) fn models_folder() -> Option<PathBuf> {
    std::env::var_os("NITRO_MODELS").filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// The file that `NITRO_CAPTURE` names, open for lines at its end; that it cannot be opened is reported.
pub(crate) fn capture_file() -> Option<File> {
    let path = std::env::var_os("NITRO_CAPTURE").filter(|path| !path.is_empty()).map(PathBuf::from)?;
    let opened = File::options().create(true).append(true).open(&path);
    let tell = |error: &std::io::Error| {
        let path = path.display();
        warn(&format!("NITRO_CAPTURE: nothing is captured, as `{path}` cannot be written: {error}"));
    };
    opened.inspect_err(tell).ok()
}

/// The variant to which `NITRO_FORCE` pins the function; what cannot be followed is reported and ignored.
pub(crate) fn forced_variant(function: &Function) -> Option<usize> {
    let setting = std::env::var_os("NITRO_FORCE").map(OsString::into_string)?;
    let Ok(setting) = setting else {
        warn("NITRO_FORCE is not UTF-8 and is ignored: write it as function=variant,function=variant");
        return None;
    };
    forced_in(&setting, function)
}

fn forced_in(setting: &str, function: &Function) -> Option<usize> {
    let mut forced = None;
    for entry in setting.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
        let Some((name, variant)) = entry.split_once('=') else {
            warn(&format!("NITRO_FORCE: `{entry}` is ignored: write function=variant"));
            continue;
        };
        let (name, variant) = (name.trim(), variant.trim());
        if name != function.name() && Some(name) != function.name().rsplit("::").next() {
            continue;
        }
        match function.variant_named(variant) {
            Some(index) => forced = Some(index),
            None => warn(&format!(
                "NITRO_FORCE: `{variant}` is not a variant of `{}` and is ignored; its variants are {}",
                function.name(),
                function.variants().iter().map(|v| format!("`{}`", v.name)).collect::<Vec<_>>().join(", "),
            )),
        }
    }
    forced
}

/// Tells the user once about something dispatch had to ignore: an event where the application listens, otherwise a line
/// on stderr, since whoever set the variable by hand must see it.
fn warn(message: &str) {
    if tracing::dispatcher::has_been_set() {
        tracing::error!("{message}");
    } else {
        eprintln!("nitro: {message}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VariantInfo;

    static SORT: Function = Function::new(
        "app::sort",
        &[VariantInfo { name: "merge", constraint: None }, VariantInfo { name: "radix", constraint: None }],
        &[],
        0,
        None,
    );

    #[test]
    fn a_function_is_named_by_its_key_or_its_last_segment() {
        for (setting, expected) in [
            ("app::sort=radix", Some(1)),
            ("sort=radix", Some(1)),
            ("spmv=ell, sort = merge ,", Some(0)),
            ("other::sort=radix", None),
            ("sort=quick", None),
            ("sort", None),
            ("", None),
        ] {
            assert_eq!(forced_in(setting, &SORT), expected, "{setting}");
        }
    }
}
