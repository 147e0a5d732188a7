//! New individuals: by chance, of two parents, by another edit.

use super::PatchSpace;
use crate::random::Random;
use crate::threads::{cores, on_threads};

/// Edits of which an individual of the second generation is the union.
const UNITED: usize = 3;
/// The most draws until edits go together.
const ATTEMPTS: usize = 10;

/// Sets of edits, ascending.
pub(super) type Edits<P> = Vec<<P as PatchSpace>::Edit>;

/// Makes something of each seed, in their order, on all cores.
///
/// An edit of a large program takes a core milliseconds, and nothing else goes on meanwhile.
pub(super) fn on_cores<T: Send>(seeds: &[u64], make: impl Fn(&mut Random) -> T + Sync) -> Vec<T> {
    of_each(seeds, |&seed| make(&mut Random::new(seed)))
}

/// Makes something of each of these, in their order, on all cores.
pub(super) fn of_each<S: Sync, T: Send>(all: &[S], make: impl Fn(&S) -> T + Sync) -> Vec<T> {
    on_threads(cores(), all, make)
}

/// Draws an edit by itself.
pub(super) fn first<P: PatchSpace>(space: &P, random: &mut Random) -> Edits<P> {
    space.mutate(&[], random.next_u64()).into_iter().collect()
}

/// Returns the union of three of these that go together; one of them if such are not found.
pub(super) fn unite<P: PatchSpace>(space: &P, of: &[&[P::Edit]], random: &mut Random) -> Edits<P> {
    let mut drawn: Vec<&[P::Edit]> = of.to_vec();
    for _ in 0..ATTEMPTS {
        random.shuffle(&mut drawn);
        let together = set::<P>(drawn.iter().take(UNITED).copied().flatten().cloned().collect());
        if space.is_valid(&together) {
            return together;
        }
    }
    drawn.first().map_or_else(Vec::new, |edits| edits.to_vec())
}

/// Crosses two parents: both children get what the parents have in common, and the rest is dealt out.
///
/// It is dealt out anew until at least one of the children can live.
pub(super) fn cross<P: PatchSpace>(
    space: &P,
    parents: [&[P::Edit]; 2],
    random: &mut Random,
) -> [Edits<P>; 2] {
    let [one, other] = parents;
    let common: Edits<P> = one.iter().filter(|edit| other.contains(edit)).cloned().collect();
    let differing = one.iter().chain(other).filter(|edit| !common.contains(edit));
    let mut differing: Edits<P> = differing.cloned().collect();
    for _ in 0..one.len() + other.len() {
        random.shuffle(&mut differing);
        let cut = random.below(differing.len() + 1);
        let (first, second) = differing.split_at(cut);
        let children = [first, second].map(|part| set::<P>([&common, part].concat()));
        match [space.is_valid(&children[0]), space.is_valid(&children[1])] {
            [true, true] => return children,
            [true, false] => return [children.into_iter().next().unwrap_or_default(), other.to_vec()],
            [false, true] => return [one.to_vec(), children.into_iter().nth(1).unwrap_or_default()],
            [false, false] => {}
        }
    }
    [one.to_vec(), other.to_vec()]
}

/// Adds another edit, if one is found.
pub(super) fn mutate<P: PatchSpace>(space: &P, mut edits: Edits<P>, random: &mut Random) -> Edits<P> {
    edits.extend(space.mutate(&edits, random.next_u64()));
    set::<P>(edits)
}

/// Returns edits as a set: ascending, each once.
pub(super) fn set<P: PatchSpace>(mut edits: Edits<P>) -> Edits<P> {
    edits.sort();
    edits.dedup();
    edits
}
