//! Methods with variants: in blocks of types, in traits and their implementations. A choice is made and run as one of
//! a function is.

mod macro_support;

use std::fmt::Debug;
use std::sync::LazyLock;

use nitro::{Reason, code_variants};

// --- an `impl` block with generics, a lifetime and a constant ---

/// Rows of numbers, borrowed.
#[derive(Clone)]
struct Rows<'a, T, const N: usize> {
    rows: &'a [[T; N]],
    scale: T,
}

/// A method's variants are methods of the block, functions beside it, and what their paths name.
#[code_variants]
impl<'a, T, const N: usize> Rows<'a, T, N>
where
    T: Copy + Debug + PartialOrd + Into<f64> + 'static,
{
    const FEW: usize = 2;

    /// The largest number.
    #[code_variant(
        features(rows = self.rows.len(), columns = N),
        variants(forwards, backwards if rows > Self::FEW && self.rows[0][0] >= floor, in_order, Self::twice),
        default = forwards,
        model = LARGEST.as_slice(),
    )]
    #[must_use]
    pub fn largest(&self, floor: T) -> (&'static str, T);

    fn forwards(&self, floor: T) -> (&'static str, T) {
        ("forwards", self.fold(floor))
    }

    fn backwards(&self, floor: T) -> (&'static str, T) {
        ("backwards", self.fold(floor))
    }

    /// The first row, or what is given.
    #[code_variant(variants(looked_up, or_else), default = looked_up, model = FIRST.as_slice())]
    fn first(&self, otherwise: &[T; N], also: &[T]) -> &[T; N];

    fn looked_up(&self, _: &[T; N], _: &[T]) -> &[T; N] {
        &self.rows[0]
    }

    fn or_else(&self, _: &[T; N], _: &[T]) -> &[T; N] {
        self.rows.last().unwrap()
    }

    /// Multiplies the scale.
    #[code_variant(
        features(count = self.rows.len(), factor = by),
        variants(
            at_once,
            by_steps { step: u32 in [1, 2], const LANES in [4, 8] } if factor > 1.0 && step as usize <= LANES,
        ),
        default = at_once,
        model = SCALED.as_slice(),
    )]
    fn scaled<F: Fn(T, f64) -> T>(&mut self, by: f64, multiply: F) -> Result<&mut Self, String>;

    fn at_once<F: Fn(T, f64) -> T>(&mut self, by: f64, multiply: F) -> Result<&mut Self, String> {
        self.scale = multiply(self.scale, by);
        Ok(self)
    }

    fn by_steps<F: Fn(T, f64) -> T, const LANES: usize>(
        &mut self,
        p: rows_scaled::BySteps,
        by: f64,
        multiply: F,
    ) -> Result<&mut Self, String> {
        (0..LANES as u32 / 4 * p.step).for_each(|_| self.scale = multiply(self.scale, by));
        Ok(self)
    }

    /// A function without a receiver.
    #[code_variant(variants(of_slice, of_pairs if rows.len() > 1), default = of_slice, model = NEW.as_slice())]
    fn new(rows: &'a [[T; N]], scale: T) -> Self;

    fn of_slice(rows: &'a [[T; N]], scale: T) -> Self {
        Self { rows, scale }
    }

    fn of_pairs(rows: &'a [[T; N]], scale: T) -> Self {
        Self { rows: &rows[..rows.len() / 2 * 2], scale }
    }

    /// By value.
    #[code_variant(name = "into_rows", variants(kept, boxed), default = boxed)]
    fn into_rows(self) -> Vec<[T; N]>;

    fn kept(self) -> Vec<[T; N]> {
        self.rows.to_vec()
    }

    fn boxed(self) -> Vec<[T; N]> {
        self.rows.into()
    }

    /// An argument of a type without a name.
    #[code_variant(variants(collected targets("x86_64+sse2")), default = collected)]
    fn with(self, others: impl IntoIterator<Item = T>) -> Vec<T>;

    fn collected(self, others: impl IntoIterator<Item = T>) -> Vec<T> {
        self.rows.iter().flatten().copied().chain(others).collect()
    }

    fn fold(&self, floor: T) -> T {
        self.rows.iter().flatten().fold(floor, |largest, &own| if own > largest { own } else { largest })
    }
}

