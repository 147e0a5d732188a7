//! Performance of every choice as a share of the best one: the common currency of training and evaluation.

use std::borrow::Cow;

use nitro_core::MAX_VARIANTS;
use nitro_store::recordings::{DOUBTFUL_LOAD, Outcome, Recordings};

use super::classes::Classes;
use super::error::LearnError;
use crate::selection::choose;

/// The most combinations of device, input and choice: 32 bytes each, 2 GiB.
const MAX_CELLS: usize = 1 << 26;

/// One number for each (device, input, class): time of the best of that input on that device divided by the time of
/// this one.
///
/// A variant that failed or answered wrong has 0. A variant that is inadmissible there has none and is passed over,
/// as at run time; so is one that has no measurement on the whole device, where it does not exist.
#[derive(Clone, Debug)]
pub struct PerformanceTable {
    inputs: usize,
    classes: Classes,
    shares: Vec<Option<f64>>,
    /// The best class a (device, input), or why there is none.
    best: Vec<Best>,
    /// The time of the best class a (device, input), infinite where there is none.
    best_ns: Vec<f64>,
    /// The weight of a (device, input) beside those that were measured in quiet, above 0 up to 1; none where all count
    /// alike.
    certainties: Option<Vec<f64>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Best {
    Class(usize),
    Incomplete,
    NoSuccess,
}

impl Best {
    /// The first of the fastest by shares that are all there are.
    fn of(shares: &[Option<f64>]) -> Self {
        let fastest = shares.iter().copied().flatten().fold(0.0, f64::max);
        match shares.iter().position(|share| *share == Some(fastest)) {
            Some(class) if fastest > 0.0 => Self::Class(class),
            _ => Self::NoSuccess,
        }
    }
}

impl PerformanceTable {
    /// Reads the measurements.
    ///
    /// # Errors
    ///
    /// When there are more variants than a selection tells apart, or more combinations of device, input and variant
    /// than fit into memory: a few measurements may name many of each.
    pub fn new(recordings: &Recordings) -> Result<Self, LearnError> {
        let (inputs, classes) = (recordings.inputs.len(), Classes::of(recordings));
        let count = classes.count();
        check_size(recordings, count)?;
        let outcomes = best_outcomes(recordings, &classes);
        let mut table = Self {
            inputs,
            classes,
            shares: Vec::with_capacity(outcomes.len()),
            best: Vec::new(),
            best_ns: Vec::new(),
            certainties: None,
        };
        if count > 0 && inputs > 0 {
            for device in outcomes.chunks(inputs * count) {
                let exists: Vec<bool> = (0..count)
                    .map(|class| device.iter().skip(class).step_by(count).any(Option::is_some))
                    .collect();
                device.chunks(count).for_each(|outcomes| table.push(outcomes, &exists));
            }
        }
        Ok(table)
    }

    /// The table of some of the classes alone, by index. Shares are of the best of all classes still.
    pub fn only(&self, classes: &[usize]) -> Self {
        let mut only = Self {
            inputs: self.inputs,
            classes: self.classes.only(classes),
            shares: Vec::new(),
            best: Vec::new(),
            best_ns: self.best_ns.clone(),
            certainties: self.certainties.clone(),
        };
        for (all, best) in self.shares.chunks(self.classes.count().max(1)).zip(&self.best) {
            let shares: Vec<Option<f64>> = classes.iter().map(|&class| all[class]).collect();
            only.best.push(if *best == Best::Incomplete { Best::Incomplete } else { Best::of(&shares) });
            only.shares.extend(shares);
        }
        only
    }

    /// Shares of the best variant's speed, one a class; `None` where the input was not measured completely on the
    /// device or no variant succeeded.
    pub fn shares(&self, device: usize, input: usize) -> Option<&[Option<f64>]> {
        self.best(device, input).map(|_| self.row(device, input))
    }

    fn row(&self, device: usize, input: usize) -> &[Option<f64>] {
        let count = self.classes.count();
        let start = (device * self.inputs + input) * count;
        &self.shares[start..start + count]
    }

