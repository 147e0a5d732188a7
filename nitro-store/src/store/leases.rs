//! Leases: who measures what, where several recorders share a store.

use std::time::Duration;

use super::{Store, StoreError};

/// The longest that a lease lasts ([`Leases::claim`]).
pub const MAX_LEASE: Duration = Duration::from_secs(60);

/// Leases of inputs, by which several recorders share the work on them, and the evaluations of a search.
///
/// A lease protects nothing, and [`Store::put`] asks for none.
pub trait Leases: Send {
    /// Claims an input, or a part of one by whatever name, for `lease`. Returns false if another owner has it.
    ///
    /// An owner that claims an input again before its lease ends renews it; one that does not has lost it to the next.
    /// A lease of no time gives the input back. A lease lasts at most [`MAX_LEASE`], whatever is asked for. One that
    /// would last longer, as a recorder leaves it whose clock was ahead, is none.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let (mut store, lease) = (nitro_store::store::memory()?, Duration::from_secs(6));
    /// let mut claim = |owner, lease| store.claim("sort", "host:4", "train/10", owner, lease);
    /// assert!(claim("first", lease)?);
    /// assert!(!claim("second", lease)?);
    /// assert!(claim("first", Duration::ZERO)?); // gives it back
    /// assert!(claim("second", lease)?);
    /// # Ok::<(), nitro_store::store::StoreError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the back end fails.
    fn claim(
        &mut self,
        function: &str,
        device: &str,
        input: &str,
        owner: &str,
        lease: Duration,
    ) -> Result<bool, StoreError>;
}

/// A store that several recorders can share.
pub trait SharedStore: Store + Leases {}

impl<S: Store + Leases + ?Sized> SharedStore for S {}
