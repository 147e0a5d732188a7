//! The promises of every store of measurements.

use std::collections::BTreeSet;

use nitro_core::Artifact;

use super::error::StoreError;
use super::row::{ChoiceName, Evaluated, FunctionSchema, Row};
use super::searches::Searches;
use super::selected::{Forgotten, Selected};
use crate::recordings::{DeviceRecord, Input, Meanings, Recordings};

/// Recordings by name of function, device, input and variant.
///
/// Every method is one transaction: after an error, or when the process is killed, the store holds either all of
/// what the method does or nothing of it.
///
/// What is taken and what is handed out keeps the same rules, since others may write to the same server or file:
/// names are those of [`nitro_core::name`], a function has at most [`nitro_core::MAX_VARIANTS`] variants and
/// [`MAX_FEATURES`](crate::recordings::MAX_FEATURES) features, numbers are finite.
pub trait Store: Send {
    /// Returns the path or address of this store, without a password.
    fn location(&self) -> &str;

    /// Names of the functions, in alphabetical order.
    ///
    /// # Errors
    ///
    /// When the back end fails.
    fn functions(&mut self) -> Result<Vec<String>, StoreError>;

    /// All devices, in the order of their ids.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unusable`], or when the back end fails.
    fn devices(&mut self) -> Result<Vec<DeviceRecord>, StoreError>;

    /// Loads everything recorded of one function.
    ///
    /// Variants and features come in the order of their registration; inputs, devices (those with measurements of
    /// this function) and measurements are sorted by name, whatever the order of recording. An input that lacks a
    /// feature registered since is left out with its measurements, for nothing can be learned from it until it is
    /// recorded again: [`Recordings::incomplete`] tells of them.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownFunction`], [`StoreError::Unusable`], or when the back end fails.
    fn load(&mut self, function: &str) -> Result<Recordings, StoreError>;