    /// Shares of the speed of the best of those variants that were measured, one a class, of an input that need not be
    /// measured completely; `None` where no variant was measured with success.
    pub fn known_shares(&self, device: usize, input: usize) -> Option<&[Option<f64>]> {
        self.best_ns(device, input).is_finite().then(|| self.row(device, input))
    }

    /// The fastest class; of equally fast ones the first.
    pub fn best(&self, device: usize, input: usize) -> Option<usize> {
        match self.best[device * self.inputs + input] {
            Best::Class(class) => Some(class),
            Best::Incomplete | Best::NoSuccess => None,
        }
    }

    /// The time of the best class of all, in nanoseconds; infinite where nothing succeeded.
    pub fn best_ns(&self, device: usize, input: usize) -> f64 {
        self.best_ns[device * self.inputs + input]
    }

    /// Returns true if the input was measured completely on the device, with or without success.
    pub fn is_measured(&self, device: usize, input: usize) -> bool {
        self.best[device * self.inputs + input] != Best::Incomplete
    }

    /// Returns the table as it is to be learned from: what was measured under load says so much less certainly that
    /// one variant is slower than another. The share by which each is slower counts in inverse proportion to the
    /// load; variants that failed have failed. Where all was measured under load, what was so under the least
    /// counts whole.
    ///
    /// ```text
    /// share of speed, as measured   counted at twice the load that is doubtful   at five times
    /// 1.0, 0.4, failed              1.0, 0.7, failed                             1.0, 0.88, failed
    /// ```
    pub fn by_certainty(&self, recordings: &Recordings) -> Cow<'_, Self> {
        let Some(certainties) = self.certainties(recordings) else { return Cow::Borrowed(self) };
        let mut certain = self.clone();
        let rows = certain.shares.chunks_mut(self.classes.count().max(1));
        for (shares, certainty) in rows.zip(&certainties) {
            for share in shares.iter_mut().flatten().filter(|share| **share > 0.0) {
                *share = 1.0 - certainty * (1.0 - *share);
            }
        }
        certain.certainties = Some(certainties);
        Cow::Owned(certain)
    }

    /// Returns what each (device, input) counts; none where no time is doubtful.
    fn certainties(&self, recordings: &Recordings) -> Option<Vec<f64>> {
        let mut certainties = vec![1.0_f64; self.best.len()];
        for one in &recordings.measurements {
            let Some(load) = one.doubtful_load() else { continue };
            let certainty = &mut certainties[one.device * self.inputs + one.input];
            *certainty = certainty.min(DOUBTFUL_LOAD / load);
        }
        let measured = certainties.iter().zip(&self.best).filter(|(_, best)| **best != Best::Incomplete);
        let most = measured.map(|(certainty, _)| *certainty).fold(0.0, f64::max);
        if most <= 0.0 || certainties.iter().all(|certainty| *certainty == 1.0) {
            return None;
        }
        certainties.iter_mut().for_each(|certainty| *certainty = (*certainty / most).min(1.0));
        Some(certainties)
    }

    /// Returns what an input counts on a device, above 0 up to 1.
    pub fn certainty(&self, device: usize, input: usize) -> f64 {
        self.certainties.as_ref().map_or(1.0, |certainties| certainties[device * self.inputs + input])
    }

    /// Returns true where some measurements count less than others.
    pub fn has_doubts(&self) -> bool {
        self.certainties.is_some()
    }

    /// Returns the table without the inputs that were measured under load, each on the devices where it was.
    pub fn without_doubtful(mut self, recordings: &Recordings) -> Self {
        for (device, input) in recordings.doubtful() {
            self.best[device * self.inputs + input] = Best::Incomplete;
        }
        self
    }

