//! A survey: the features of inputs, without timing anything but what tells them, one run of the default variant.

use std::cell::RefCell;

use super::error::RecordError;
use super::subject::Subject;
use crate::recordings::Input;

/// The survey of one function on one device.
pub(super) struct Survey<'a> {
    subject: Subject<'a>,
    found: RefCell<Vec<Input>>,
}

impl<'a> Survey<'a> {
    /// A survey that goes on after what was found.
    pub(super) fn new(subject: Subject<'a>, found: Vec<Input>) -> Self {
        Self { subject, found: RefCell::new(found) }
    }

    pub(super) fn function(&self) -> &'static str {
        self.subject.function.name()
    }

    /// Notes the features of one input.
    pub(super) fn input<R>(&self, name: &str, mut run: impl FnMut() -> R) -> Result<(), RecordError> {
        if self.found.borrow().iter().any(|input| input.name == name) {
            return Ok(());
        }
        let (_, observation) =
            self.subject.describe(name, &[self.subject.function.default_choice()], &mut run)?;
        self.found.borrow_mut().push(Input { name: name.to_owned(), features: observation.features });
        Ok(())
    }

    /// What was found, in the order in which it was.
    pub(super) fn found(&self) -> Vec<Input> {
        self.found.take()
    }
}
