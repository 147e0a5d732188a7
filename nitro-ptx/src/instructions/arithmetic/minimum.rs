//! Minimum and maximum of floats ("Floating Point Instructions: min, max").

use super::round::mode;

/// The smaller one, as the modifiers of an opcode say.
pub(in crate::instructions) fn least(a: f64, b: f64, mode: u64) -> f64 {
    signed(a, b, mode, smaller)
}

/// The larger one.
pub(in crate::instructions) fn greatest(a: f64, b: f64, mode: u64) -> f64 {
    signed(a, b, mode, |a, b, mode| -smaller(-a, -b, mode))
}

/// A choice among magnitudes, with the sign of a product, if the modifiers say so.
fn signed(a: f64, b: f64, mode: u64, choose: impl Fn(f64, f64, u64) -> f64) -> f64 {
    if mode & mode::MAGNITUDE == 0 {
        return choose(a, b, mode);
    }
    // `.xorsign` is allowed with `.abs` alone ("min", "max").
    let is_negative = mode & mode::SIGN != 0 && a.is_sign_negative() != b.is_sign_negative();
    let chosen = choose(a.abs(), b.abs(), mode);
    if is_negative { -chosen } else { chosen }
}

/// The smaller one; negative zero is smaller than zero, and what is no number gives way to one that is.
fn smaller(a: f64, b: f64, mode: u64) -> f64 {
    let none_wins = mode & mode::NAN != 0;
    match (a.is_nan(), b.is_nan()) {
        (true, true) => f64::NAN,
        (true, false) | (false, true) if none_wins => f64::NAN,
        (true, false) => b,
        (false, true) => a,
        _ if a == b => {
            if a.is_sign_negative() {
                a
            } else {
                b
            }
        }
        _ => a.min(b),
    }
}
