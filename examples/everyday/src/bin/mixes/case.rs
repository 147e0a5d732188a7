//! One input of a mix, with everything that a call of its function needs.

use nitro::{CodeVariant, Function};
use nitro_everyday::inputs::find::Search;
use nitro_everyday::{Matrix, find, matmul, sampled_bits, sampled_descents, sampled_repeats, sort};

/// What takes its turn on every input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contender {
    /// The function as an application calls it.
    Dispatched,
    /// The features alone, all that the function has.
    Features,
    /// The variant of this index, called directly.
    Variant(usize),
}

/// An input.
pub trait Case {
    /// Restores what a call changes.
    fn prepare(&mut self) {}
    /// Makes one call.
    fn call(&mut self, contender: Contender);
    /// The function that is called.
    fn function(&self) -> &'static Function;
    /// Whether the variant may run.
    fn admits(&mut self, variant: usize) -> bool;
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
    ($function:ident, $case:ident, ($($argument:expr),*), $features:expr) => {
        fn call(&mut self, contender: Contender) {
            let $case = self;
            match contender {
                Contender::Dispatched => used($function($($argument),*)),
                Contender::Features => $features,
                Contender::Variant(index) => used($function::call($function::Variant::ALL[index], $($argument),*)),
            }
        }

        fn function(&self) -> &'static Function {
            $function::function()
        }

        fn admits(&mut self, variant: usize) -> bool {
            let $case = self;
            $function::admissible($function::Variant::ALL[variant], $($argument),*)
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

    calls!(sort, case, (&mut case.sorted), {
        let keys = &case.sorted;
        used((keys.len(), sampled_descents(keys), sampled_repeats(keys), sampled_bits(keys)));
    });
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
    calls!(find, case, (&case.text, &case.needles), {
        let shortest = case.needles.iter().map(|needle| needle.len()).min();
        used((case.text.len(), case.needles.len(), shortest));
    });
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
    calls!(matmul, case, (&case.a, &case.b, &mut case.c), {
        used((case.a.rows(), case.a.columns(), case.b.columns()));
    });
}
