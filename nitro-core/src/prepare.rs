//! Preparing what calls may run, so that no call waits for a compiler.

use std::error::Error;
use std::fmt;

use crate::function::state::FunctionState;
use crate::{Choice, CodeChoice, Function, Prepared};

impl Function {
    /// Prepares every choice that calls may end in now, on this thread, by the option `prepare = ..` of
    /// `#[code_variant]`. Those are the default, what the user pinned, and what the model may pick. Beside the
    /// function it is `FUNCTION::prepare()`.
    ///
    /// It also does what the first call would do: it reads the environment and the model. Where the model needs the
    /// device measured, it waits until that is done, or cannot be. After a [`reload`](Self::reload) the new model's
    /// choices want preparing.
    ///
    /// ```
    #[doc = include_str!("example_sort.md")]
    /// sort::function().prepare()?; // of host variants nothing is compiled, but the model is read
    /// assert_eq!(sort::select(&[7; 4096]).variant(), sort::Variant::Radix);
    /// # Ok::<(), nitro::PrepareError>(())
    /// ```
    ///
    /// # Errors
    /// When a choice could not be prepared; the error names each and why. Everything else is prepared, and calls go
    /// on as they would without.
    pub fn prepare(&'static self) -> Result<(), PrepareError> {
        let state = self.state();
        state.wait_for_devices();
        let Some(prepare) = self.prepare else { return Ok(()) };
        let mut refused = vec![];
        for choice in self.callable(state) {
            if let Err(why) = prepare(choice) {
                refused.push((self.choice_text(choice), why));
            }
        }
        if refused.is_empty() { Ok(()) } else { Err(PrepareError { function: self.name(), refused }) }
    }

    /// The choices that calls can end in, each once.
    fn callable(&self, state: &FunctionState) -> Vec<Choice> {
        let mut choices = vec![];
        let hinted = (0..self.variants().len()).filter(|&variant| self.variants()[variant].hint().is_some());
        let without_model = [self.default_variant()].into_iter().chain(hinted);
        for index in without_model.chain(state.forced).chain(state.of_model()) {
            let choice = state.choice(index);
            if state.is_exact_enough(index) && self.has_code(choice) && !choices.contains(&choice) {
                choices.push(choice);
            }
        }
        choices
    }

    /// Returns true where the program has the choice's code: generated code need not have come along.
    fn has_code(&self, choice: Choice) -> bool {
        let is_generated = self.variants()[choice.variant].parameters().artifact().is_some();
        !is_generated || crate::Artifact::from(choice.configuration).is_known()
    }
}

/// Calls what the option `prepare = ..` gives. A closure there learns its argument's type here.
///
/// # Errors
/// Its own.
pub fn prepare_choice<C: CodeChoice, E: Into<Box<dyn Error + Send + Sync>>>(
    choice: Choice,
    prepare: impl FnOnce(C) -> Result<(), E>,
) -> Prepared {
    prepare(C::of(choice)).map_err(Into::into)
}

/// Choices that could not be prepared. A call that comes to one of them tries again, and then it is the variant
/// that fails or not.
///
/// ```
/// use nitro_core::{Function, VariantInfo};
///
/// static VARIANTS: [VariantInfo; 1] = [VariantInfo::new("tiled")];
/// static FILL: Function = Function::new("fill", &VARIANTS).with_prepare(|_| Err("there is no compiler".into()));
///
/// let error = FILL.prepare().unwrap_err();
/// assert_eq!(error.choices().collect::<Vec<_>>(), ["tiled"]);
/// assert_eq!(error.to_string(), "`fill`: `tiled` cannot be prepared: there is no compiler");
/// ```
#[derive(Debug)]
pub struct PrepareError {
    function: &'static str,
    /// Choices as texts, each with what is wrong.
    refused: Vec<(String, Box<dyn Error + Send + Sync>)>,
}

impl PrepareError {
    /// The choices, as stores and models write them.
    pub fn choices(&self) -> impl Iterator<Item = &str> {
        self.refused.iter().map(|(choice, _)| choice.as_str())
    }
}

impl fmt::Display for PrepareError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`: ", self.function)?;
        for (index, (choice, why)) in self.refused.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(formatter, "{separator}`{choice}` cannot be prepared: {why}")?;
        }
        Ok(())
    }
}

impl Error for PrepareError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.refused.first().map(|(_, why)| &**why as &(dyn Error + 'static))
    }
}
