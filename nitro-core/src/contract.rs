//! The contract of a choice: how near its results are to those of the default.

use std::fmt;

use crate::{Choice, Function};

/// A promise about the results of a choice, compared with those of the default choice. `Display` says it in words.
///
/// ```
/// use nitro_core::{Contract, Function, VariantInfo};
///
/// # static VARIANTS: [VariantInfo; 4] = [
/// #     VariantInfo::new("in_order").in_exact_group(0),
/// #     VariantInfo::new("unrolled").in_exact_group(0),
/// #     VariantInfo::new("pairwise"),
/// #     VariantInfo::new("evolved").approximate(0.003, Some("lengths to 4096")),
/// # ];
/// # static SUM: Function = Function::new("sum", &VARIANTS);
/// let contracts: Vec<Contract> = SUM.default_choices().map(|choice| SUM.contract(choice)).collect();
/// let evolved = Contract::Approx { max_error: 0.003, over: Some("lengths to 4096") };
/// assert_eq!(contracts, [Contract::Exact, Contract::Exact, Contract::Equivalent, evolved]);
/// assert_eq!(evolved.to_string(), "approximate, relative error up to 0.003 over lengths to 4096");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Contract {
    /// The same bits: it is the default choice, or stands in one `exact(..)` group with it.
    Exact,
    /// As good as the default, though its last bits may be others. It stands neither in that group nor among the
    /// approximate ones.
    Equivalent,
    /// Near enough for who asks for it: it runs only in calls whose `tolerance` is at least its error.
    Approx {
        /// The largest relative error that was seen, above 0.
        max_error: f64,
        /// The inputs over which it was found, if they were named.
        over: Option<&'static str>,
    },
}

impl Contract {
    /// Returns true for [`Contract::Approx`].
    #[must_use]
    pub fn is_approximate(&self) -> bool {
        matches!(self, Self::Approx { .. })
    }
}

impl fmt::Display for Contract {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => formatter.write_str("exact, the bits of the default"),
            Self::Equivalent => formatter.write_str("equivalent, but for the last bits"),
            Self::Approx { max_error, over } => {
                write!(formatter, "approximate, relative error up to {max_error}")?;
                over.map_or(Ok(()), |over| write!(formatter, " over {over}"))
            }
        }
    }
}

impl Function {
    /// The contract of a choice.
    ///
    /// # Panics
    /// When there is no such variant.
    #[must_use]
    pub fn contract(&self, choice: Choice) -> Contract {
        match self.variants()[choice.variant].approximation() {
            Some((max_error, over)) => Contract::Approx { max_error, over },
            None if self.is_exact(choice) => Contract::Exact,
            None => Contract::Equivalent,
        }
    }
}
