//! The state of loading tiles ahead while instructions are written.

use nitro_nest::Affine;

use super::point::Point;
use super::threads::Iterators;

/// The state of loading ahead.
pub(super) struct Ahead {
    pub along: usize,
    /// The iterator that says which of two tiles an iteration uses, where there are two, and one that nobody needs.
    pub side: Option<usize>,
    pub half: usize,
    /// The part of a load that is written now.
    pub pass: Pass,
    /// Of which iteration of the loop a tile is loaded; none: of this one.
    pub iteration: Option<Affine>,
}

/// A load in two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// From global memory to registers.
    Fetch,
    /// From there to shared memory.
    Put,
}

impl Ahead {
    /// Begins to load ahead, if the point does.
    pub fn new(point: &Point<'_>, iterators: &mut Iterators) -> Option<Self> {
        let ahead = point.ahead()?;
        let name = point.space.loop_name(ahead.along);
        let (mut side, mut half) = (None, 0);
        if ahead.has_two_tiles {
            half = iterators.of(format!("{name}_half"));
            side = Some(iterators.of(format!("{name}_side")));
        }
        Some(Self { along: ahead.along, side, half, pass: Pass::Put, iteration: None })
    }

    /// Returns which iteration of a loop a tile that is loaded belongs to, where it is not this one.
    pub fn iteration_of(&self, at: usize) -> Option<Affine> {
        self.iteration.clone().filter(|_| at == self.along)
    }
}
