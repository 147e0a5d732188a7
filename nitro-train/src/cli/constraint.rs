//! What a constraint, as it stands in the source, says of given feature values.

/// Whether a constraint admits a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Admits,
    Forbids,
    /// It asks for more than features and numbers, e.g. for an argument.
    Unknown,
}

/// The verdict of comparisons of features with numbers or each other, and of bare features (0 is false), joined by `&&`. Of a constraint
/// that contains anything else, only a comparison that is false is decisive.
pub(super) fn verdict(condition: &str, feature: impl Fn(&str) -> Option<f64>) -> Verdict {
    // `a && b || c` holds where `c` does, whatever `a` is; and a closing bracket may begin in another part.
    if condition.contains("||") || condition.contains(['(', '{', '[', '|']) {
        return Verdict::Unknown;
    }
    let parts: Vec<Option<bool>> = condition.split("&&").map(|part| holds(part.trim(), &feature)).collect();
    match () {
        () if parts.contains(&Some(false)) => Verdict::Forbids,
        () if parts.contains(&None) => Verdict::Unknown,
        () => Verdict::Admits,
    }
}

fn holds(part: &str, feature: &impl Fn(&str) -> Option<f64>) -> Option<bool> {
    type Comparison = (&'static str, fn(&f64, &f64) -> bool);
    const COMPARISONS: [Comparison; 6] =
        [("<=", f64::le), (">=", f64::ge), ("==", f64::eq), ("!=", f64::ne), ("<", f64::lt), (">", f64::gt)];
    let number = |text: &str| text.replace('_', "").parse::<f64>().ok();
    let value = |text: &str| feature(text.trim()).or_else(|| number(text.trim()));
    match COMPARISONS.iter().find(|(sign, _)| part.contains(sign)) {
        Some((sign, compare)) => {
            let (left, right) = part.split_once(sign)?;
            Some(compare(&value(left)?, &value(right)?))
        }
        None => Some(feature(part)? != 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(condition: &str, expected: Verdict) {
        let feature = |name: &str| match name {
            "length" => Some(100.0),
            "fill" => Some(2.5),
            "sorted" => Some(0.0),
            _ => None,
        };
        assert_eq!(verdict(condition, feature), expected, "{condition}");
    }

    #[test]
    fn comparisons_of_features_are_decided() {
        for condition in ["length >= 2", "fill < 9.0", "length >= 100 && fill != 3", "1_000 > length"] {
            check(condition, Verdict::Admits);
        }
        for condition in ["length < 2", "fill > length", "sorted", "length >= 2 && sorted"] {
            check(condition, Verdict::Forbids);
        }
    }

    #[test]
    fn what_asks_for_an_argument_is_not_decided() {
        for condition in ["a.rows() > 3", "length > a.len()", "rows", "length > 2 && rows > 3", "! sorted"] {
            check(condition, Verdict::Unknown);
        }
        check("sorted && a > 3", Verdict::Forbids);
        check("sorted || a", Verdict::Unknown);
        check("sorted && a || b", Verdict::Unknown);
    }
}
