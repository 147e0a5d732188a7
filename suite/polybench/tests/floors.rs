//! No time that was measured is under the floor of its nest, and some are near it.

use nitro_nest::Storage;
use nitro_polybench::floors::{floor, held, shipped_rates};
use nitro_polybench::{kernels_beyond, sizes};

#[test]
fn no_measured_time_of_a_nest_is_under_its_floor() {
    let held = held();
    assert_eq!(held.len(), 34, "17 nests at two sizes");
    let mut near = 0;
    for own in &held {
        let fastest = own.floor.check(own.best_ns(), || format!("the best of {}", own.times_ns.len()));
        assert_eq!(fastest, Ok(()), "{} {}", own.nest, own.size);
        near += usize::from(own.floor.share(own.best_ns()) > 0.7);
    }
    assert!(near >= 5, "{near} are near: else the floors say little");
}

#[test]
fn a_wrong_rate_is_found_out() {
    let mut rates = shipped_rates();
    rates.dram_gbps /= 2.0;
    let is_under = |own: &nitro_polybench::floors::Held| {
        let nests = nitro_polybench::kernels().map(|kernel| (kernel.nest)());
        let nest = nests.iter().find(|nest| nest.name().replace('_', "-") == own.nest);
        let floor = nest.and_then(|nest| floor(nest, own.size, &rates));
        floor.is_some_and(|floor| floor.check(own.best_ns(), String::new).is_err())
    };
    assert!(held().iter().any(is_under));
}

/// Elements of all arrays once, and again where they are written: a nest moves no more at least, and each of these
/// moves most of that.
#[test]
fn every_nest_beside_the_suite_has_to_move_most_of_its_arrays() {
    for kernel in kernels_beyond() {
        let nest = (kernel.nest)();
        let sizes = sizes(nest.name(), "large").unwrap();
        let (work, shapes) =
            (nest.least_work(&sizes).unwrap(), nitro_nest::Data::<f32>::shapes_of(&nest, &sizes).unwrap());
        let mut all = 0.0;
        for (array, shape) in nest.arrays().iter().zip(&shapes) {
            assert_eq!(array.storage, Storage::Number);
            all += 4.0 * shape.iter().product::<i64>() as f64 * if array.is_written { 2.0 } else { 1.0 };
        }
        let least = work.read_bytes + work.written_bytes;
        println!("{}: {least:.3e} of {all:.3e} bytes, {:.3e} instructions", nest.name(), work.instructions);
        assert!(least <= all && least > 0.3 * all, "{}: {least} of {all}", nest.name());
    }
}
