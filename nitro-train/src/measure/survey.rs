//! A survey of inputs: their features, by one run of the default variant each.

use std::cell::RefCell;

use nitro_store::recordings::Input;

use super::calls::Calls;
use super::candidate::Candidate;
use super::error::RecordError;
use super::progress::{Attempt, Progress, attempt};
use super::subject::Subject;

/// The survey of one function on one device.
pub(super) struct Survey<'a> {
    subject: Subject<'a>,
    progress: &'a dyn Progress,
    found: RefCell<Vec<Input>>,
}

impl<'a> Survey<'a> {
    /// Creates a survey that goes on after what was found.
    pub(super) fn new(subject: Subject<'a>, progress: &'a dyn Progress, found: Vec<Input>) -> Self {
        Self { subject, progress, found: RefCell::new(found) }
    }

    /// Returns the function and the device.
    pub(super) fn subject(&self) -> Subject<'_> {
        self.subject
    }

    /// Notes the features of one input.
    pub(super) fn input(&self, name: &str, mut calls: impl Calls) -> Result<(), RecordError> {
        if self.found.borrow().iter().any(|input| input.name == name) {
            return Ok(());
        }
        let (function, device) = (self.subject.function, self.subject.device.entry().id());
        let default = Candidate::of(function, function.default_choice());
        let one = Attempt {
            function: function.name(),
            device,
            input: name,
            features: None,
            variant: default.variant,
            configuration: &default.configuration,
            is_evaluation: false,
            is_sample: false,
        };
        let call = calls.next();
        let described = attempt(self.progress, &one, || self.subject.describe(name, &[default.choice], call));
        let (_, observation) = described?;
        self.found.borrow_mut().push(Input { name: name.to_owned(), features: observation.features });
        Ok(())
    }

    /// Takes the inputs that were found, in the order in which they were met.
    pub(super) fn take_found(&self) -> Vec<Input> {
        self.found.take()
    }
}
