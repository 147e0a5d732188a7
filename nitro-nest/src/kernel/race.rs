//! Races: two threads race for an element if one of them writes and no barrier is in between.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// An element of an array; of a shared one with its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub array: usize,
    pub block: Option<usize>,
    pub offset: usize,
}

/// A thread at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Actor {
    pub block: usize,
    pub thread: usize,
    /// The number of barriers that its block has come past.
    pub phase: usize,
}

impl fmt::Display for Actor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "thread {} of block {} after {} barriers", self.thread, self.block, self.phase)
    }
}

/// The accesses to all elements so far.
#[derive(Default)]
pub(super) struct Races {
    touched: HashMap<Place, Touched>,
}

/// The threads that wrote, read and added to an element.
#[derive(Default)]
struct Touched {
    writers: Actors,
    readers: Actors,
    /// Threads that added atomically: these do not race among themselves.
    adders: Actors,
}

/// Threads that did one thing, as far as later ones may race with them.
///
/// Of each block those of its last phase count, as all threads of a block go past a barrier together; and of these
/// two, as one of two threads is another one than any third.
#[derive(Default)]
struct Actors {
    of_blocks: BTreeMap<usize, Last>,
}

/// Threads of a block that were there in its last phase.
struct Last {
    phase: usize,
    thread: usize,
    other: Option<usize>,
}

impl Races {
    /// Notes a read. The error is the thread that races with it.
    pub fn reads(&mut self, at: &Place, actor: Actor) -> Result<(), Actor> {
        let touched = self.touched.entry(*at).or_default();
        touched.readers.note(actor);
        touched.writers.none_races(actor)?;
        touched.adders.none_races(actor)
    }

    /// Notes a write. The error is the thread that races with it.
    pub fn writes(&mut self, at: &Place, actor: Actor) -> Result<(), Actor> {
        let touched = self.touched.entry(*at).or_default();
        touched.writers.note(actor);
        touched.writers.none_races(actor)?;
        touched.adders.none_races(actor)?;
        touched.readers.none_races(actor)
    }

    /// Notes an atomic addition. The error is the thread that races with it.
    pub fn adds(&mut self, at: &Place, actor: Actor) -> Result<(), Actor> {
        let touched = self.touched.entry(*at).or_default();
        touched.adders.note(actor);
        touched.writers.none_races(actor)?;
        touched.readers.none_races(actor)
    }
}

impl Actors {
    fn note(&mut self, actor: Actor) {
        let Actor { block, thread, phase } = actor;
        let new = Last { phase, thread, other: None };
        let last = self.of_blocks.entry(block).or_insert(new);
        if last.phase != phase {
            *last = Last { phase, thread, other: None };
        } else if last.thread != thread {
            last.other.get_or_insert(thread);
        }
    }

    /// Checks that none of these races with a thread; the error is one that does.
    ///
    /// Nothing says which of the two is first. Threads of different blocks are never in an order.
    fn none_races(&self, actor: Actor) -> Result<(), Actor> {
        let ends = [self.of_blocks.first_key_value(), self.of_blocks.last_key_value()];
        if let Some((&block, last)) = ends.into_iter().flatten().find(|(block, _)| **block != actor.block) {
            return Err(Actor { block, thread: last.thread, phase: last.phase });
        }
        let Some(last) = self.of_blocks.get(&actor.block) else { return Ok(()) };
        let mut threads = [Some(last.thread), last.other].into_iter().flatten();
        match threads.find(|thread| *thread != actor.thread) {
            Some(thread) if last.phase == actor.phase => Err(Actor { thread, ..actor }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use nitro_test_support::random::Random;

    use super::*;

    fn races(one: &Actor, other: Actor) -> bool {
        let is_same_thread = (one.block, one.thread) == (other.block, other.thread);
        !is_same_thread && (one.block != other.block || one.phase == other.phase)
    }

    /// Beside all that ever happened to an element.
    #[test]
    fn exactly_those_race_whom_no_barrier_parts() {
        let mut found = [0, 0];
        for seed in 0..2_000 {
            let mut random = Random::new(seed);
            let mut below = |end: u64| random.below(end) as usize;
            let [blocks, threads, barriers, kinds] = [1 + below(3), 1 + below(3), 1 + below(4), 1 + below(3)];
            let mut phases = vec![0; blocks];
            let (mut races_here, mut all) = (Races::default(), [const { Vec::<Actor>::new() }; 3]);
            let place = Place { array: 0, block: None, offset: 0 };
            for _ in 0..8 {
                let block = below(blocks as u64);
                phases[block] += usize::from(below(4) < barriers);
                let actor = Actor { block, thread: below(threads as u64), phase: phases[block] };
                let kind = below(kinds as u64);
                let (told, against): (_, &[usize]) = match kind {
                    0 => (races_here.reads(&place, actor), &[1, 2]),
                    1 => (races_here.writes(&place, actor), &[0, 1, 2]),
                    _ => (races_here.adds(&place, actor), &[0, 1]),
                };
                let known: Vec<Actor> = against.iter().flat_map(|kind| all[*kind].clone()).collect();
                let expected = known.iter().any(|other| races(other, actor));
                assert_eq!(told.is_err(), expected, "{actor:?} {known:?}");
                if let Err(other) = told {
                    assert!(known.contains(&other) && races(&other, actor), "{actor:?} {other:?}");
                }
                found[usize::from(expected)] += 1;
                all[kind].push(actor);
            }
        }
        assert!(found.iter().all(|count| *count > 1_000), "{found:?}");
    }
}
