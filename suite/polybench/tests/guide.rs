//! What the guide shows of a nest is what the program prints.

use nitro_nest::{Integers, Mapping};
use nitro_polybench::solvers::bicg;

#[test]
fn the_guide_shows_what_becomes_of_the_nest() {
    let page = include_str!("../../../guide/src/nests.md");
    let dependences = bicg::nest().dependences().unwrap();
    let program = bicg::nest().map(&dependences, &Mapping::naive());
    for text in [dependences.to_string(), program.to_string(), program.cuda(Integers::Bits64)] {
        assert!(page.contains(text.trim()), "the guide lacks\n{text}");
    }
}
