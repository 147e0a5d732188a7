//! Who touched an element: two threads race for it if one of them writes and no barrier is in between.

use std::collections::HashMap;
use std::fmt;

use super::memory::Place;

/// A thread at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Actor {
    pub block: usize,
    pub thread: usize,
    /// How many barriers its block has come past.
    pub phase: usize,
}

impl Actor {
    /// Whether nothing says which of the two is first. Threads of different blocks are never in an order.
    fn races(self, other: Actor) -> bool {
        let is_same_thread = (self.block, self.thread) == (other.block, other.thread);
        !is_same_thread && (self.block != other.block || self.phase == other.phase)
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "thread {} of block {} after {} barriers", self.thread, self.block, self.phase)
    }
}

/// What happened to all elements so far.
#[derive(Default)]
pub struct Races {
    touched: HashMap<Place, Touched>,
}

/// Who wrote, read and added to an element, each thread and phase once.
#[derive(Default)]
struct Touched {
    writers: Vec<Actor>,
    readers: Vec<Actor>,
    /// Who added atomically: these do not race among themselves.
    adders: Vec<Actor>,
}

impl Races {
    /// Notes a read. The error is who races with it.
    pub fn reads(&mut self, at: &Place, actor: Actor) -> Result<(), Actor> {
        let touched = self.touched.entry(*at).or_default();
        note(&mut touched.readers, actor);
        none_races(&touched.writers, actor)?;
        none_races(&touched.adders, actor)
    }

    /// Notes a write. The error is who races with it.
    pub fn writes(&mut self, at: &Place, actor: Actor) -> Result<(), Actor> {
        let touched = self.touched.entry(*at).or_default();
        note(&mut touched.writers, actor);
        none_races(&touched.writers, actor)?;
        none_races(&touched.adders, actor)?;
        none_races(&touched.readers, actor)
    }

    /// Notes an atomic addition. The error is who races with it.
    pub fn adds(&mut self, at: &Place, actor: Actor) -> Result<(), Actor> {
        let touched = self.touched.entry(*at).or_default();
        note(&mut touched.adders, actor);
        none_races(&touched.writers, actor)?;
        none_races(&touched.readers, actor)
    }
}

fn note(actors: &mut Vec<Actor>, actor: Actor) {
    if !actors.contains(&actor) {
        actors.push(actor);
    }
}

fn none_races(others: &[Actor], actor: Actor) -> Result<(), Actor> {
    others.iter().find(|other| actor.races(**other)).map_or(Ok(()), |other| Err(*other))
}
