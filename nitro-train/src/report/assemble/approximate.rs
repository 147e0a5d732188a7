//! The approximate ones of the variants on the page.

use nitro_core::{Choice, Configuration, Function};
use nitro_learn::Approximation;

use crate::report::data::{ApproximateVariant, FunctionReport};

impl FunctionReport {
    /// Adds the measured error of approximate variants, with what the code says of it. Adds nothing where the code is
    /// not at hand.
    pub(crate) fn with_approximate(mut self, function: Option<&Function>) -> Self {
        let Some(function) = function else { return self };
        let variants = function.variants().iter().enumerate();
        self.approximate = variants
            .filter_map(|(variant, own)| {
                let choice = Choice { variant, configuration: Configuration::default() };
                let approximation = Approximation::of(function, choice)?;
                let at = self.winners.variants.iter().position(|name| name == own.name())?;
                let may_run = self.winners.may_run.get(at).copied().filter(|share| share.is_finite());
                Some(ApproximateVariant { variant: own.name().to_owned(), approximation, may_run })
            })
            .collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use nitro_core::VariantInfo;

    use super::*;
    use crate::report::Winners;

    static VARIANTS: [VariantInfo; 3] = [
        VariantInfo::new("plain"),
        VariantInfo::new("evolved").approximate(0.003, Some("lengths to 4096")),
        VariantInfo::new("never_recorded").approximate(0.1, None),
    ];
    static SUM: Function = Function::new("sum", &VARIANTS);

    #[test]
    fn what_was_recorded_of_approximate_variants_is_told() {
        let variants = ["evolved", "gone", "plain"].map(str::to_owned).to_vec();
        let winners = Winners { variants, may_run: vec![0.25, 1.0, 1.0], ..Winners::default() };
        let report = || FunctionReport { winners: winners.clone(), ..FunctionReport::default() };
        let told = report().with_approximate(Some(&SUM)).approximate;
        assert_eq!((told.len(), &*told[0].variant, told[0].may_run), (1, "evolved", Some(0.25)));
        assert_eq!(told[0].approximation.max_error, 0.003);
        assert!(report().with_approximate(None).approximate.is_empty());
    }
}
