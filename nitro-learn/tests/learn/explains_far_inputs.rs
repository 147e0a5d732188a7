//! The smallest change that leads to another choice is found from wherever an input lies.

use nitro_learn::explain::{Change, Explanation, Question};
use nitro_learn::{FitOptions, fit};
use nitro_store::exchange::read_bytes;

/// What is changed where `few` is best below a length of 15 of 30, and `many` above.
fn change(length: f64) -> Change {
    let (mut measurements, mut inputs) =
        (String::from("device,input,variant,time_ns\n"), String::from("input,length\n"));
    for n in 1..=30 {
        inputs += &format!("{n},{n}\n");
        measurements += &format!("d,{n},few,{}\nd,{n},many,150\n", 10 * n);
    }
    let devices = b"device,threads\nd,2\n";
    let recordings = read_bytes("sort", measurements.as_bytes(), inputs.as_bytes(), devices).unwrap();
    let options = FitOptions { strategies: vec!["forest-none".parse().unwrap()], ..FitOptions::default() };
    let model = fit(&recordings, &options).unwrap().model;
    let explanation = Explanation::new(&Question {
        model: &model,
        function: None,
        given: &[("length".to_owned(), length)].into(),
        device: &recordings.devices[0],
        device_distance: None,
        recorded: None,
    });
    explanation.unwrap().changes.remove(0)
}

#[test]
fn from_inside_and_from_far_outside_to_the_same_place() {
    let near = change(29.0);
    assert!((14.0..=16.0).contains(&near.to) && near.variant.as_deref() == Some("few"), "{near:?}");
    for far in [31.0, 1e6, 1e30] {
        assert_eq!(change(far).to, near.to, "{far}");
    }
    let from_below = change(-1e30);
    assert!((14.0..=16.0).contains(&from_below.to) && from_below.variant.as_deref() == Some("many"));
}
