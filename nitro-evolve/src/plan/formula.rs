//! Sums and ranges of a plan as formulas of a workload.

use nitro_launch::{Affine, Extent, LaunchPlan, Range, Variable};

/// What the numbers of a plan are called in its workload.
pub(super) struct Names {
    /// Sizes, then products of them.
    pub sizes: Vec<String>,
    pub scalars: Vec<String>,
    /// The value of each iterator of the host's loops, as a formula.
    pub iterators: Vec<String>,
}

impl Names {
    /// Names of the plan are kept where a formula can have them.
    pub(super) fn new(plan: &LaunchPlan) -> Self {
        let mut taken = vec!["i".to_owned(), "seed".to_owned()];
        let mut name = |name: &String| {
            let name = word(name, &taken);
            taken.push(name.clone());
            name
        };
        let sizes = plan.sizes.iter().chain(plan.products.iter().map(|product| &product.name));
        let (sizes, scalars) = (sizes.map(&mut name).collect(), plan.scalars.iter().map(&mut name).collect());
        Self { sizes, scalars, iterators: plan.iterators.iter().map(&mut name).collect() }
    }

    pub(super) fn affine(&self, affine: &Affine) -> String {
        let mut text = String::new();
        for &(variable, coefficient) in affine.terms() {
            let name = match variable {
                Variable::Parameter(at) => &self.sizes[at],
                Variable::Iterator(at) => &self.iterators[at],
                Variable::Block(_) | Variable::Thread(_) => "0", // the host knows none
            };
            append(
                &mut text,
                coefficient < 0,
                &match coefficient.unsigned_abs() {
                    1 => inner(name),
                    times => format!("{times} * {}", inner(name)),
                },
            );
        }
        match affine.constant() {
            0 if !text.is_empty() => {}
            constant => append(&mut text, constant < 0, &constant.unsigned_abs().to_string()),
        }
        text
    }

    /// How many values a range has, and the value that its iterator has after so many others.
    pub(super) fn range(&self, range: &Range, index: &str) -> (String, String) {
        let Range { lower, upper, step, is_reversed, .. } = range;
        let (least, end) = (self.most(lower, "max"), self.most(upper, "min"));
        let times = format!("max(0, {})", divided(&less(&end, &least), *step));
        let value = match (is_reversed, least.as_str(), step) {
            (true, ..) => format!("{} - 1 - {index}", inner(&end)),
            (false, "0", 1) => index.to_owned(),
            (false, _, 1) => format!("{} + {index}", inner(&least)),
            (false, ..) => format!("{} + {step} * {index}", inner(&least)),
        };
        (times, value)
    }

    /// How many blocks it takes to cover each value, where one covers so many.
    pub(super) fn blocks(&self, extent: &Extent, of_block: i64) -> String {
        let (least, end) = (self.most(&extent.lower, "max"), self.most(&extent.upper, "min"));
        divided(&divided(&less(&end, &least), extent.step), of_block)
    }

    /// The elements of an array. One that is made for the kernels has none in a dimension that would be negative.
    pub(super) fn elements(&self, shape: &[Affine], is_temporary: bool) -> String {
        let extent = |extent: &Affine| {
            let extent = self.affine(extent);
            if is_temporary && !is_word(&extent) { format!("max(0, {extent})") } else { inner(&extent) }
        };
        match shape {
            [] => "1".to_owned(),
            shape => shape.iter().map(extent).collect::<Vec<_>>().join(" * "),
        }
    }

    fn most(&self, bounds: &[Affine], function: &str) -> String {
        let each = bounds.iter().map(|bound| self.affine(bound));
        each.reduce(|all, one| format!("{function}({all}, {one})")).unwrap_or_default()
    }
}

/// A name that a formula can have: letters, digits and _, and not one of those that are taken.
fn word(name: &str, taken: &[String]) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let mut word: String = name.chars().map(letter).collect();
    if !word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        word.insert(0, '_');
    }
    while taken.contains(&word) {
        word.push('_');
    }
    word
}

fn is_word(formula: &str) -> bool {
    formula.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// In parentheses, unless it is one number.
fn inner(formula: &str) -> String {
    if is_word(formula) { formula.to_owned() } else { format!("({formula})") }
}

fn append(text: &mut String, is_negative: bool, term: &str) {
    text.push_str(match (text.is_empty(), is_negative) {
        (true, true) => "-",
        (true, false) => "",
        (false, true) => " - ",
        (false, false) => " + ",
    });
    text.push_str(term);
}

fn less(end: &str, least: &str) -> String {
    match least {
        "0" => end.to_owned(),
        least => format!("{end} - {}", inner(least)),
    }
}

fn divided(formula: &str, by: i64) -> String {
    match by {
        1 => formula.to_owned(),
        by => format!("ceil_div({formula}, {by})"),
    }
}
