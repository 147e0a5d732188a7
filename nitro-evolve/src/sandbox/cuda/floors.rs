//! The floors of cases: times that no program takes less than which does with all data what the original does.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use nitro_search::{Floor, MemoryRates};
use nitro_stats::random::Random;

use super::case::{Case, CaseBuffer, pattern};
use super::fits::fits;
use super::kernels;
use super::loaded::LoadedCode;
use super::run::{CaseRunner, Programs};
use super::stop::Stop;
use crate::workload::{Argument, HostStep, Role, Set, Workload};

/// The timed runs of kernels that do nothing.
const IDLE_RUNS: u32 = 31;
/// The elements of an input that get another value, one after the other.
const DRAWN: usize = 64;
/// The time after which of an input no other element does.
const MOST_TIME: Duration = Duration::from_millis(300);
/// The chance that so many of them change results though fewer elements than is said do.
const CHANCE: f64 = 1e-6;

/// A case of a workload whose floor is asked for.
pub(super) struct Question<'a> {
    pub workload: &'a Workload,
    pub case: (Set, usize),
    pub rates: MemoryRates,
    pub original: &'a LoadedCode,
    /// The kernels of the launches, which do nothing.
    pub idle: &'a LoadedCode,
}

/// The bytes that any program has to move, and the reasons.
#[derive(Default)]
struct Moved {
    read_bytes: f64,
    written_bytes: f64,
    why: String,
}

impl CaseRunner {
    /// Returns the floor of a case.
    ///
    /// A patch changes neither how often the host launches nor the grids. What it reads and writes may be less than
    /// what the original does. An element that the original changes has to be written. An input's element has to be
    /// read if another value of it alone changes results: who does not read it gives the same results for both. Itself
    /// it is such a result only where the original changes it: else nobody has to touch it.
    pub(super) fn floor(&mut self, case: &mut Case, question: &Question<'_>) -> Result<Floor, Stop> {
        let launching = self.launching(case, question)?;
        let judging = judging(case);
        let mut moved = self.written(case, &judging)?;
        let inputs = inputs(case, &judging);
        let all_bytes: usize = inputs.iter().map(|&at| case.buffers[at].work.len()).sum();
        // Of what could not decide anyway nothing is drawn.
        let most = question.rates.floors(all_bytes as f64, moved.written_bytes);
        if most.iter().any(|floor| floor.ns > launching.ns) {
            self.add_read(&mut moved, case, &inputs, question)?;
        }
        let of_memory = question.rates.floors(moved.read_bytes, moved.written_bytes);
        let of_memory = of_memory.map(|floor| Floor { reason: floor.reason + &moved.why, ..floor });
        Ok(of_memory.into_iter().fold(launching, Floor::larger))
    }

    /// Times the launches with kernels that do nothing. How many there are has to be known: a loop with a flag counts
    /// for nothing.
    fn launching(&mut self, case: &mut Case, question: &Question<'_>) -> Result<Floor, Stop> {
        let none = || Floor { ns: 0.0, limit: "launching".to_owned(), reason: String::new() };
        if case.host.iter().any(|step| matches!(step, HostStep::Leave { .. })) {
            return Ok(none());
        }
        fits(question.idle, &case.launches)?;
        let programs = Programs::new(question.idle, question.original);
        case.restore(pattern(0))?;
        self.launches(case, &programs)?;
        let times_ns = self.times_ns(case, &programs, IDLE_RUNS)?;
        let shortest_ns = times_ns.into_iter().filter(|time_ns| time_ns.is_finite()).reduce(f64::min);
        let Some(shortest_ns) = shortest_ns else { return Ok(none()) };
        let reason = format!(
            "its launches, {}, take {shortest_ns:.1} ns with kernels that do nothing, in the shortest of {IDLE_RUNS} \
             runs, and 2 % less count",
            case.launches.len()
        );
        Ok(Floor { ns: shortest_ns / MemoryRates::SPARE, reason, ..none() })
    }

    /// Counts what the original changes of the results that are the same in each run.
    fn written(&self, case: &mut Case, judging: &BTreeSet<usize>) -> Result<Moved, Stop> {
        let mut moved = Moved::default();
        let written = case.written(self.stream)?;
        for (at, (buffer, written)) in case.buffers.iter().zip(written).enumerate() {
            if buffer.spread > 0.0 || judging.contains(&at) {
                continue;
            }
            for (member, numbers) in buffer.layout.members.iter().zip(written) {
                if numbers > 0 {
                    moved.written_bytes += (numbers * member.element.bytes() as u64) as f64;
                    let name = member.name_in(&buffer.name);
                    moved.why += &format!("; of `{name}` {numbers} elements are changed");
                }
            }
        }
        Ok(moved)
    }