impl<T: Copy + PartialOrd, const N: usize> Rows<'_, T, N> {
    fn twice(&self, floor: T) -> (&'static str, T) {
        ("twice", floor)
    }
}

fn in_order<T: Copy, const N: usize>(rows: &Rows<'_, T, N>, _: T) -> (&'static str, T) {
    ("in_order", rows.rows[0][0])
}

static LARGEST: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let name = "macro_methods::Rows::largest";
    macro_support::threshold(name, ["in_order", "backwards"], "rows", 1.5)
});
static FIRST: LazyLock<Vec<u8>> = LazyLock::new(|| {
    macro_support::constant("macro_methods::Rows::first", &["looked_up", "or_else"], "or_else")
});
static SCALED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let best = "by_steps{step=2,LANES=8}";
    macro_support::constant("macro_methods::Rows::scaled", &["at_once", best], best)
});
static NEW: LazyLock<Vec<u8>> = LazyLock::new(|| {
    macro_support::constant("macro_methods::Rows::new", &["of_slice", "of_pairs"], "of_pairs")
});

#[test]
fn a_method_runs_what_its_model_chooses() {
    let (one, many) = ([[1_u8, 9]], [[3_u8, 1], [2, 7], [0, 0]]);
    let (one, many) = (Rows { rows: &one, scale: 1 }, Rows { rows: &many, scale: 1 });
    assert_eq!(one.largest(0), ("in_order", 1));
    assert_eq!(many.largest(0), ("backwards", 7));
    assert_eq!(many.largest(4), ("in_order", 3), "the first number is below the floor");
    assert_eq!(many.largest_select(0).variant(), rows_largest::Variant::Backwards);
    let refused = many.largest_select(4);
    assert_eq!(refused.reason(), Reason::FirstChoiceInadmissible { first: "backwards" });
    assert!(!many.largest_admissible(rows_largest::Variant::Backwards, 4));
    assert_eq!(many.largest_call(rows_largest::Variant::Twice, 5), ("twice", 5));
    assert_eq!(many.largest_call(rows_largest::Variant::Backwards, 8), ("backwards", 8));
}

#[test]
fn a_methods_descriptor_is_one_for_all_types_of_its_block() {
    let function = Rows::<u8, 2>::largest_variants();
    assert!(std::ptr::eq(function, Rows::<f32, 3>::largest_variants()));
    assert!(std::ptr::eq(function, rows_largest::function()));
    assert_eq!(function.name(), "macro_methods::Rows::largest");
    assert_eq!(function.features(), ["rows", "columns"]);
    assert_eq!(rows_into_rows::function().name(), "into_rows");
    let constraint = function.variants()[1].constraint().expect("it has one");
    assert_eq!(constraint.text().replace(' ', ""), "rows>Self::FEW&&self.rows[0][0]>=floor");
    assert_eq!(constraint.admits(&[Some(1.0), None], nitro::Configuration::default()), None);
}

#[test]
fn a_result_borrows_from_the_receiver() {
    let numbers = [[1.5, 2.5], [3.5, 4.5]];
    let rows = Rows { rows: &numbers, scale: 1.0 };
    let last = rows.first(&[0.0, 0.0], &[]);
    assert_eq!(last, &[3.5, 4.5]);
    assert_eq!(rows.first_call(rows_first::Variant::LookedUp, last, last), &[1.5, 2.5]);
}

#[test]
fn a_method_with_parameters_and_generics_of_its_own_changes_its_receiver() {
    let mut rows = Rows { rows: &[[1.0]], scale: 1.0 };
    let multiply = |scale: f64, by: f64| scale * by;
    rows.scaled(2.0, multiply).unwrap();
    assert_eq!(rows.scale, 16.0, "two times two steps");
    rows.scaled(0.5, multiply).unwrap();
    assert_eq!(rows.scale, 8.0, "the constraint asks for more than one");
    let one = rows_scaled::BySteps { step: 1, LANES: 4 };
    rows.scaled_call(rows_scaled::Choice::BySteps(one), 2.0, multiply).unwrap();
    assert_eq!(rows.scale, 16.0);
    assert!(!rows.scaled_admissible(rows_scaled::Choice::BySteps(one), 1.0, multiply));
}

