//! Cases that nobody wrote: with small numbers, with chosen ones, and with numbers that are drawn.

use std::collections::{BTreeMap, BTreeSet};

use nitro_stats::random::Random;

use super::inputs::{Inputs, Launch};
use super::model::{Case, Set, Workload};

/// The number in the place of larger ones: no multiple of the threads that blocks usually have.
const SMALL: f64 = 37.0;

/// The values that are drawn for each number, whatever the kernel.
pub(crate) const LESS: [u64; 7] = [1, 2, 3, 4, 5, 17, 37];
/// The number of cases in which all numbers are drawn of these.
const DRAWN: usize = 24;
/// The number in the place of what a case of several blocks and rounds does not need larger.
const FEW: f64 = 3.0;
/// The launches of each kernel that such a case has, if its loops go round so often.
const ROUNDS: usize = 3;
/// What the second block has beside its first element in another such case: more than a warp.
const IN_SECOND: u64 = 37;
/// The most times the largest numbers of search and validation that are looked at: tests and users have larger ones.
const BEYOND: u64 = 4;

/// The sizes that are tried until launches take one.
const MOST_TRIED: usize = 512;
/// The largest number of a case of several blocks.
const MOST_OF_SEVERAL: u64 = 4_096;

/// The extent of the launches of a case.
#[derive(Default)]
struct Extent {
    /// The kernels of which a launch has several blocks along an axis.
    axes: BTreeSet<(String, usize)>,
    /// The kernels that are launched in several rounds.
    rounds: BTreeSet<String>,
}

/// Tells whether a number counts something, such as a size.
fn is_count(value: f64) -> bool {
    value > 1.0 && value.fract() == 0.0
}

impl Case {
    /// Returns the same with another number at a position.
    pub(crate) fn with(&self, at: usize, value: f64) -> Self {
        let mut case = self.clone();
        case.values[at] = value;
        case
    }
}

impl Workload {
    /// Returns cases with small numbers.
    ///
    /// They are those of the first cases of search and validation, with each number at 1 and 2, and some that are
    /// drawn, since what is wrong may need two odd numbers together.
    pub(crate) fn small_cases(&self) -> Vec<Case> {
        let first = [Set::Search, Set::Validation].map(|set| self.of(set).next());
        let choices: Vec<Vec<u64>> = self.names.iter().map(|_| LESS.to_vec()).collect();
        let mut cases: Vec<Case> = first.into_iter().flatten().flat_map(|case| self.smaller(case)).collect();
        cases.extend(self.drawn_cases(&choices, DRAWN));
        cases
    }

    /// Returns cases whose counts are drawn, each of its choices, up to the largest of search and validation.
    pub(crate) fn drawn_cases(&self, choices: &[Vec<u64>], times: usize) -> Vec<Case> {
        let Some(first) = self.of(Set::Search).next() else { return Vec::new() };
        let counts = self.counts();
        let mut random = Random::new(counts.len() as u64 + 37);
        let mut cases = vec![first.clone(); times];
        for case in &mut cases {
            for &(at, most) in counts.iter().filter(|(at, _)| !choices[*at].is_empty()) {
                let choice = choices[at][random.below(choices[at].len())];
                case.values[at] = choice.min(most) as f64;
            }
        }
        cases
    }

    /// Returns the positions of numbers that count something, such as sizes, with the largest that is looked at: some
    /// times as large as those of search and validation.
    pub(crate) fn counts(&self) -> Vec<(usize, u64)> {
        let mut largest = vec![0.0f64; self.of(Set::Search).next().map_or(0, |case| case.values.len())];
        for case in self.of(Set::Search).chain(self.of(Set::Validation)) {
            for (most, value) in largest.iter_mut().zip(&case.values) {
                *most = most.max(*value);
            }
        }
        let counts = largest.into_iter().enumerate().filter(|(_, most)| is_count(*most));
        counts.map(|(at, most)| (at, (most as u64).saturating_mul(BEYOND))).collect()
    }

    /// Returns the first case of the search with small numbers, from where one of them is changed.
    pub(crate) fn small_case(&self) -> Option<Case> {
        self.of(Set::Search).next().map(|case| self.at_most(case, SMALL))
    }

    /// Returns the first case of the search with few of all that it counts.
    pub(crate) fn few(&self) -> Option<Case> {
        self.of(Set::Search).next().map(|case| self.at_most(case, FEW))
    }

    /// Returns a case in which numbers that count something are at most this, or as little more as launches take: some
    /// programs take multiples of their blocks alone.
    fn at_most(&self, case: &Case, most: f64) -> Case {
        let is_larger = |value: f64| is_count(value) && value > most;
        let mut small = case.clone();
        small.values.iter_mut().filter(|value| is_larger(**value)).for_each(|value| *value = most);
        if self.launches_of(&small).is_some() {
            return small;
        }
        let mut small = case.clone();
        for at in (0..case.values.len()).filter(|&at| is_larger(case.values[at])) {
            let sizes = (most as u64..case.values[at] as u64).take(MOST_TRIED);
            let mut cases = sizes.map(|size| small.with(at, size as f64));
            if let Some(least) = cases.find(|case| self.launches_of(case).is_some()) {
                small = least;
            }
        }
        small
    }

