//! The part that a recorder takes of inputs it shares with others through their store.
//!
//! Each recorder claims an input before it measures it. What a recorder that died had claimed is free again once its
//! lease has ended.

use std::cell::RefCell;
use std::time::{Duration, SystemTime};

use nitro_store::store::MAX_LEASE;

/// A recorder's name, and the lease of its claims: how long they last unless they are renewed.
///
/// ```
/// use std::time::Duration;
/// use nitro_train::measure::Share;
///
/// // Two recorders of one process; of one that dies, the other takes over its input after a minute.
/// let share = || Share { lease: Duration::from_secs(60), ..Share::new(Share::unique_owner()) };
/// assert_ne!(share().owner, share().owner);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// A name that is unique among the recorders that use the store at one time.
    pub owner: String,
    /// The time that others wait for the input of a recorder that died; at most [`MAX_LEASE`].
    ///
    /// Claims are renewed three times a lease while the recorder lives, whatever it does.
    pub lease: Duration,
}

impl Share {
    /// Creates a share whose claims end 6 seconds after the recorder.
    #[must_use]
    pub fn new(owner: String) -> Self {
        Self { owner, lease: Duration::from_secs(6) }
    }

    /// Makes a name that no other recorder has, on this machine or another, now or before.
    #[must_use]
    pub fn unique_owner() -> String {
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let (process, thread) = (std::process::id(), std::thread::current().id());
        format!("{}/{process}/{thread:?}/{}", nitro_core::host::machine().id(), since_1970.as_nanos())
    }

    /// Returns the lease of claims, no longer than a store keeps them.
    pub(super) fn lease(&self) -> Duration {
        self.lease.min(MAX_LEASE)
    }

    /// Returns the time after which claims are renewed.
    pub(super) fn period(&self) -> Duration {
        (self.lease() / 3).max(Duration::from_millis(100))
    }
}

/// The share of a recorder of its own.
impl Default for Share {
    fn default() -> Self {
        Self::new(Self::unique_owner())
    }
}

/// The inputs that a session hands out, each claimed when its turn comes.
pub struct DueInputs<'s> {
    /// The names, and what the closure gets for them.
    inputs: std::vec::IntoIter<(&'s str, &'s str)>,
    /// The input that was given last; none after all were.
    in_hand: &'s RefCell<Option<String>>,
    claim: Box<dyn Fn(&str) -> bool + 's>,
}

impl<'s> DueInputs<'s> {
    pub(super) fn new(
        inputs: Vec<(&'s str, &'s str)>,
        in_hand: &'s RefCell<Option<String>>,
        claim: impl Fn(&str) -> bool + 's,
    ) -> Self {
        Self { inputs: inputs.into_iter(), in_hand, claim: Box::new(claim) }
    }
}

impl<'s> Iterator for DueInputs<'s> {
    type Item = &'s str;

    fn next(&mut self) -> Option<&'s str> {
        let next = self.inputs.find(|(name, _)| (self.claim)(name));
        self.in_hand.replace(next.map(|(name, _)| name.to_owned()));
        next.map(|(_, path)| path)
    }
}
