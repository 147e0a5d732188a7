//! Sums and ranges of a plan as formulas of a workload.

use nitro_launch::{Affine, Extent, LaunchPlan, Range, Variable};

/// The names of a plan's numbers in its workload.
pub(super) struct Names {
    /// The names of sizes, then of products of them.
    pub sizes: Vec<String>,
    pub scalars: Vec<String>,
    /// The value of each iterator of the host's loops, as a formula.
    pub iterators: Vec<String>,
}

impl Names {
    /// Takes the names of a plan; those that a formula cannot have are changed.
    pub(super) fn new(plan: &LaunchPlan) -> Self {
        let sizes = plan.sizes.iter().chain(plan.products.iter().map(|product| &product.name));
        let mut names = vec!["i".to_owned(), "seed".to_owned()];
        for name in sizes.chain(&plan.scalars).chain(&plan.iterators) {
            names.push(word(name, &names));
        }
        let mut names = names.into_iter().skip(2);
        let count = plan.sizes.len() + plan.products.len();
        let sizes = names.by_ref().take(count).collect();
        let scalars = names.by_ref().take(plan.scalars.len()).collect();
        Self { sizes, scalars, iterators: names.collect() }
    }

    /// Writes a sum.
    pub(super) fn affine(&self, affine: &Affine) -> String {
        let mut text = String::new();
        for &(variable, coefficient) in affine.terms() {
            let name = match variable {
                Variable::Parameter(at) => &self.sizes[at],
                Variable::Iterator(at) => &self.iterators[at],
                Variable::Block(_) | Variable::Thread(_) => "0", // the host knows none
            };
            let term = match coefficient.unsigned_abs() {
                1 => inner(name),
                times => format!("{times} * {}", inner(name)),
            };
            append(&mut text, coefficient < 0, &term);
        }
        match affine.constant() {
            0 if !text.is_empty() => {}
            constant => append(&mut text, constant < 0, &constant.unsigned_abs().to_string()),
        }
        text
    }

    /// Writes the number of values of a range, and the value of its iterator after `index` others.
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

    /// Writes the number of blocks that cover each value, where one covers so many.
    pub(super) fn blocks(&self, extent: &Extent, of_block: i64) -> String {
        let (least, end) = (self.most(&extent.lower, "max"), self.most(&extent.upper, "min"));
        divided(&divided(&less(&end, &least), extent.step), of_block)
    }

    /// Writes the number of elements of an array. A temporary one has none in a dimension that would be negative.
    pub(super) fn elements(&self, shape: &[Affine], is_temporary: bool) -> String {
        let mut extents = Vec::new();
        for extent in shape {
            let extent = self.affine(extent);
            let may_be_negative = is_temporary && !is_word(&extent);
            extents.push(if may_be_negative { format!("max(0, {extent})") } else { inner(&extent) });
        }
        if extents.is_empty() { "1".to_owned() } else { extents.join(" * ") }
    }

    /// Writes the largest or the least of bounds.
    fn most(&self, bounds: &[Affine], function: &str) -> String {
        let each = bounds.iter().map(|bound| self.affine(bound));
        each.reduce(|all, one| format!("{function}({all}, {one})")).unwrap_or_default()
    }
}

/// Makes a name that a formula can have: letters, digits and _, and not one of those that are taken.
fn word(name: &str, taken: &[String]) -> String {
    let mut word = name.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_");
    if !word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        word.insert(0, '_');
    }
    while taken.contains(&word) {
        word.push('_');
    }
    word
}

/// Tells whether a formula is one name or number.
fn is_word(formula: &str) -> bool {
    formula.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Puts a formula into parentheses, unless it is one name or number.
fn inner(formula: &str) -> String {
    if is_word(formula) { formula.to_owned() } else { format!("({formula})") }
}

/// Adds a term with its sign.
fn append(text: &mut String, is_negative: bool, term: &str) {
    text.push_str(match (text.is_empty(), is_negative) {
        (true, true) => "-",
        (true, false) => "",
        (false, true) => " - ",
        (false, false) => " + ",
    });
    text.push_str(term);
}

/// Writes a difference.
fn less(end: &str, least: &str) -> String {
    match least {
        "0" => end.to_owned(),
        least => format!("{end} - {}", inner(least)),
    }
}

/// Writes a quotient, rounded up.
fn divided(formula: &str, by: i64) -> String {
    match by {
        1 => formula.to_owned(),
        by => format!("ceil_div({formula}, {by})"),
    }
}
