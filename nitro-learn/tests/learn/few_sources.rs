//! What is said where there are too few sources to tell devices apart.

use nitro_learn::{FitOptions, fit};

use crate::synthetic::{Planted, recordings};

#[test]
fn it_is_said_that_two_sources_show_little() {
    let says = |devices| {
        let recordings = recordings(&Planted { devices, ..Planted::default() });
        let notes = fit(&recordings, &FitOptions::default()).unwrap().notes;
        notes.iter().any(|note| note.contains("cannot show which selector carries over"))
    };
    assert_eq!([1, 2, 3, 6].map(says), [true, true, false, false]);
}
