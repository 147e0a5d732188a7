//! Regimes: ways in which calls reach a device. They decide about the best variant as much as the device does, so a
//! device in a regime is a device of its own, with an identity, device features and recordings of its own.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error_text::error_text;
use crate::{Device, DeviceEntry, circumstances};

/// The way in which calls reach a device.
///
/// ```
/// use nitro_core::{DeviceId, Regime};
///
/// assert_eq!("cold".parse(), Ok(Regime::Cold));
/// assert_eq!(DeviceId::new("cuda:0+graph@nvidia-h100-80gb").regime(), Regime::Graph);
/// // A device in a regime has one device feature more; of all others it is 0.
/// assert_eq!((Regime::Graph.feature(), Regime::Eager.feature()), (Some("regime_graph"), None));
/// assert_eq!("warm".parse::<Regime>().unwrap_err().to_string(), "`warm` is no regime: write eager, graph or cold");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Regime {
    /// Ordinary calls, one after the other.
    #[default]
    Eager,
    /// Calls that are captured into a CUDA graph. Its replays are what counts, and there launches cost little.
    Graph,
    /// Calls that find nothing of their data in the last-level cache.
    Cold,
}

impl Regime {
    /// All regimes.
    pub const ALL: [Self; 3] = [Self::Eager, Self::Graph, Self::Cold];

    /// The name, as command lines and identities of devices have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Eager => "eager",
            Self::Graph => "graph",
            Self::Cold => "cold",
        }
    }

    /// The device feature that is 1 on devices in the regime. None for eager, where all such features are 0.
    #[must_use]
    pub const fn feature(self) -> Option<&'static str> {
        match self {
            Self::Eager => None,
            Self::Graph => Some("regime_graph"),
            Self::Cold => Some("regime_cold"),
        }
    }

    /// The features of all regimes.
    pub fn features() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().filter_map(Self::feature)
    }

    /// The regime that the program has said of this thread's calls ([`in_regime`]), otherwise eager. A
    /// [`Device::stopwatch`] times calls in it.
    #[must_use]
    pub fn of_thread() -> Self {
        circumstances::said().unwrap_or_default()
    }
}

impl fmt::Display for Regime {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// A text that names no [`Regime`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRegime {
    /// The text.
    pub text: String,
}

impl std::error::Error for UnknownRegime {}

error_text!(UnknownRegime: Self { text } => "`{text}` is no regime: write eager, graph or cold");

impl FromStr for Regime {
    type Err = UnknownRegime;

    fn from_str(text: &str) -> Result<Self, UnknownRegime> {
        let named = Self::ALL.into_iter().find(|regime| regime.name() == text);
        named.ok_or_else(|| UnknownRegime { text: text.to_owned() })
    }
}

/// The value of a device feature that nobody has to state: of the features of regimes it is 0.
///
/// ```
/// use nitro_core::unstated_feature;
///
/// assert_eq!((unstated_feature("regime_cold"), unstated_feature("l3_bytes")), (Some(0.0), None));
/// ```
pub fn unstated_feature(name: &str) -> Option<f64> {
    Regime::features().any(|own| own == name).then_some(0.0)
}

/// True once a call may be in another regime than eager and it matters: the program has said one, or a model knows
/// one.
static IS_USED: AtomicBool = AtomicBool::new(false);

/// Makes calls ask for their regime from now on.
pub(crate) fn use_regimes() {
    IS_USED.store(true, Ordering::Relaxed);
}

/// Runs `work`, in which calls on this thread are in a regime, whatever their device says of it.
///
/// A choice for such a call is one for the device in that regime. Afterwards, also after a panic, the thread's calls
/// are again in the regime of before. Calls that `work` makes on other threads are not concerned.
///
/// ```
#[doc = include_str!("example_sort.md")]
/// use nitro::{Reason, Regime, in_regime};
///
/// // Calls here are rare, and other work has filled the caches meanwhile.
/// let selection = in_regime(Regime::Cold, || sort::select(&[7; 4096]));
/// // The model of the example was trained on eager calls alone.
/// assert_eq!(selection.reason(), Reason::PredictedForEager { regime: Regime::Cold });
/// ```
pub fn in_regime<R>(regime: Regime, work: impl FnOnce() -> R) -> R {
    struct Back(Option<Regime>);
    impl Drop for Back {
        fn drop(&mut self) {
            circumstances::say(self.0);
        }
    }
    use_regimes();
    let _back = Back(circumstances::said());
    circumstances::say(Some(regime));
    work()
}

/// The device of a call, in the regime of the call.
#[inline]
pub(crate) fn device_of_call(device: &impl Device) -> &'static DeviceEntry {
    match IS_USED.load(Ordering::Relaxed) {
        false => device.entry(),
        true => device_of_selection(device),
    }
}

/// The device of a selection, in the regime that a call would be in. It is asked for even where no model knows the
/// regime, because a selection says so.
pub(crate) fn device_of_selection(device: &impl Device) -> &'static DeviceEntry {
    device.entry().in_regime(circumstances::said().unwrap_or_else(|| device.regime()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Host;

    #[test]
    fn a_regime_holds_for_the_work_alone_and_the_innermost_counts() {
        assert_eq!(Regime::of_thread(), Regime::Eager);
        in_regime(Regime::Cold, || {
            assert_eq!(in_regime(Regime::Eager, Regime::of_thread), Regime::Eager);
            assert_eq!(Regime::of_thread(), Regime::Cold);
            let elsewhere = std::thread::spawn(Regime::of_thread).join().unwrap();
            assert_eq!(elsewhere, Regime::Eager, "another thread");
        });
        let panicked = std::panic::catch_unwind(|| in_regime(Regime::Graph, || panic!("as work may")));
        assert!(panicked.is_err());
        assert_eq!(Regime::of_thread(), Regime::Eager);
    }

    #[test]
    fn a_call_is_on_the_device_in_its_regime() {
        let host = Host::with_threads(1);
        assert_eq!(device_of_call(&host), host.entry());
        let cold = in_regime(Regime::Cold, || device_of_call(&host));
        assert_eq!(cold, host.entry().in_regime(Regime::Cold));
        assert_ne!(cold, host.entry());
    }
}
