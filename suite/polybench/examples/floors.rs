//! Prints how near the fastest of what was measured on an H200 is to the floor of its nest.
//!
//! `cargo run -p nitro-polybench --features search --example floors`; it ends with an error where a time is under its
//! floor

use nitro_polybench::floors::{held, table};

fn main() {
    let held = held();
    print!("{}", table(&held));
    assert!(held.iter().all(|own| own.under().is_empty()), "a time is under its floor");
}
