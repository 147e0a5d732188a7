//! Measured device features are kept in a file of the user's cache folder: lines of `name value` under a heading.

use std::path::PathBuf;

use crate::{DeviceFeature, events, files};

/// A few dozen lines; anything larger is no file of ours.
const MOST_BYTES: u64 = 1 << 20;

/// The kept features of a device, if there are any under this heading. The heading changes with the definition of what is
/// measured, so that old figures are measured anew.
#[must_use]
pub fn load_features(device: &str, heading: &str) -> Option<Vec<DeviceFeature>> {
    parse(str::from_utf8(&files::read(&file(device)?, MOST_BYTES).ok()?).ok()?, heading)
}

/// Keeps features of a device. A cache that cannot be written costs time at the next start, nothing else.
pub fn save_features(device: &str, heading: &str, features: &[DeviceFeature]) {
    let Some(path) = file(device) else { return };
    if let Err(error) = files::replace_with_folder(&path, print(heading, features).as_bytes()) {
        events::tell(move || {
            tracing::info!(path = %path.display(), %error, "measured device features cannot be kept");
        });
    }
}

/// The folder for what Nitro may lose and make again, if the user has one.
#[must_use]
pub fn cache_folder() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = variable("XDG_CACHE_HOME")
        .or_else(|| variable("LOCALAPPDATA"))
        .or_else(|| Some(variable("HOME")?.join(".cache")))?;
    Some(folder.join("nitro"))
}

fn file(device: &str) -> Option<PathBuf> {
    Some(cache_folder()?.join(format!("{}.features", device.replace([':', '/'], "-"))))
}

fn print(heading: &str, features: &[DeviceFeature]) -> String {
    let lines = features.iter().map(|feature| format!("{} {}\n", feature.name, feature.value));
    format!("{heading}\n{}", lines.collect::<String>())
}

fn parse(text: &str, heading: &str) -> Option<Vec<DeviceFeature>> {
    let rows = text.strip_prefix(heading)?.strip_prefix('\n')?;
    let row = |line: &str| {
        let (name, value) = line.split_once(' ')?;
        let value = value.parse().ok().filter(|value: &f64| value.is_finite())?;
        Some(DeviceFeature { name: name.to_owned(), value })
    };
    rows.lines().map(row).collect::<Option<Vec<_>>>().filter(|features| !features.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADING: &str = "nitro host features 1";

    #[test]
    fn what_was_kept_comes_back() {
        let features = vec![
            DeviceFeature { name: "copy_gbps".into(), value: 12.625 },
            DeviceFeature { name: "random_access_ns".into(), value: 1e-3 },
        ];
        assert_eq!(parse(&print(HEADING, &features), HEADING), Some(features));
    }

    #[test]
    fn a_damaged_or_older_file_is_measured_anew() {
        for text in [
            "",
            "nitro host features 0\na 1\n",
            "nitro host features 1\n",
            "nitro host features 1\na x\n",
            "nitro host features 1\na NaN\n",
        ] {
            assert_eq!(parse(text, HEADING), None, "{text:?}");
        }
    }
}
