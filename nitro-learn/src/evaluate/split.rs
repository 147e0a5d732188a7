//! Training and test inputs.

use std::collections::{BTreeMap, BTreeSet};

use nitro_store::recordings::{Recordings, is_test};

use super::error::EvaluateError;

/// Positions of training and test inputs in the recordings, ascending.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_learn::evaluate::Split;
///
/// let by_name = Split::by_name(&recordings); // `train/1`, `train/2`, `test/3`, ..
/// assert_eq!((by_name.train.len(), by_name.test.len()), (20, 10));
/// let one_test = Split::from_lists(&recordings, None, Some(&["train/1".to_owned()]))?;
/// assert_eq!((one_test.train.len(), one_test.test), (29, vec![0]));
/// assert!(Split::from_lists(&recordings, Some(&["train/99".to_owned()]), None).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// Inputs that selectors learn from.
    pub train: Vec<usize>,
    /// Inputs that selectors are judged by.
    pub test: Vec<usize>,
}

impl Split {
    /// The split that names decide: `train/…` and `test/…` say it themselves; any other input goes by its group,
    /// the name up to the last `/`, of which a fixed hash sends about one in three to the test side.
    /// Near-duplicates, which share a group, are never torn apart.
    pub fn by_name(recordings: &Recordings) -> Self {
        let (test, train) =
            (0..recordings.inputs.len()).partition(|&input| is_test(&recordings.inputs[input].name));
        Self { train, test }
    }

    /// The split that lists of names decide. With one list alone the other side is the rest; with none
    /// [`by_name`](Self::by_name).
    ///
    /// # Errors
    ///
    /// When a list names an unknown input or both name the same one.
    pub fn from_lists(
        recordings: &Recordings,
        train: Option<&[String]>,
        test: Option<&[String]>,
    ) -> Result<Self, EvaluateError> {
        let train = train.map(|names| positions(recordings, "training", names)).transpose()?;
        let test = test.map(|names| positions(recordings, "test", names)).transpose()?;
        let all: BTreeSet<usize> = (0..recordings.inputs.len()).collect();
        let (train, test) = match (train, test) {
            (None, None) => return Ok(Self::by_name(recordings)),
            (Some(train), None) => (train.clone(), &all - &train),
            (None, Some(test)) => (&all - &test, test),
            (Some(train), Some(test)) => (train, test),
        };
        if let Some(&input) = train.intersection(&test).next() {
            let input = recordings.inputs[input].name.clone();
            return Err(EvaluateError::Overlap { function: recordings.function.clone(), input });
        }
        Ok(Self { train: train.into_iter().collect(), test: test.into_iter().collect() })
    }

    pub(super) fn check(&self, recordings: &Recordings) -> Result<(), EvaluateError> {
        for (side, inputs) in [("training", &self.train), ("test", &self.test)] {
            if inputs.is_empty() {
                let function = recordings.function.clone();
                return Err(EvaluateError::EmptySide { function, side, inputs: recordings.inputs.len() });
            }
        }
        Ok(())
    }
}

fn positions(
    recordings: &Recordings,
    side: &'static str,
    names: &[String],
) -> Result<BTreeSet<usize>, EvaluateError> {
    let known: BTreeMap<&str, usize> =
        recordings.inputs.iter().enumerate().map(|(at, input)| (input.name.as_str(), at)).collect();
    let mut positions = BTreeSet::new();
    for name in names {
        let Some(&position) = known.get(name.as_str()) else {
            let function = recordings.function.clone();
            return Err(EvaluateError::UnknownInput { function, side, input: name.clone() });
        };
        positions.insert(position);
    }
    Ok(positions)
}

#[cfg(test)]
mod tests {
    use nitro_store::recordings::Input;

    use super::*;

    fn recordings(names: &[&str]) -> Recordings {
        let input = |name: &&str| Input { name: name.to_string(), features: vec![] };
        Recordings { inputs: names.iter().map(input).collect(), ..Recordings::default() }
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| name.to_string()).collect()
    }

    #[test]
    fn names_say_their_side_and_groups_stay_whole() {
        let many: Vec<String> = (0..300).flat_map(|g| ["x", "y"].map(|n| format!("group{g}/{n}"))).collect();
        let mut all: Vec<&str> = many.iter().map(String::as_str).collect();
        all.extend(["train/a", "test/b", "train/sub/c"]);
        let recordings = recordings(&all);
        let split = Split::by_name(&recordings);
        assert!((150..250).contains(&split.test.len()), "{}", split.test.len());
        for pair in 0..300 {
            assert_eq!(split.test.contains(&(2 * pair)), split.test.contains(&(2 * pair + 1)));
        }
        assert!(split.train.contains(&600) && split.test.contains(&601) && split.train.contains(&602));
        assert_eq!(split.train.len() + split.test.len(), all.len());
    }

    #[test]
    fn lists_decide_and_one_alone_leaves_the_rest() {
        let recordings = recordings(&["a", "b", "c"]);
        let split = Split::from_lists(&recordings, Some(&names(&["c"])), None).unwrap();
        assert_eq!((split.train, split.test), (vec![2], vec![0, 1]));
        let split = Split::from_lists(&recordings, None, Some(&names(&["c", "a"]))).unwrap();
        assert_eq!((split.train, split.test), (vec![1], vec![0, 2]));
        let error = Split::from_lists(&recordings, Some(&names(&["a"])), Some(&names(&["a"]))).unwrap_err();
        assert!(matches!(error, EvaluateError::Overlap { input, .. } if input == "a"));
        let error = Split::from_lists(&recordings, None, Some(&names(&["z"]))).unwrap_err();
        assert!(matches!(error, EvaluateError::UnknownInput { input, side: "test", .. } if input == "z"));
    }
}