    /// Adds how much of these inputs has to be read at least, by drawing elements and giving each another value.
    fn add_read(
        &mut self,
        moved: &mut Moved,
        case: &mut Case,
        inputs: &[usize],
        question: &Question<'_>,
    ) -> Result<(), Stop> {
        for &at in inputs {
            let began = Instant::now();
            let mut random = Random::new(at as u64);
            let (mut drawn, mut changing) = (0, 0);
            while drawn < DRAWN && began.elapsed() < MOST_TIME {
                let element = random.below(case.buffers[at].elements());
                let Question { workload, case: named, .. } = *question;
                let Some(other) = workload.redrawn(named, at, element, random.next_u64()) else { break };
                changing += usize::from(self.changes_results(case, (at, element, &other), question)?);
                drawn += 1;
            }
            let (buffer, share) = (&case.buffers[at], least_share(changing, drawn));
            if share > 0.0 {
                moved.read_bytes += share * buffer.work.len() as f64;
                moved.why += &format!(
                    "; of `{}` at least {:.0} % are read, since {changing} of {drawn} elements change results",
                    buffer.name,
                    (100.0 * share).floor()
                );
            }
        }
        Ok(())
    }

    /// Returns `true` if the original gives other results with another value of an element.
    fn changes_results(
        &mut self,
        case: &mut Case,
        (buffer, element, value): (usize, usize, &[u8]),
        question: &Question<'_>,
    ) -> Result<bool, Stop> {
        let programs = Programs::new(question.original, question.original);
        let pattern = self.begin(case, &programs)?;
        let address = case.buffers[buffer].work.pointer() + (element * value.len()) as u64;
        kernels::put(self.stream, address, value)?;
        self.go(case, &programs)?;
        case.buffers[buffer].excuse(self.stream, element)?;
        let verdicts = case.verdicts(self.stream, pattern)?;
        Ok(case.buffers.iter().zip(&verdicts).any(|(buffer, verdict)| buffer.error(verdict) > 0.0))
    }
}

/// Returns the buffers that what judges results takes: what happens to them says nothing about the program.
fn judging(case: &Case) -> BTreeSet<usize> {
    let mut buffers = BTreeSet::new();
    case.judge.iter().flat_map(|launch| &launch.arguments).for_each(|argument| add(argument, &mut buffers));
    let pointing = case.buffers.iter().filter_map(|buffer| buffer.with_pointers.as_ref());
    buffers.extend(pointing.filter(|_| !case.judge.is_empty()).flat_map(|buffer| buffer.targets()));
    buffers
}

/// Adds the buffers that an argument points to.
fn add(argument: &Argument, buffers: &mut BTreeSet<usize>) {
    match argument {
        Argument::Buffer(buffer) | Argument::Within { buffer, .. } => buffers.extend([*buffer]),
        Argument::Scalar(_) => {}
        Argument::Struct(members) => members.iter().for_each(|member| add(member, buffers)),
    }
}

/// Returns the inputs whose elements can be seen to matter: none where results vary from run to run.
fn inputs(case: &Case, judging: &BTreeSet<usize>) -> Vec<usize> {
    if case.buffers.iter().any(|buffer| buffer.spread > 0.0) {
        return Vec::new();
    }
    let is_input =
        |buffer: &CaseBuffer| matches!(buffer.role, Role::In | Role::InOut) && buffer.elements() > 0;
    let inputs = case.buffers.iter().enumerate();
    let inputs = inputs.filter(|(at, buffer)| is_input(buffer) && !judging.contains(at));
    inputs.map(|(at, _)| at).collect()
}

/// Returns the largest share of a whole with which so many of the drawn, or more, would come by [`CHANCE`] alone.
fn least_share(found: usize, drawn: usize) -> f64 {
    let (mut least, mut most) = (0.0, 1.0);
    for _ in 0..50 {
        let share = f64::midpoint(least, most);
        if chance(found, drawn, share) <= CHANCE {
            least = share;
        } else {
            most = share;
        }
    }
    least
}

/// Returns the chance that at least so many of the drawn are of this share.
fn chance(found: usize, drawn: usize, share: f64) -> f64 {
    let mut each = (1.0 - share).powi(drawn as i32);
    let mut sum = if found == 0 { each } else { 0.0 };
    for number in 1..=drawn {
        each *= (drawn + 1 - number) as f64 / number as f64 * share / (1.0 - share);
        sum += if number >= found { each } else { 0.0 };
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_believed_that_chance_alone_would_hardly_show() {
        assert_eq!((least_share(0, 0), least_share(0, 64)), (0.0, 0.0));
        assert!((least_share(64, 64) - CHANCE.powf(1.0 / 64.0)).abs() < 1e-9);
        let mut before = 0.0;
        for found in 1..=64 {
            let share = least_share(found, 64);
            assert!(share > before && share < found as f64 / 64.0, "{found}: {share}");
            assert!((chance(found, 64, share) / CHANCE - 1.0).abs() < 1e-3, "{found}");
            before = share;
        }
    }

    /// Draws from wholes of which exactly so much has the property.
    #[test]
    fn no_believed_share_is_more_than_there_is() {
        let mut random = Random::new(7);
        for round in 0..2000 {
            let share = random.unit();
            let found = (0..DRAWN).filter(|_| random.unit() < share).count();
            assert!(least_share(found, DRAWN) <= share, "{round}: {found} of {share}");
        }
    }

    #[test]
    fn arguments_of_what_judges_are_found_in_structures_too() {
        let inner = Argument::Struct(vec![Argument::Scalar(vec![1]), Argument::Buffer(3)]);
        let argument = Argument::Struct(vec![Argument::Within { buffer: 5, offset_bytes: 8 }, inner]);
        let mut buffers = BTreeSet::new();
        add(&argument, &mut buffers);
        assert_eq!(buffers, BTreeSet::from([3, 5]));
    }
}
