//! A folder of profiles: `proxies.csv`, and `FUNCTION/profiles.csv` for each function, with `.` for `::`.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use nitro_core::name;
use nitro_store::exchange::ImportError;
use nitro_store::recordings::{Profiles, ProxyProfile, VariantProfile};

use super::{ProfileError, files};

/// A profile of a function has some hundred KiB.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// A folder of profiles.
///
/// ```
/// use nitro_train::profile::Folder;
/// use nitro_train::recordings::{Metrics, ProxyProfile};
///
/// let profiles = tempfile::tempdir()?;
/// let folder = Folder::new(profiles.path());
/// let of = |device: &str, intensity| {
///     ProxyProfile { device: device.into(), proxy: "atomics".into(), intensity, metrics: Metrics::new() }
/// };
/// folder.put_proxies("cuda:0", vec![of("cuda:0", 0), of("cuda:0", 1)])?;
/// folder.put_proxies("cuda:1", vec![of("cuda:1", 0)])?;
/// folder.put_proxies("cuda:0", vec![of("cuda:0", 5)])?; // in the place of the first two
/// assert_eq!(folder.read("sort")?.proxies, [of("cuda:1", 0), of("cuda:0", 5)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Creates the folder of this path, which need not exist.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Reads the profiles of a function; empty where there are no files.
    ///
    /// # Errors
    /// When a file cannot be read or has another form.
    pub fn read(&self, function: &str) -> Result<Profiles, ProfileError> {
        Ok(Profiles { variants: self.variants(function)?, proxies: self.proxies()? })
    }

    /// Keeps profiles of a function's variants in the place of those that were made on the device before.
    ///
    /// # Errors
    /// When the file there cannot be read or written.
    pub fn put_variants(
        &self,
        function: &str,
        device: &str,
        profiles: Vec<VariantProfile>,
    ) -> Result<PathBuf, ProfileError> {
        let others = self.variants(function)?.into_iter().filter(|profile| profile.device != device);
        let all: Vec<VariantProfile> = others.chain(profiles).collect();
        self.write(self.variants_path(function), files::write_variants(&all))
    }

    /// Keeps profiles of the proxies in the place of those that were made on the device before.
    ///
    /// # Errors
    /// When the file there cannot be read or written.
    pub fn put_proxies(&self, device: &str, profiles: Vec<ProxyProfile>) -> Result<PathBuf, ProfileError> {
        let others = self.proxies()?.into_iter().filter(|profile| profile.device != device);
        let all: Vec<ProxyProfile> = others.chain(profiles).collect();
        self.write(self.proxies_path(), files::write_proxies(&all))
    }

    fn variants_path(&self, function: &str) -> PathBuf {
        self.path.join(name::file_stem(function)).join("profiles.csv")
    }

    fn proxies_path(&self) -> PathBuf {
        self.path.join("proxies.csv")
    }

    fn variants(&self, function: &str) -> Result<Vec<VariantProfile>, ProfileError> {
        load(&self.variants_path(function), files::read_variants)
    }

    fn proxies(&self) -> Result<Vec<ProxyProfile>, ProfileError> {
        load(&self.proxies_path(), files::read_proxies)
    }

    fn write(&self, path: PathBuf, text: String) -> Result<PathBuf, ProfileError> {
        match nitro_core::files::replace_with_folder(&path, text.as_bytes()) {
            Ok(()) => Ok(path),
            Err(source) => {
                Err(ProfileError::Io { what: format!("{} cannot be written", path.display()), source })
            }
        }
    }
}

/// Reads the profiles in a file; none where there is no such file.
fn load<T>(
    path: &Path,
    read: impl FnOnce(&str, &[u8]) -> Result<Vec<T>, ImportError>,
) -> Result<Vec<T>, ProfileError> {
    match nitro_core::files::read(path, MAX_FILE_BYTES) {
        Ok(bytes) => Ok(read(&path.display().to_string(), &bytes)?),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(ProfileError::Io { what: format!("{} cannot be read", path.display()), source }),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn proxy(device: &str, intensity: u32) -> ProxyProfile {
        let metrics = [("a.sum".to_owned(), 1.0)].into();
        ProxyProfile { device: device.into(), proxy: "atomics".into(), intensity, metrics }
    }

    #[test]
    fn a_new_profile_replaces_the_old_one_of_its_device_alone() {
        let outer = tempfile::tempdir().unwrap();
        let folder = Folder::new(outer.path().join("not/yet/there"));
        assert_eq!(folder.read("spmv").unwrap(), Profiles::default());
        folder.put_proxies("cuda:0", vec![proxy("cuda:0", 1), proxy("cuda:0", 2)]).unwrap();
        folder.put_proxies("cuda:1", vec![proxy("cuda:1", 3)]).unwrap();
        folder.put_proxies("cuda:0", vec![proxy("cuda:0", 4)]).unwrap();
        let read = folder.read("spmv").unwrap();
        assert_eq!(read.proxies, [proxy("cuda:1", 3), proxy("cuda:0", 4)]);
    }

    #[test]
    fn no_name_leads_out_of_the_folder() {
        let outer = tempfile::tempdir().unwrap();
        let folder = Folder::new(outer.path().join("profiles"));
        for (function, expected) in [("app::spmv", "app.spmv"), ("../x", "%2E%2E%2Fx"), ("/x", "%2Fx")] {
            let written = folder.put_variants(function, "cuda:0", Vec::new()).unwrap();
            assert_eq!(written, outer.path().join("profiles").join(expected).join("profiles.csv"));
        }
    }

    #[test]
    fn a_damaged_file_is_named() {
        let outer = tempfile::tempdir().unwrap();
        fs::write(outer.path().join("proxies.csv"), "no profile\n1\n").unwrap();
        let error = anyhow::Error::new(Folder::new(outer.path()).read("spmv").unwrap_err());
        assert!(format!("{error:#}").contains("proxies.csv:1"), "{error:#}");
    }
}
