//! Measures the variants of `intersect` and learns to choose between them.

use std::process::ExitCode;

use nitro_train::{BoxError, Session, Trainer, Tunable};
use sets::{intersect, random_list};

fn main() -> ExitCode {
    Trainer::new().tunable(Tunable::new(intersect::function(), record).generated_inputs(names())).main()
}

/// An input is written `LENGTH-RATIO-GAP`: a list, one that is shorter by the ratio, and the mean gap of the longer
/// one's numbers.
fn names() -> Vec<String> {
    let mut names = Vec::new();
    for length in [100, 1_000, 10_000, 100_000, 500_000] {
        for ratio in [1, 2, 6, 20, 100] {
            for gap in [2, 10, 50, 300, 2_000] {
                // Every third is held back: nothing is learned from it, and `evaluate` judges by it.
                let part = if names.len() % 3 == 2 { "test" } else { "train" };
                names.push(format!("{part}/{length}-{ratio}-{gap}"));
            }
        }
    }
    names
}

fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let numbers = name.split(['/', '-']).skip(1).map(str::parse).collect::<Result<Vec<u32>, _>>()?;
        let [length, ratio, gap] = numbers[..] else {
            return Err(format!("{name} is not LENGTH-RATIO-GAP").into());
        };
        let longer = random_list(length as usize, gap, 1);
        let shorter = random_list((length / ratio) as usize, gap * ratio, 2);
        session.checked_input(name, || intersect(&longer, &shorter), |expected, found| expected == found)?;
    }
    Ok(())
}
