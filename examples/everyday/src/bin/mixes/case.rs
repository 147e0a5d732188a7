//! One input of a mix, with everything that a call of its function needs.

use nitro::features::{distinct, sortedness, span};
use nitro::{CodeVariant, Function};
use nitro_everyday::inputs::find::Search;
use nitro_everyday::inputs::transform::Signal;
use nitro_everyday::{Matrix, Natural, big_product, compress, find, group, matmul, sort, transform};
use nitro_everyday::{largest_factor, sampled_bits, sampled_entropy, sampled_repeats, trial_ratio};

use crate::rules;

/// A way to call a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// The function as an application calls it.
    Dispatched,
    /// The features alone, all that the function has.
    Features,
    /// The variant that a developer's `if` names, and the `if`.
    Rule,
    /// The variant of this index.
    Variant(usize),
    /// The choice, without a call.
    Select,
}

/// An input.
pub trait Case {
    /// Restores what a call changes.
    fn prepare(&mut self) {}
    /// Makes one call.
    fn call(&mut self, call: Call);
    /// The function that is called.
    fn function(&self) -> &'static Function;
    /// Whether the variant may run.
    fn admits(&mut self, variant: usize) -> bool;
    /// The index of the variant that a developer's `if` names.
    #[cfg(test)]
    fn rule(&self) -> usize;
    /// The index of the variant that is chosen, why, and the features that were asked for.
    fn selected(&mut self) -> Selected;
}

/// A choice that was looked at.
pub struct Selected {
    pub variant: usize,
    pub reason: String,
    pub features: Vec<f64>,
}

impl Selected {
    fn of<V: CodeVariant>(selection: &nitro::Selection<V>) -> Self {
        let features = selection.features().iter().map(|(_, value)| value).collect();
        Self { variant: selection.variant().index(), reason: selection.reason().to_string(), features }
    }
}

/// Has the compiler make what nobody looks at.
fn used<T>(value: T) {
    std::hint::black_box(value);
}

/// Implements what only the arguments of the function tell apart.
macro_rules! calls {
    ($function:ident, $case:ident, ($($argument:expr),*), $features:expr, $rule:expr) => {
        fn call(&mut self, call: Call) {
            let $case = self;
            match call {
                Call::Dispatched => used($function($($argument),*)),
                Call::Features => used($features),
                Call::Rule => used($function::call($rule, $($argument),*)),
                Call::Select => used($function::select($($argument),*)),
                Call::Variant(index) => used($function::call($function::Variant::ALL[index], $($argument),*)),
            }
        }

        fn function(&self) -> &'static Function {
            $function::function()
        }

        fn admits(&mut self, variant: usize) -> bool {
            let $case = self;
            $function::admissible($function::Variant::ALL[variant], $($argument),*)
        }

        #[cfg(test)]
        fn rule(&self) -> usize {
            let $case = self;
            $rule.index()
        }

        fn selected(&mut self) -> Selected {
            self.prepare();
            let $case = self;
            Selected::of(&$function::select($($argument),*))
        }
    };
}

/// Keys to sort.
pub struct Sort {
    keys: Vec<u64>,
    sorted: Vec<u64>,
}

impl Sort {
    pub fn new(keys: Vec<u64>) -> Self {
        Self { sorted: keys.clone(), keys }
    }
}

impl Case for Sort {
    fn prepare(&mut self) {
        self.sorted.copy_from_slice(&self.keys);
    }

    calls!(
        sort,
        case,
        (&mut case.sorted),
        {
            let keys = &case.sorted;
            (keys.len(), nitro_everyday::sortedness(keys), sampled_repeats(keys), sampled_bits(keys))
        },
        rules::sort(&case.sorted)
    );
}

/// A text to search. The needles refer to the search that owns them.
pub struct Find {
    text: String,
    needles: Vec<&'static str>,
}

impl Find {
    pub fn new(search: Search) -> Self {
        // They live as long as the benchmark.
        let needles = search.needles.into_iter().map(|needle| &*String::leak(needle)).collect();
        Self { text: search.text, needles }
    }
}

impl Case for Find {
    calls!(
        find,
        case,
        (&case.text, &case.needles),
        (case.text.len(), case.needles.len(), case.needles.iter().map(|needle| needle.len()).min()),
        rules::find(&case.text, &case.needles)
    );
}

/// Matrices to multiply.
pub struct Product {
    a: Matrix,
    b: Matrix,
    c: Matrix,
}

impl Product {
    pub fn new((a, b): (Matrix, Matrix)) -> Self {
        let c = Matrix::zeros(a.rows(), b.columns());
        Self { a, b, c }
    }
}

impl Case for Product {
    calls!(
        matmul,
        case,
        (&case.a, &case.b, &mut case.c),
        (case.a.rows(), case.a.columns(), case.b.columns()),
        rules::matmul(&case.a, &case.b)
    );
}

/// Rows to group.
pub struct Group {
    keys: Vec<u64>,
    values: Vec<u64>,
}

impl Group {
    pub fn new((keys, values): (Vec<u64>, Vec<u64>)) -> Self {
        Self { keys, values }
    }
}

impl Case for Group {
    calls!(
        group,
        case,
        (&case.keys, &case.values),
        {
            let keys = &case.keys;
            (keys.len(), distinct(keys), sortedness(keys), span(keys))
        },
        rules::group(&case.keys)
    );
}

/// Big integers to multiply.
pub struct BigProduct {
    a: Natural,
    b: Natural,
}

impl BigProduct {
    pub fn new((a, b): (Natural, Natural)) -> Self {
        Self { a, b }
    }
}

impl Case for BigProduct {
    calls!(
        big_product,
        case,
        (&case.a, &case.b),
        (case.a.digits(), case.b.digits()),
        rules::big_product(&case.a, &case.b)
    );
}

/// Bytes to compress.
pub struct Compress {
    data: Vec<u8>,
    least_ratio: f64,
}

impl Compress {
    pub fn new((data, least_ratio): (Vec<u8>, f64)) -> Self {
        Self { data, least_ratio }
    }
}

impl Case for Compress {
    calls!(
        compress,
        case,
        (&case.data, case.least_ratio),
        (case.data.len(), sampled_entropy(&case.data), trial_ratio(&case.data)),
        rules::compress(case.least_ratio)
    );
}

/// A signal to transform.
pub struct Transform {
    signal: Signal,
    transformed: Signal,
}

impl Transform {
    pub fn new(signal: Signal) -> Self {
        Self { transformed: signal.clone(), signal }
    }
}

impl Case for Transform {
    fn prepare(&mut self) {
        self.transformed.copy_from_slice(&self.signal);
    }

    calls!(
        transform,
        case,
        (&mut case.transformed),
        (case.signal.len(), case.signal.len().trailing_zeros(), largest_factor(case.signal.len())),
        rules::transform(&case.signal)
    );
}
