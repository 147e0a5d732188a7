//! The identities of devices.

use std::fmt;

/// The identity of a device in stores and tables: `KIND:PART@MACHINE`, such as `host:4@intel-xeon-8cpu-1a2b3c` or
/// `cuda:0/16sm@nvidia-h200-140gb`. On the command line it is written without the machine. What other tools have
/// recorded may be called otherwise, and is of a kind of its own then.
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
        let part = self.part();
        part.split_once(':').map_or(part, |(kind, _)| kind)
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
        ] {
            let id = DeviceId::new(text);
            assert_eq!((id.kind(), id.part(), id.machine()), (kind, part, machine), "{text}");
            assert_eq!(id.to_string(), text);
        }
    }
}
