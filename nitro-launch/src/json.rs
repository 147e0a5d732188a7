//! Plans as text.

use serde::{Deserialize, Serialize};

use crate::format::{FORMAT, FORMAT_ELEMENTS, FORMAT_PTX};
use crate::{LaunchPlan, PlanError};

/// The most bytes of a text: generated kernels are some hundred kilobytes at most.
const MOST_BYTES: usize = 16 << 20;

/// The part before the plan, by which later versions are told apart.
#[derive(Deserialize)]
struct Head {
    format: u64,
}

#[derive(Serialize)]
struct Document<'a> {
    format: u64,
    #[serde(flatten)]
    plan: &'a LaunchPlan,
}

impl LaunchPlan {
    /// The plan as text: one line of JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let document = Document { format: self.format(), plan: self };
        serde_json::to_string(&document).expect("names, numbers and lists can be written")
    }

    /// The oldest format whose readers know all that the plan has.
    fn format(&self) -> u64 {
        let is_of_numbers = self.arrays.iter().all(|array| array.storage.is_number());
        match (self.element.is_single() && self.indices.is_empty() && is_of_numbers, &self.ptx) {
            (false, _) => FORMAT_ELEMENTS,
            (true, Some(_)) => FORMAT_PTX,
            (true, None) => FORMAT,
        }
    }

    /// Reads a plan, which is then checked.
    ///
    /// # Errors
    /// When the text is no plan or of another format, and those of [`check`](Self::check).
    pub fn from_json(text: &str) -> Result<Self, PlanError> {
        if text.len() > MOST_BYTES {
            return Err(PlanError::Text(format!("it has more than {MOST_BYTES} bytes")));
        }
        let Head { format } = serde_json::from_str(text).map_err(unreadable)?;
        if ![FORMAT, FORMAT_PTX, FORMAT_ELEMENTS].contains(&format) {
            return Err(PlanError::Format { found: format });
        }
        let plan: Self = serde_json::from_str(text).map_err(unreadable)?;
        // A version that knows no PTX would take such a plan for one without kernels.
        if plan.format() != format {
            return Err(PlanError::Text(format!(
                "a plan with PTX has format {FORMAT_PTX}, one of `f64`, with subscripts or 16 bits \
                 {FORMAT_ELEMENTS}, and others {FORMAT}"
            )));
        }
        plan.check()?;
        Ok(plan)
    }
}

/// The error about a text that is none. Its message may repeat what the text says, and is shown.
fn unreadable(error: serde_json::Error) -> PlanError {
    PlanError::Text(error.to_string().replace(char::is_control, "?"))
}
