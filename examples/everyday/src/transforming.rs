//! Fourier transforms.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::thread::LocalKey;

use nitro::code_variant;
use rustfft::algorithm::BluesteinsAlgorithm;
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner, FftPlannerScalar};

/// Transforms a signal in place to its frequencies, without scaling. Variants round differently.
///
/// Each thread keeps the plans of the lengths that it has met, as an application does.
///
/// ```
/// use rustfft::num_complex::Complex;
///
/// let mut signal = [Complex::new(1.0, 0.0), Complex::new(3.0, 0.0)];
/// nitro_everyday::transform(&mut signal);
/// assert_eq!(signal, [Complex::new(4.0, 0.0), Complex::new(-2.0, 0.0)]);
/// ```
#[code_variant(
    name = "everyday::transform",
    features(
        length = signal.len(),
        halvings = signal.len().trailing_zeros(),
        largest_factor = largest_factor(signal.len()),
    ),
    variants(
        planned,
        scalar,
        bluestein,
        fixed if length.is_power_of_two() && (2..=MOST_FIXED).contains(&length),
    ),
    default = planned,
    model = nitro::embedded_model!("models/everyday.transform.model"),
)]
pub fn transform(signal: &mut [Complex<f32>]);

/// The longest transform of `microfft` as it comes.
const MOST_FIXED: usize = 4_096;

/// Returns the largest prime factor of a length; 1 where there is none.
///
/// ```
/// assert_eq!([1, 8, 12, 97, 2 * 97].map(nitro_everyday::largest_factor), [1, 2, 3, 97, 97]);
/// ```
#[must_use]
pub fn largest_factor(length: usize) -> usize {
    let (mut rest, mut largest, mut factor) = (length, 1, 2);
    while factor * factor <= rest {
        if rest.is_multiple_of(factor) {
            rest /= factor;
            largest = factor;
        } else {
            factor += if factor == 2 { 1 } else { 2 };
        }
    }
    largest.max(rest)
}

/// Returns how far two signals are apart, as a share of the first; infinite where their lengths differ.
///
/// ```
/// use rustfft::num_complex::Complex;
///
/// let signal = [Complex::new(2.0, 0.0)];
/// assert_eq!(nitro_everyday::difference(&signal, &[Complex::new(2.0, 1.0)]), 0.5);
/// ```
#[must_use]
pub fn difference(expected: &[Complex<f32>], found: &[Complex<f32>]) -> f32 {
    if expected.len() != found.len() {
        return f32::INFINITY;
    }
    let size: f32 = expected.iter().map(Complex::norm_sqr).sum();
    let apart: f32 = expected.iter().zip(found).map(|(one, other)| (one - other).norm_sqr()).sum();
    if apart == 0.0 { 0.0 } else { (apart / size).sqrt() }
}

/// A plan and the memory that it needs.
struct Plan {
    fft: Arc<dyn Fft<f32>>,
    scratch: Vec<Complex<f32>>,
}

/// Plans by length.
type Plans = RefCell<HashMap<usize, Plan>>;

thread_local! {
    static PLANNED: Plans = RefCell::default();
    static SCALAR: Plans = RefCell::default();
    static BLUESTEIN: Plans = RefCell::default();
}

fn by_plan(
    plans: &'static LocalKey<Plans>,
    make: fn(usize) -> Arc<dyn Fft<f32>>,
    signal: &mut [Complex<f32>],
) {
    if signal.is_empty() {
        return;
    }
    plans.with_borrow_mut(|plans| {
        let plan = plans.entry(signal.len()).or_insert_with(|| {
            let fft = make(signal.len());
            Plan { scratch: vec![Complex::default(); fft.get_inplace_scratch_len()], fft }
        });
        plan.fft.process_with_scratch(signal, &mut plan.scratch);
    });
}

/// By the plan that `rustfft` makes for this processor.
fn planned(signal: &mut [Complex<f32>]) {
    by_plan(&PLANNED, |length| FftPlanner::new().plan_fft_forward(length), signal);
}

/// By its plan without vector instructions.
fn scalar(signal: &mut [Complex<f32>]) {
    by_plan(&SCALAR, |length| FftPlannerScalar::new().plan_fft_forward(length), signal);
}

/// As a convolution of a power of two, whatever the length.
fn bluestein(signal: &mut [Complex<f32>]) {
    let make = |length: usize| -> Arc<dyn Fft<f32>> {
        let inner = FftPlanner::new().plan_fft_forward((2 * length).next_power_of_two());
        Arc::new(BluesteinsAlgorithm::new(length, inner))
    };
    by_plan(&BLUESTEIN, make, signal);
}

/// By code of one length, with a table of sines compiled in (`microfft`).
fn fixed(signal: &mut [Complex<f32>]) {
    macro_rules! of_length {
        ($($length:literal $transform:ident),*) => {
            match signal.len() {
                $($length => {
                    let signal: &mut [_; $length] = signal.try_into().expect("it has this length");
                    let _ = microfft::complex::$transform(signal); // the same place
                })*
                _ => planned(signal),
            }
        };
    }
    of_length!(
        2 cfft_2, 4 cfft_4, 8 cfft_8, 16 cfft_16, 32 cfft_32, 64 cfft_64, 128 cfft_128, 256 cfft_256, 512 cfft_512,
        1024 cfft_1024, 2048 cfft_2048, 4096 cfft_4096
    );
}
