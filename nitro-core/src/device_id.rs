//! The identities of devices.

use std::fmt;

use crate::Regime;

/// The identity of a device in stores and tables: `KIND:PART@MACHINE`, such as `host:4@intel-xeon-8cpu-1a2b3c` or
/// `cuda:0/16sm@nvidia-h200-140gb`. In another regime than eager it is `KIND:PART+REGIME@MACHINE`. On the command line
/// it is written without the machine. What other tools have recorded may be called otherwise, and is of a kind of its
/// own then.
///
/// ```
/// use nitro_core::{Device, DeviceId, host};
///
/// let host = host::Host::with_threads(2);
/// let id = DeviceId::new(host.entry().id());
/// assert_eq!((id.kind(), id.part()), ("host", "host:2"));
/// assert_eq!(id.machine(), Some(&*host::machine().id()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeviceId<'a>(&'a str);

impl<'a> DeviceId<'a> {
    /// The identity of this text, whatever it is.
    #[must_use]
    pub const fn new(text: &'a str) -> Self {
        Self(text)
    }

    /// The whole text.
    #[must_use]
    pub const fn text(self) -> &'a str {
        self.0
    }

    /// The kind of device, e.g. `host`: the provider of that kind opens it.
    #[must_use]
    pub fn kind(self) -> &'a str {
        let place = self.place();
        place.split_once(':').map_or(place, |(kind, _)| kind)
    }

    /// The text without regime and machine, e.g. `host:4`.
    #[must_use]
    pub fn place(self) -> &'a str {
        self.with_regime().map_or(self.part(), |(place, _)| place)
    }

    /// The regime; eager where the text names none.
    #[must_use]
    pub fn regime(self) -> Regime {
        self.with_regime().map_or(Regime::Eager, |(_, regime)| regime)
    }

    /// The parts before and behind the sign of a regime, where there is one.
    fn with_regime(self) -> Option<(&'a str, Regime)> {
        let (place, regime) = self.part().rsplit_once('+')?;
        let regime = regime.parse().ok().filter(|regime| *regime != Regime::Eager)?;
        Some((place, regime))
    }

    /// The identity of the same device in a regime.
    ///
    /// ```
    /// use nitro_core::{DeviceId, Regime};
    ///
    /// let cold = DeviceId::new("host:4@desk").in_regime(Regime::Cold);
    /// assert_eq!(cold, "host:4+cold@desk");
    /// assert_eq!(DeviceId::new(&cold).in_regime(Regime::Eager), "host:4@desk");
    /// ```
    #[must_use]
    pub fn in_regime(self, regime: Regime) -> String {
        let mut text = self.place().to_owned();
        if regime != Regime::Eager {
            text = text + "+" + regime.name();
        }
        self.machine().map_or(text.clone(), |machine| text + "@" + machine)
    }

    /// The text without the machine, as the command line names the device, e.g. `host:4`.
    #[must_use]
    pub fn part(self) -> &'a str {
        self.0.split_once('@').map_or(self.0, |(part, _)| part)
    }

    /// The machine or the model of the device; none for a device that is named without.
    #[must_use]
    pub fn machine(self) -> Option<&'a str> {
        self.0.split_once('@').map(|(_, machine)| machine)
    }
}

impl fmt::Display for DeviceId<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_has_a_kind_a_part_and_a_machine() {
        for (text, kind, part, machine) in [
            ("host:4@intel-8cpu", "host", "host:4", Some("intel-8cpu")),
            ("cuda:0/16sm@nvidia-h200", "cuda", "cuda:0/16sm", Some("nvidia-h200")),
            ("cuda:1", "cuda", "cuda:1", None),
            ("host", "host", "host", None),
            ("K40m", "K40m", "K40m", None),
            ("lab@desk:3", "lab", "lab", Some("desk:3")),
            ("", "", "", None),
            ("cuda:0+graph@nvidia-h200", "cuda", "cuda:0+graph", Some("nvidia-h200")),
            ("host+cold", "host", "host+cold", None),
        ] {
            let id = DeviceId::new(text);
            assert_eq!((id.kind(), id.part(), id.machine()), (kind, part, machine), "{text}");
            assert_eq!(id.to_string(), text);
        }
    }

    #[test]
    fn an_identity_may_name_a_regime_and_other_signs_are_part_of_the_place() {
        for (text, place, regime) in [
            ("cuda:0/16sm+graph@nvidia-h200", "cuda:0/16sm", Regime::Graph),
            ("host:4+cold", "host:4", Regime::Cold),
            ("host:4@desk+cold", "host:4", Regime::Eager),
            ("GTX 480+SLI", "GTX 480+SLI", Regime::Eager),
            ("host:4+eager", "host:4+eager", Regime::Eager),
            ("+cold", "", Regime::Cold),
        ] {
            let id = DeviceId::new(text);
            assert_eq!((id.place(), id.regime()), (place, regime), "{text}");
            assert_eq!(id.in_regime(regime), text, "written as it was");
        }
    }
}
