//! Measured device features are kept in a file of the user's cache folder: lines of `name value` under a heading.

use std::path::PathBuf;

use crate::DeviceFeature;

/// Changes with the definition of what is measured, so that old figures are measured anew.
const HEADING: &str = "nitro host features 1";

/// The kept features of a device, if there are any.
pub(super) fn load(device: &str) -> Option<Vec<DeviceFeature>> {
    parse(&std::fs::read_to_string(file(device)?).ok()?)
}

/// Keeps features of a device. A cache that cannot be written costs time at the next start, nothing else.
pub(super) fn save(device: &str, features: &[DeviceFeature]) {
    let Some(path) = file(device) else { return };
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let write = || {
        std::fs::create_dir_all(path.parent().expect("a cache file is in a folder"))?;
        std::fs::write(&temporary, print(features))?;
        std::fs::rename(&temporary, &path)
    };
    if let Err(error) = write() {
        tracing::info!(path = %path.display(), %error, "measured device features cannot be kept");
    }
}

fn file(device: &str) -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = variable("XDG_CACHE_HOME")
        .or_else(|| variable("LOCALAPPDATA"))
        .or_else(|| Some(variable("HOME")?.join(".cache")))?;
    Some(folder.join("nitro").join(format!("{}.features", device.replace(':', "-"))))
}

fn print(features: &[DeviceFeature]) -> String {
    let lines = features.iter().map(|feature| format!("{} {}\n", feature.name, feature.value));
    format!("{HEADING}\n{}", lines.collect::<String>())
}

fn parse(text: &str) -> Option<Vec<DeviceFeature>> {
    let rows = text.strip_prefix(HEADING)?.strip_prefix('\n')?;
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

    #[test]
    fn what_was_kept_comes_back() {
        let features = vec![
            DeviceFeature { name: "copy_gbps".into(), value: 12.625 },
            DeviceFeature { name: "random_access_ns".into(), value: 1e-3 },
        ];
        assert_eq!(parse(&print(&features)), Some(features));
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
            assert_eq!(parse(text), None, "{text:?}");
        }
    }
}