    /// Makes a function known, or tells the store how it looks now.
    ///
    /// Variants add up: new names are appended, missing ones stay, because programs built with other Cargo features
    /// may share the store. Features become exactly the list given: learning needs all of them of every input, so
    /// inputs that lack a new one are due again ([`recorded`](Store::recorded)), and a dropped one is not loaded
    /// any more.
    ///
    /// # Errors
    ///
    /// When a name is none or repeated, the default variant is not one of the variants, there are too many of
    /// something (variants together with those of other programs), or the back end fails.
    fn register(&mut self, schema: &FunctionSchema<'_>) -> Result<(), StoreError>;

    /// Makes a device known, or replaces what is known of it.
    ///
    /// # Errors
    ///
    /// When a name is none, a feature is not a finite number, there are too many of them, or the back end fails.
    fn put_device(&mut self, device: &DeviceRecord) -> Result<(), StoreError>;

    /// Names of the inputs that need no more measuring on this device: each of `choices` has a measurement there,
    /// and all current features are known.
    ///
    /// # Errors
    ///
    /// When the back end fails. A function or device that the store does not know has no recorded inputs.
    fn recorded(
        &mut self,
        function: &str,
        device: &str,
        choices: &[ChoiceName<'_>],
    ) -> Result<BTreeSet<String>, StoreError>;

    /// Returns whether one input needs no more measuring on this device, as [`recorded`](Store::recorded) says of all.
    ///
    /// ```
    /// use nitro_store::store::ChoiceName;
    ///
    /// let mut store = nitro_store::store::memory()?;
    /// assert!(!store.is_recorded("sort", "host:4", "train/10", &[ChoiceName::variant("merge")])?);
    /// # Ok::<(), nitro_store::store::StoreError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the back end fails.
    fn is_recorded(
        &mut self,
        function: &str,
        device: &str,
        input: &str,
        choices: &[ChoiceName<'_>],
    ) -> Result<bool, StoreError> {
        Ok(self.recorded(function, device, choices)?.contains(input))
    }

    /// Names of the inputs whose rows are complete, as [`recorded`](Store::recorded) says, whatever is known of
    /// their features.
    ///
    /// # Errors
    ///
    /// When the back end fails.
    fn measured(
        &mut self,
        function: &str,
        device: &str,
        choices: &[ChoiceName<'_>],
    ) -> Result<BTreeSet<String>, StoreError>;

    /// Tells the store what the function's features compute and its variants declare now, as [`Meanings::of`] says.
    ///
    /// Of a feature that meant something else the recorded values go, so that inputs are [due](Store::recorded)
    /// until it is computed again; the measurements of a variant whose constraint or parameters were others are due
    /// again. What was not known before is taken for the same.
    ///
    /// # Errors
    ///
    /// When the function is not registered, or the back end fails.
    fn put_meanings(&mut self, function: &str, meanings: &Meanings) -> Result<(), StoreError>;

    /// Marks measurements as due: they are used until they are [replaced](Store::put), and inputs that have some
    /// are not [recorded](Store::recorded). Those that failed are tried again too. Returns how many.
    ///
    /// ```
    /// use nitro_store::recordings::{DeviceRecord, Input, Outcome};
    /// use nitro_store::store::{self, ChoiceName, FunctionSchema, Row, Selected};
    ///
    /// let mut store = store::memory()?;
    /// store.register(&FunctionSchema {
    ///     function: "f",
    ///     variants: &["a"],
    ///     default_variant: None,
    ///     default_configuration: "",
    ///     features: &[],
    /// })?;
    /// store.put_device(&DeviceRecord { id: "host:4".into(), features: Default::default() })?;
    /// let input = Input { name: "one".into(), features: vec![] };
    /// store.put("f", "host:4", &input, &[Row::new("a", Outcome::Time(9.0))])?;
    /// assert_eq!(store.measure_again("f", &Selected::new(Some("a"), None, None)?)?, 1);
    /// assert!(store.recorded("f", "host:4", &[ChoiceName::variant("a")])?.is_empty());
    /// assert_eq!(store.load("f")?.measurements.len(), 1); // until it is measured
    /// assert_eq!(store.forget("f", &Selected::default())?.measurements, 1);
    /// # Ok::<(), store::StoreError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownFunction`], or when the back end fails.
    fn measure_again(&mut self, function: &str, which: &Selected) -> Result<usize, StoreError>;

    /// Takes measurements out, with what searches have evaluated, and inputs of which no measurement is left. Where
    /// everything is meant, the function goes too; and a variant that is meant goes where nothing is left of it,
    /// unless it is the default.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownFunction`], or when the back end fails.
    fn forget(&mut self, function: &str, which: &Selected) -> Result<Forgotten, StoreError>;

    /// Gives a variant another name: what was measured under the old one is its own from then on, but for what it
    /// has already. Nothing happens where the store has no variant of the old name.
    ///
    /// # Errors
    ///
    /// When the function is not registered, the new name is none, or the back end fails.
    fn rename_variant(&mut self, function: &str, old: &str, new: &str) -> Result<(), StoreError>;

    /// Keeps what variants did with one input on one device; a row of the same key is replaced.
    ///
    /// `input.features` are in the order of the registered features. Features that the store knows already have to
    /// be the same up to rounding (one part in 10⁹: sums over another number of threads differ that much).
    ///
    /// # Errors
    ///
    /// When function, device or a variant is not registered, features are of another input or not finite, a time is
    /// not above zero, or the back end fails.
    fn put(
        &mut self,
        function: &str,
        device: &str,
        input: &Input,
        rows: &[Row<'_>],
    ) -> Result<(), StoreError>;

    /// Keeps what the features of one input, in the order of the registered features, took to compute on one
    /// device, in nanoseconds; what was kept of the two is replaced. The input is added as by [`put`](Store::put).
    ///
    /// # Errors
    ///
    /// As [`put`](Store::put), and when there is not one time for each feature, finite and 0 or above.
    fn put_feature_times(
        &mut self,
        function: &str,
        device: &str,
        input: &Input,
        times_ns: &[f64],
    ) -> Result<(), StoreError>;

    /// Keeps the text of generated code, so that whoever has the store can measure and ship what its digest names.
    /// [`load`](Store::load) hands it out as [`Recordings::artifacts`].
    ///
    /// ```
    /// use nitro_store::store::{self, FunctionSchema};
    ///
    /// let mut store = store::memory()?;
    /// store.register(&FunctionSchema {
    ///     function: "sum",
    ///     variants: &["plain", "found"],
    ///     default_variant: Some("plain"),
    ///     default_configuration: "",
    ///     features: &[],
    /// })?;
    /// let kernel = store.put_artifact("sum", "block=32")?;
    /// assert_eq!(store.load("sum")?.artifacts[&kernel], "block=32");
    /// # Ok::<(), store::StoreError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the function is not registered, the text is longer than
    /// [`MAX_ARTIFACT_BYTES`](nitro_core::MAX_ARTIFACT_BYTES), or the back end fails.
    fn put_artifact(&mut self, function: &str, text: &str) -> Result<Artifact, StoreError>;

    /// Returns the evaluations of these choices by searches, with one input on one device. Of each choice it is the
    /// first that was put, or none.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unusable`], or when the back end fails.
    fn evaluations(
        &mut self,
        function: &str,
        device: &str,
        input: &str,
        choices: &[ChoiceName<'_>],
    ) -> Result<Vec<Option<Evaluated>>, StoreError>;

    /// Keeps what evaluating a choice in a search gave. Of a choice that was evaluated before the first outcome
    /// stays, so that all who search together see the same.
    ///
    /// Evaluations are no measurements: [`load`](Store::load) does not hand them out, for they may be many, and
    /// nothing has to be registered.
    ///
    /// # Errors
    ///
    /// When a time is not above zero, a figure of a part is none, or the back end fails.
    fn put_evaluation(
        &mut self,
        function: &str,
        device: &str,
        input: &str,
        row: &Row<'_>,
    ) -> Result<(), StoreError>;

    /// Keeps what a search begins with, and returns what was kept first under this name. So all who search together
    /// begin with the same.
    ///
    /// ```
    /// let mut store = nitro_store::store::memory()?;
    /// assert_eq!(store.begin_search("mm on cuda:0, seed 1", "the A100's times")?, "the A100's times");
    /// assert_eq!(store.begin_search("mm on cuda:0, seed 1", "more times by now")?, "the A100's times");
    /// # Ok::<(), nitro_store::store::StoreError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the back end fails.
    fn begin_search(&mut self, name: &str, with: &str) -> Result<String, StoreError>;

    /// Returns everything that searches have evaluated and begun with.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unusable`], or when the back end fails.
    fn searches(&mut self) -> Result<Searches, StoreError>;

    /// Adds what searches have left elsewhere. What was evaluated or begun before stays as it is.
    ///
    /// # Errors
    ///
    /// As [`put_evaluation`](Store::put_evaluation).
    fn add_searches(&mut self, searches: &Searches) -> Result<(), StoreError>;

    /// Adds recordings made elsewhere, all or nothing.
    ///
    /// What the store already holds may come again if it is the same; the same key with other values is an error,
    /// since there is no telling which is right. New variants, inputs, devices and device features are added; the
    /// input features of a function that the store knows have to be the same, in any order.
    ///
    /// # Errors
    ///
    /// [`StoreError::Conflict`] and [`StoreError::OtherFeatures`] as said above, what `register`, `put_device` and
    /// `put` refuse, or when the back end fails.
    ///
    /// # Panics
    ///
    /// When an index in `recordings` is out of range.
    fn import(&mut self, recordings: &Recordings) -> Result<(), StoreError>;
}
