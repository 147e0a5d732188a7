//! The recordings that examples of the documentation are about.

use crate::exchange::read_bytes;
use crate::recordings::Recordings;

/// Returns recordings of a function `sort` with 30 inputs on two devices.
///
/// `stable` takes 10 ns a key, `unstable` 150 ns.
///
/// # Panics
///
/// Never: the tables are well-formed.
#[doc(hidden)]
#[must_use]
pub fn example() -> Recordings {
    let mut measurements = String::from("device,input,variant,time_ns\n");
    let mut inputs = String::from("input,length\n");
    for keys in 1..=30 {
        let side = if keys % 3 == 0 { "test" } else { "train" };
        inputs += &format!("{side}/{keys},{keys}\n");
        for device in ["small", "large"] {
            measurements += &format!("{device},{side}/{keys},stable,{}\n", 10 * keys);
            measurements += &format!("{device},{side}/{keys},unstable,150\n");
        }
    }
    let devices = b"device,threads\nsmall,2\nlarge,16\n";
    read_bytes("sort", measurements.as_bytes(), inputs.as_bytes(), devices)
        .expect("the tables are well-formed")
}