#[test]
fn a_function_without_a_receiver_makes_its_type() {
    let numbers = [[1], [2], [3]];
    assert_eq!(Rows::new(&numbers, 0_u8).rows.len(), 2);
    assert_eq!(Rows::new(&numbers[..1], 0_u8).rows.len(), 1);
    assert_eq!(Rows::<u8, 1>::new_select(&numbers, 0).reason(), Reason::Predicted);
    assert_eq!(Rows { rows: &numbers, scale: 0_u8 }.into_rows(), numbers);
    assert_eq!(Rows { rows: &numbers, scale: 0_u8 }.with(Some(4)), [1, 2, 3, 4]);
}

// --- a trait and its implementations ---

/// Sums of whatever has numbers.
#[code_variants]
trait Sums {
    /// The kind of a number.
    type Number: Copy + Into<f64>;

    /// The numbers.
    fn numbers(&self) -> &[Self::Number];

    /// One function for all that implement the trait.
    #[code_variant(
        features(length = self.numbers().len()),
        variants(in_order, backwards),
        default = in_order,
        model = SUM.as_slice(),
    )]
    fn sum(&self) -> (&'static str, f64);

    fn in_order(&self) -> (&'static str, f64) {
        ("in_order", self.numbers().iter().map(|&own| own.into()).sum())
    }

    fn backwards(&self) -> (&'static str, f64) {
        ("backwards", self.numbers().iter().rev().map(|&own| own.into()).sum())
    }

    /// Declared by the trait, with variants where it is implemented.
    fn largest(&self, floor: Self::Number) -> Option<Self::Number>;
}

static SUM: LazyLock<Vec<u8>> = LazyLock::new(|| {
    macro_support::threshold("macro_methods::Sums::sum", ["in_order", "backwards"], "length", 2.5)
});

/// Numbers that belong to it.
struct Owned<T>(Vec<T>);

#[code_variants]
impl<T: Copy + PartialOrd + Into<f64>> Sums for Owned<T> {
    type Number = T;

    fn numbers(&self) -> &[T] {
        &self.0
    }

    /// The visibility is that of its companions.
    #[code_variant(
        features(length = self.numbers().len()),
        variants(last, greatest_of if length > 1 && !Self::is_empty(self)),
        default = last,
        model = OWNED.as_slice(),
    )]
    pub(crate) fn largest(&self, floor: Self::Number) -> Option<Self::Number>;
}

impl<T: Copy> Owned<T> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn last<T: Copy>(numbers: &Owned<T>, _: T) -> Option<T> {
    numbers.0.last().copied()
}

fn greatest_of<T: Copy + PartialOrd>(numbers: &Owned<T>, floor: T) -> Option<T> {
    numbers.0.iter().copied().filter(|own| *own > floor).reduce(|a, b| if a > b { a } else { b })
}

static OWNED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    macro_support::constant("macro_methods::Owned::largest", &["last", "greatest_of"], "greatest_of")
});

impl Sums for [u8; 3] {
    type Number = u8;

    fn numbers(&self) -> &[u8] {
        self
    }

    fn largest(&self, _: u8) -> Option<u8> {
        None
    }
}

#[test]
fn a_method_of_a_trait_is_one_function_for_all_implementations() {
    assert_eq!([1, 2, 3].sum(), ("backwards", 6.0));
    assert_eq!(Owned(vec![1.5_f32, 2.0]).sum(), ("in_order", 3.5));
    let objects: [&dyn Sums<Number = u8>; 2] = [&[1, 2, 3], &Owned(vec![4, 5])];
    assert_eq!(objects.map(|own| own.sum().1), [6.0, 9.0]);
    assert_eq!(objects[0].sum_select().variant(), sums_sum::Variant::Backwards);
}

#[test]
fn an_implementation_of_a_trait_has_its_companions_on_its_type() {
    let numbers = Owned(vec![3_u8, 9, 4]);
    assert_eq!(numbers.largest(1), Some(9));
    assert_eq!(numbers.largest_select(1).reason(), Reason::Predicted);
    assert_eq!(numbers.largest_call(owned_largest::Variant::Last, 1), Some(4));
    assert_eq!(Owned(vec![3_u8]).largest(1), Some(3));
    assert_eq!(Owned::<u8>::largest_variants().name(), "macro_methods::Owned::largest");
}
