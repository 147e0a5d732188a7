//! Dependences are those that all instances of small sizes have, exactly, and what is made by them computes the same.

mod drawn;
mod kernels;
mod oracle;
mod queries;

use drawn::drawn;

#[test]
fn of_drawn_nests_they_are_those_of_all_instances() {
    let sizes: Vec<Vec<i64>> = (0..=14).map(|n| vec![n]).collect();
    let mut count = 0;
    for seed in 0..150 {
        let nest = drawn(seed);
        let dependences = nest.dependences().unwrap();
        oracle::assert_are_those_of(&nest, &dependences, &sizes);
        count += dependences.all().len();
    }
    assert!(count > 300, "{count}: the nests drawn have dependences to find");
}
