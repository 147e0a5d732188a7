//! A file of the user's cache folder for each device, with its measured features.
//!
//! Under a heading stand lines of name, value, spread, load and date.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::feature::{DeviceFeature, MeasuredFeature};
use crate::{events, files};

/// Changes with the form of the file, so that what older versions kept is measured anew.
const HEADING: &str = "nitro device features 2: name value spread load unix_s";
/// A few dozen lines; anything larger is no file of ours.
const MOST_BYTES: u64 = 1 << 20;

/// The folder for what Nitro may lose and make again, if the user has one.
///
/// ```
/// # // SAFETY: no other thread runs.
/// # unsafe { std::env::set_var("XDG_CACHE_HOME", "/home/ada/.cache") };
/// let kernels = nitro_core::provide::cache_folder().map(|folder| folder.join("kernels"));
/// assert!(kernels.is_some_and(|folder| folder.ends_with("nitro/kernels")));
/// ```
#[must_use]
pub fn cache_folder() -> Option<PathBuf> {
    let folder = variable("XDG_CACHE_HOME")
        .or_else(|| variable("LOCALAPPDATA"))
        .or_else(|| Some(variable("HOME")?.join(".cache")))?;
    Some(folder.join("nitro"))
}

/// The path in an environment variable, unless that is empty.
fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The file for the features of a device, if the user has a cache folder.
pub(crate) fn file(device: &str) -> Option<PathBuf> {
    Some(cache_folder()?.join(format!("{}.features", device.replace([':', '/'], "-"))))
}

/// The features that a file keeps, if it is one of this form.
pub(crate) fn load(file: &Path) -> Option<Vec<MeasuredFeature>> {
    parse(str::from_utf8(&files::read(file, MOST_BYTES).ok()?).ok()?)
}

/// Keeps features beside those of other names that the file has. A cache that cannot be written costs time at the
/// next start, nothing else.
pub(crate) fn keep(file: &Path, features: Vec<MeasuredFeature>) {
    let mut kept = load(file).unwrap_or_default();
    for new in features {
        let old = kept.iter().position(|old| old.feature.name == new.feature.name).map(|at| kept.remove(at));
        // Of two noisy figures the steadier one stays, under the later date.
        kept.push(match old.filter(|old| new.doubt.is_some() && old.is_steadier_than(&new)) {
            Some(steadier) => MeasuredFeature { unix_s: new.unix_s, ..steadier },
            None => new,
        });
    }
    if let Err(error) = files::replace_with_folder(file, print(&kept).as_bytes()) {
        let path = file.to_owned();
        events::tell(move || {
            tracing::info!(path = %path.display(), %error, "measured device features cannot be kept");
        });
    }
}

fn print(features: &[MeasuredFeature]) -> String {
    let mut text = format!("{HEADING}\n");
    for MeasuredFeature { feature, spread, load, unix_s, .. } in features {
        let _ = writeln!(text, "{} {} {spread} {load} {unix_s}", feature.name, feature.value);
    }
    text
}

fn parse(text: &str) -> Option<Vec<MeasuredFeature>> {
    text.strip_prefix(HEADING)?.strip_prefix('\n')?.lines().map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<MeasuredFeature> {
    let mut words = line.rsplitn(5, ' '); // a name may have spaces
    let unix_s = words.next()?.parse().ok()?;
    let (load, spread, value) = (number(&mut words)?, number(&mut words)?, number(&mut words)?);
    let feature = DeviceFeature { name: words.next()?.to_owned(), value };
    Some(MeasuredFeature::kept(feature, spread, load, unix_s))
}

/// Reads the next word as a finite number.
fn number<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<f64> {
    words.next()?.parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feature(name: &str, value: f64) -> MeasuredFeature {
        let feature = DeviceFeature { name: name.into(), value };
        MeasuredFeature::kept(feature, 0.0625, 0.03125, 1_700_000_000)
    }

    #[test]
    fn what_was_kept_comes_back() {
        let features = vec![feature("copy_gbps", 12.625), feature("of a user", 1e-3)];
        assert_eq!(parse(&print(&features)), Some(features));
    }

    #[test]
    fn a_new_figure_takes_the_place_of_the_old_one_and_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("nitro/a.features");
        keep(&file, vec![feature("copy_gbps", 1.0), feature("gflops_sp", 2.0)]);
        keep(&file, vec![feature("copy_gbps", 3.0)]);
        assert_eq!(load(&file), Some(vec![feature("gflops_sp", 2.0), feature("copy_gbps", 3.0)]));
    }

    #[test]
    fn a_damaged_or_older_file_is_measured_anew() {
        for text in ["", "nitro device features 1: name value spread unix_s\na 1 0 1\n", HEADING] {
            assert_eq!(parse(text), None, "{text:?}");
        }
        for line in ["a 1", "a x 0 0 1", "a 1 NaN 0 1", "a 1 0 NaN 1", "a inf 0 0 1", "a 1 0 0 -1", ""] {
            assert_eq!(parse(&format!("{HEADING}\n{line}\n")), None, "{line:?}");
        }
    }
}
