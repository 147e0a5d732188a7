//! linfa-svm, the reference implementation in Rust, decides like our own solver: built with the Cargo feature `linfa`.

#![cfg(feature = "linfa")]

use nitro_learn::learners::svm::{BinarySolver, LinfaSvm, SamplesByClass, Smo, Stop};
use nitro_learn::space::{DeviceSpace, InputSpace};
use nitro_learn::task::Sample;

const POINTS: &str = include_str!("data/points.txt");
const TRAINING: usize = 250;

#[test]
fn predictions_agree_with_linfa() {
    let number = |word: &str| word.parse::<f64>().expect("the file has numbers only");
    let rows: Vec<Vec<f64>> =
        POINTS.lines().map(|line| line.split_whitespace().map(number).collect()).collect();
    let raw: Vec<&[f64]> = rows.iter().map(|row| &row[1..]).collect();
    let space = InputSpace::scaled(&raw);
    let samples = (0..TRAINING).map(|input| Sample { input, device: 0, class: rows[input][0] as usize });
    let set = SamplesByClass::new(samples);
    for (cost, gamma) in [(1.0, 0.1), (10.0, 0.5)] {
        let kernel = space.kernel(gamma);
        let predict = |solver: &dyn BinarySolver| -> Vec<usize> {
            let devices = DeviceSpace::none(1);
            let machine = set.train(solver, Stop::default(), &space, &devices, gamma, &[cost]).remove(0);
            let first =
                |input| machine.ranking(&machine.partial_sums(&set, &kernel, &[input], 1)[0], &[1.0])[0];
            (TRAINING..rows.len()).map(first).collect()
        };
        let (own, theirs) = (predict(&Smo), predict(&LinfaSvm));
        let same = own.iter().zip(&theirs).filter(|(own, theirs)| own == theirs).count();
        assert!(
            same * 100 >= 98 * own.len(),
            "C {cost}, gamma {gamma}: {same} of {} points agree",
            own.len()
        );
    }
}