    /// Returns the classes that are told apart.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    fn push(&mut self, outcomes: &[Option<Outcome>], exists: &[bool]) {
        let times: Vec<Option<f64>> =
            outcomes.iter().map(|outcome| outcome.and_then(Outcome::time_ns)).collect();
        let fastest = times.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let complete = outcomes.iter().zip(exists).all(|(outcome, exists)| outcome.is_some() || !exists);
        self.best_ns.push(fastest);
        self.best.push(match times.iter().position(|time| *time == Some(fastest)) {
            _ if !complete || !exists.contains(&true) => Best::Incomplete,
            Some(class) => Best::Class(class),
            None => Best::NoSuccess,
        });
        self.shares.extend(outcomes.iter().map(|outcome| match outcome {
            Some(Outcome::Time(time)) => Some(share(fastest, *time)),
            Some(Outcome::Failed | Outcome::Wrong) => Some(0.0),
            Some(Outcome::Inadmissible) | None => None,
        }));
    }
}

fn check_size(recordings: &Recordings, choices: usize) -> Result<(), LearnError> {
    let (devices, inputs, variants) =
        (recordings.devices.len(), recordings.inputs.len(), recordings.variants.len());
    let function = recordings.function.clone();
    if variants > MAX_VARIANTS {
        return Err(LearnError::TooManyVariants { function, variants });
    }
    match devices.checked_mul(inputs).and_then(|pairs| pairs.checked_mul(choices)) {
        Some(cells) if cells <= MAX_CELLS => Ok(()),
        _ => Err(LearnError::TooLarge { function, devices, inputs, choices }),
    }
}

/// The share of what a ranking, and where nothing of it may run a fallback, chooses; 0 if that is nothing. `shares`
/// are those of an input on a device: what has one may run there.
pub fn share_of_choice(
    shares: &[Option<f64>],
    ranking: impl IntoIterator<Item = usize>,
    fallback: impl IntoIterator<Item = usize>,
) -> f64 {
    let choice = choose(ranking, fallback, |class| shares[class].is_some());
    choice.and_then(|class| shares[class]).unwrap_or(0.0)
}

/// A clock too coarse for the work may read 0 twice; such classes are equally fast.
fn share(fastest: f64, time: f64) -> f64 {
    if time <= fastest { 1.0 } else { fastest / time }
}

/// The best outcome of any measurement a (device, input, class).
fn best_outcomes(recordings: &Recordings, classes: &Classes) -> Vec<Option<Outcome>> {
    let (inputs, count) = (recordings.inputs.len(), classes.count());
    let mut outcomes = vec![None; recordings.devices.len() * inputs * count];
    for row in &recordings.measurements {
        let Some(class) = classes.of_measurement(row) else { continue };
        let slot = &mut outcomes[(row.device * inputs + row.input) * count + class];
        *slot = Some(slot.map_or(row.outcome, |old| better(old, row.outcome)));
    }
    outcomes
}

fn better(a: Outcome, b: Outcome) -> Outcome {
    if preference(b) < preference(a) { b } else { a }
}

