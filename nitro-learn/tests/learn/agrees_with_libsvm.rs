//! Predictions on a committed data set are those of LIBSVM; `data/make.py` says how both files were made.

use nitro_learn::learners::svm::{SamplesByClass, Smo, Stop};
use nitro_learn::space::{DeviceSpace, InputSpace};
use nitro_learn::task::Sample;

const POINTS: &str = include_str!("data/points.txt");
const EXPECTED: &str = include_str!("data/expected.txt");
const TRAINING: usize = 250;

fn numbers(line: &str) -> Vec<f64> {
    line.split_whitespace().map(|word| word.parse().expect("the file has numbers only")).collect()
}

#[test]
fn predictions_agree_with_libsvm() {
    let rows: Vec<Vec<f64>> = POINTS.lines().map(numbers).collect();
    let raw: Vec<&[f64]> = rows.iter().map(|row| &row[1..]).collect();
    // Every point is an input of the space, so that the kernel covers test points too. The columns span about [-1, 1]
    // already; scaling them again would train on other points than LIBSVM's.
    let space = InputSpace::scaled(&raw);
    let samples = (0..TRAINING).map(|input| Sample { input, device: 0, class: rows[input][0] as usize });
    let set = SamplesByClass::new(samples);
    for line in EXPECTED.lines() {
        let line = numbers(line);
        let (cost, gamma, expected) = (line[0], line[1], &line[2..]);
        let machine =
            set.train(&Smo, Stop::default(), &space, &DeviceSpace::none(1), gamma, &[cost]).remove(0);
        let kernel = space.kernel(gamma);
        let predict =
            |input: usize| machine.ranking(&machine.partial_sums(&set, &kernel, &[input], 1)[0], &[1.0])[0];
        let same =
            (TRAINING..rows.len()).zip(expected).filter(|(input, label)| predict(*input) == **label as usize);
        let (same, points) = (same.count(), expected.len());
        assert_eq!(points, rows.len() - TRAINING);
        assert!(same * 100 >= 98 * points, "C {cost}, gamma {gamma}: {same} of {points} points agree");
    }
}