    /// Returns a case with small numbers, and with each of them at its least.
    fn smaller(&self, case: &Case) -> Vec<Case> {
        let small = self.at_most(case, SMALL);
        let mut all = vec![small.clone()];
        for at in (0..small.values.len()).filter(|&at| is_count(small.values[at])) {
            for least in [1.0, 2.0] {
                all.push(small.with(at, least));
            }
        }
        all
    }

    /// Returns cases with several blocks, in which each loop of the host goes round three times: each number is as
    /// small as that takes, one of them alone or all, the others are few. Sizes to choose from are given.
    pub(crate) fn several(&self, sizes: &BTreeSet<u64>) -> Vec<Case> {
        let Some(mut few) = self.few() else { return Vec::new() };
        let counts = self.counts();
        for &(at, most) in &counts {
            let has_more_rounds = |one: &Extent, other: &Extent| !other.rounds.is_subset(&one.rounds);
            few = self.least(&few, (at, most), sizes, has_more_rounds).map_or(few.clone(), |(_, case)| case);
        }
        let (mut cases, mut all, mut more) = (vec![few.clone()], few.clone(), few.clone());
        for &(at, most) in &counts {
            let has_more_axes = |one: &Extent, other: &Extent| !other.axes.is_subset(&one.axes);
            let Some((size, case)) = self.least(&few, (at, most), sizes, has_more_axes) else { continue };
            cases.push(case);
            all = all.with(at, size as f64);
            more = more.with(at, (size + IN_SECOND).min(most) as f64);
        }
        cases.extend([all, more]);
        cases
    }

    /// Returns the least size in the place of one number of a case with which its launches extend further.
    fn least(
        &self,
        case: &Case,
        (at, most): (usize, u64),
        sizes: &BTreeSet<u64>,
        extends: impl Fn(&Extent, &Extent) -> bool,
    ) -> Option<(u64, Case)> {
        let own = self.extent(case);
        let small = (1..=2 * IN_SECOND).chain(sizes.iter().flat_map(|&size| [size, size + 1]));
        let range = case.values[at] as u64 + 1..=most.min(MOST_OF_SEVERAL);
        let larger: BTreeSet<u64> = small.filter(|size| range.contains(size)).collect();
        let cases = larger.into_iter().map(|size| (size, case.with(at, size as f64)));
        cases.into_iter().find(|(_, case)| extends(&own, &self.extent(case)))
    }

    /// Returns how far the launches of a case extend.
    fn extent(&self, case: &Case) -> Extent {
        let mut extent = Extent::default();
        let mut launched = BTreeMap::<String, usize>::new();
        for launch in self.launches_of(case).unwrap_or_default() {
            let axes = (0..3).filter(|&axis| launch.grid[axis] > 1);
            extent.axes.extend(axes.map(|axis| (launch.kernel.clone(), axis)));
            *launched.entry(launch.kernel).or_default() += 1;
        }
        launched.retain(|_, launches| *launches >= ROUNDS);
        extent.rounds.extend(launched.into_keys());
        extent
    }

    /// Returns the whole numbers of all formulas of lengths and grids, and the sizes of blocks.
    ///
    /// A block counts along each axis and as a whole.
    pub(crate) fn numbers(&self) -> BTreeSet<u64> {
        let mut numbers = BTreeSet::new();
        let lengths = self.buffers.iter().map(|buffer| &buffer.length);
        for formula in self.definitions.iter().map(|(_, formula)| formula).chain(lengths) {
            formula.add_numbers(&mut numbers);
        }
        self.steps.iter().for_each(|step| step.add_numbers(&mut numbers));
        for case in [Set::Search, Set::Validation].into_iter().filter_map(|set| self.of(set).next()) {
            for launch in self.launches_of(case).unwrap_or_default() {
                numbers.extend(launch.block.map(u64::from));
                numbers.insert(launch.block.into_iter().map(u64::from).product());
            }
        }
        numbers
    }

    /// Returns the inputs of a case, unless they make no sense, or take more bytes than this.
    pub(crate) fn inputs_within(&self, case: &Case, most_bytes: usize) -> Option<Inputs> {
        if self.bytes(case)? > most_bytes {
            return None;
        }
        self.inputs_of(case).ok()
    }

    /// Returns the bytes of all buffers of a case, unless it makes no sense.
    pub(crate) fn bytes(&self, case: &Case) -> Option<usize> {
        let lengths = self.lengths(&self.values(case), || None).ok()?;
        let bytes = self.buffers.iter().zip(lengths).map(|(buffer, length)| buffer.layout.bytes * length);
        Some(bytes.sum())
    }

    /// Returns the launches of all cases of the search, without their buffers.
    pub(crate) fn launches_of_search(&self) -> Vec<Launch> {
        self.of(Set::Search).filter_map(|case| self.launches_of(case)).flatten().collect()
    }

    /// Returns the launches of a case, unless they make no sense.
    fn launches_of(&self, case: &Case) -> Option<Vec<Launch>> {
        self.unrolled(&self.steps, &self.values(case)).ok().map(|(launches, _)| launches)
    }
}
