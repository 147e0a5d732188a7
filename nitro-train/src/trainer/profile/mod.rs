//! The profiles of variants and of the application proxies: hardware counters by Nsight Compute.
//!
//! What each run of the [profiler] gives is written before the next begins.

mod counting;
mod profiler;
mod request;
mod task;

use std::collections::BTreeMap;
use std::path::PathBuf;

pub(in crate::trainer) use self::counting::Counting;
use nitro_learn::device_features::profile_based::{Relevance, select};
use nitro_store::printable::sentence;
use nitro_store::recordings::{ProxyProfile, VariantProfile};

use self::profiler::{Profiler, Shares};
pub use self::request::ProfileRequest;
pub(crate) use self::task::is_watched;
use super::builder::Trainer;
use super::error::TrainError;
use crate::profile::counters::metrics;
use crate::profile::ncu::Ncu;
use crate::profile::{Folder, KernelMetrics, ProfileError, Section, Shown};

/// The files of one run of the profiler.
#[derive(Clone, Debug, PartialEq)]
pub enum WrittenProfile {
    /// The profiles of the application proxies on a device.
    Proxies {
        /// The file.
        file: PathBuf,
        /// The profiles of this run.
        profiles: Vec<ProxyProfile>,
    },
    /// The profiles of a function's variants.
    Variants {
        /// The file.
        file: PathBuf,
        /// The proxies that the variants resemble, if the profiles tell.
        relevance: Option<Relevance>,
    },
}

/// A function, or the proxies, on a device.
type Run<'t> = (String, Option<&'t str>);

impl Trainer {
    /// Reads hardware counters of every variant and of the application proxies, in processes that Nsight Compute
    /// watches. They are this program with the same arguments, which have to lead to [`main`](Self::main). The runs
    /// are made one after the other, as the iterator is asked for them; its last item is an error if some could not
    /// be made.
    ///
    /// ```no_run
    /// use nitro_train::{ProfileRequest, Trainer};
    ///
    /// let trainer = Trainer::new(); // .devices(nitro_cuda::Devices::new()).function(..)
    /// for profiled in trainer.profile(&ProfileRequest::default())? {
    ///     println!("{:?}", profiled?);
    /// }
    /// # Ok::<(), nitro_train::TrainError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no profiler, a device has no hardware counters, or a function does not run on it. In the iterator:
    /// when counters may not be read, or a file cannot be written.
    pub fn profile<'t>(
        &'t self,
        request: &'t ProfileRequest,
    ) -> Result<impl Iterator<Item = Result<WrittenProfile, TrainError>> + 't, TrainError> {
        let mut runs: Vec<Run<'t>> = Vec::new();
        for device in &request.devices {
            let functions = self.wanted_on(&request.functions, device)?;
            let names = functions.into_iter().map(|tunable| Some(tunable.name()));
            runs.extend(std::iter::once(None).chain(names).map(|function| (device.clone(), function)));
        }
        let profiler = Profiler::new(Ncu::find()?, request, &*self.observer, metrics())?;
        let mut ids = BTreeMap::new();
        for device in &request.devices {
            ids.insert(device.clone(), self.counted(device)?);
        }
        let shares = Shares::new(request.time, runs.len());
        let (folder, missing) = (Folder::new(&request.out), Vec::new());
        Ok(Runs { trainer: self, runs: runs.into_iter(), profiler, folder, ids, shares, missing })
    }

    /// Returns the identity of the device of this name, whose hardware counters can be read.
    pub(in crate::trainer) fn counted(&self, name: &str) -> Result<String, TrainError> {
        let device = self.open_device(name)?;
        match device.profiled() {
            None => Err(TrainError::NoCounters { device: name.to_owned() }),
            Some(_) => Ok(device.entry().id().to_owned()),
        }
    }
}

/// The runs that are left.
struct Runs<'t> {
    trainer: &'t Trainer,
    runs: std::vec::IntoIter<Run<'t>>,
    profiler: Profiler<'t>,
    folder: Folder,
    /// Identities of the devices by name.
    ids: BTreeMap<String, String>,
    shares: Shares,
    /// The names of what could not be profiled.
    missing: Vec<String>,
}

impl Iterator for Runs<'_> {
    type Item = Result<WrittenProfile, TrainError>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some((device, function)) = self.runs.next() {
            let label = format!("{} on {device}", function.unwrap_or("the proxies"));
            match self.profiler.profile(&device, function, self.shares.next()) {
                Ok(sections) => return Some(self.keep(&device, function, sections)),
                Err(error @ ProfileError::NotPermitted) => {
                    self.runs = Vec::new().into_iter();
                    self.missing.clear();
                    return Some(Err(error.into()));
                }
                Err(error) => {
                    self.trainer.tell(format!("{label}: {}", sentence(&error)));
                    self.missing.push(label);
                }
            }
        }
        let missing = std::mem::take(&mut self.missing);
        (!missing.is_empty()).then_some(Err(TrainError::ProfilesMissing { missing }))
    }
}

impl Runs<'_> {
    fn keep(
        &self,
        device: &str,
        function: Option<&str>,
        sections: Vec<(Section, Vec<KernelMetrics>)>,
    ) -> Result<WrittenProfile, TrainError> {
        let id = &self.ids[device];
        let Some(function) = function else {
            let profiles: Vec<ProxyProfile> =
                sections.into_iter().flat_map(|section| of_proxy(id, section)).collect();
            let file = self.folder.put_proxies(id, profiles.clone())?;
            return Ok(WrittenProfile::Proxies { file, profiles });
        };
        let profiles = sections.into_iter().flat_map(|section| of_variant(id, section)).collect();
        let file = self.folder.put_variants(function, id, profiles)?;
        Ok(WrittenProfile::Variants { file, relevance: select(&self.folder.read(function)?) })
    }
}

/// Returns a profile for each kernel of a variant.
fn of_variant(device: &str, (section, kernels): (Section, Vec<KernelMetrics>)) -> Vec<VariantProfile> {
    let Shown::Variant { variant, input, launches } = section.what else { return Vec::new() };
    let profiles = kernels.into_iter().map(|own| VariantProfile {
        device: device.to_owned(),
        variant: variant.clone(),
        input: input.clone(),
        kernel: own.kernel,
        launches,
        shown: own.launches,
        metrics: own.metrics,
    });
    profiles.collect()
}

/// Returns the profile of a proxy, which is one kernel.
fn of_proxy(device: &str, (section, kernels): (Section, Vec<KernelMetrics>)) -> Vec<ProxyProfile> {
    let Shown::Proxy { proxy, intensity } = section.what else { return Vec::new() };
    let profiles = kernels.into_iter().map(|own| ProxyProfile {
        device: device.to_owned(),
        proxy: proxy.clone(),
        intensity,
        metrics: own.metrics,
    });
    profiles.collect()
}