/// Returns a key that is the smaller the more is known of a choice.
fn preference(outcome: Outcome) -> (u8, f64) {
    match outcome {
        Outcome::Time(ns) => (0, ns),
        Outcome::Inadmissible => (1, 0.0),
        Outcome::Failed => (2, 0.0),
        Outcome::Wrong => (3, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use nitro_store::recordings::{DeviceRecord, Input, Measurement};

    use super::*;

    fn recordings(rows: &[(usize, usize, &str, Outcome)]) -> Recordings {
        let measurement =
            |&(input, variant, configuration, outcome): &(usize, usize, &str, Outcome)| Measurement {
                device: 0,
                input,
                variant,
                configuration: configuration.into(),
                outcome,
                spread_ns: 0.0,
                repeats: 1,
                load: None,
                reason: String::new(),
            };
        Recordings {
            variants: vec!["a".into(), "b".into(), "c".into()],
            inputs: (0..3).map(|i| Input { name: format!("g/{i}"), features: vec![] }).collect(),
            devices: vec![DeviceRecord { id: "d".into(), features: Default::default() }],
            measurements: rows.iter().map(measurement).collect(),
            ..Recordings::default()
        }
    }

    #[test]
    fn shares_are_of_the_fastest_and_failures_are_zero() {
        let table = PerformanceTable::new(&recordings(&[
            (0, 0, "", Outcome::Time(40.0)),
            (0, 1, "", Outcome::Time(10.0)),
            (0, 2, "", Outcome::Wrong),
            (1, 0, "", Outcome::Time(40.0)),
            (1, 1, "", Outcome::Inadmissible),
            (1, 2, "", Outcome::Failed),
        ]))
        .unwrap();
        assert_eq!(table.shares(0, 0), Some(&[Some(0.25), Some(1.0), Some(0.0)][..]));
        assert_eq!(table.shares(0, 1), Some(&[Some(1.0), None, Some(0.0)][..]));
        assert_eq!((table.best(0, 0), table.best(0, 1), table.best(0, 2)), (Some(1), Some(0), None));
    }

    #[test]
    fn an_input_measured_in_part_is_left_out() {
        let table = PerformanceTable::new(&recordings(&[
            (0, 0, "", Outcome::Time(40.0)),
            (0, 1, "", Outcome::Time(10.0)),
            (1, 0, "", Outcome::Time(40.0)),
            (2, 0, "", Outcome::Failed),
            (2, 1, "", Outcome::Failed),
        ]))
        .unwrap();
        assert!(
            table.is_measured(0, 0),
            "variant c has no measurement at all: it does not exist on this device"
        );
        assert!(!table.is_measured(0, 1));
        assert!(table.is_measured(0, 2) && table.shares(0, 2).is_none());
    }

    #[test]
    fn every_configuration_is_a_class() {
        let table = PerformanceTable::new(&recordings(&[
            (0, 0, "block=64", Outcome::Failed),
            (0, 0, "block=256", Outcome::Time(10.0)),
            (0, 0, "block=128", Outcome::Time(20.0)),
            (0, 1, "", Outcome::Time(20.0)),
        ]))
        .unwrap();
        assert_eq!(table.classes().names(), ["a{block=128}", "a{block=256}", "a{block=64}", "b", "c"]);
        assert_eq!(table.classes().variants(), [0, 0, 0, 1, 2]);
        assert_eq!(table.shares(0, 0), Some(&[Some(0.5), Some(1.0), Some(0.0), Some(0.5), None][..]));
        let few = table.only(&[0, 3, 4]);
        assert_eq!(few.classes().names(), ["a{block=128}", "b", "c"]);
        assert_eq!(few.shares(0, 0), Some(&[Some(0.5), Some(0.5), None][..]), "of the best of all");
        assert_eq!(few.best(0, 0), Some(0));
        assert_eq!(table.only(&[2]).shares(0, 0), None, "nothing succeeded");
    }

    #[test]
    fn ties_go_to_the_first_variant_and_an_inadmissible_choice_to_the_next() {
        let table = PerformanceTable::new(&recordings(&[
            (0, 0, "", Outcome::Inadmissible),
            (0, 1, "", Outcome::Time(0.0)),
            (0, 2, "", Outcome::Time(0.0)),
        ]))
        .unwrap();
        assert_eq!(table.best(0, 0), Some(1));
        let shares = table.shares(0, 0).unwrap();
        assert_eq!(share_of_choice(shares, [0, 2, 1], []), 1.0);
        assert_eq!(share_of_choice(shares, [0], []), 0.0);
    }

    #[test]
    fn more_than_fits_is_refused() {
        let few = recordings(&[]);
        let many = |count| (0..count).map(|number| format!("v{number}")).collect();
        let refused = |recordings: &Recordings| PerformanceTable::new(recordings).unwrap_err().to_string();
        let message = refused(&Recordings { variants: many(65), ..few.clone() });
        assert!(message.contains("has 65 variants"), "{message}");
        let inputs = vec![Input { name: "i".into(), features: vec![] }; 100_000];
        let devices = vec![few.devices[0].clone(); 100_000];
        let message = refused(&Recordings { variants: many(64), inputs, devices, ..few });
        assert!(message.contains("100000 devices"), "{message}");
    }
}
