//! New individuals: by chance, of two parents, by another edit.

use super::PatchSpace;
use crate::random::Random;

/// Edits of an individual in the beginning.
const FIRST: usize = 3;
/// How often the first edits of an individual are drawn until they go together.
const ATTEMPTS: usize = 10;

/// Sets of edits, ascending.
pub(super) type Edits<P> = Vec<<P as PatchSpace>::Edit>;

/// Three edits that can each be made alone, and together; fewer if such are not found.
pub(super) fn first<P: PatchSpace>(space: &P, random: &mut Random) -> Edits<P> {
    let mut edits: Edits<P> = Vec::new();
    for _ in 0..ATTEMPTS {
        let drawn = (0..FIRST).filter_map(|_| space.mutate(&[], random.next_u64()));
        let together = set::<P>(drawn.collect());
        if together.len() == FIRST && space.is_valid(&together) {
            return together;
        }
        edits = together.into_iter().take(1).collect();
    }
    edits
}

/// What two parents have in common goes to both children; the rest is dealt out, anew until at least one of them can live.
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
        let child = |part: &[P::Edit]| set::<P>([&common, part].concat());
        let children = [child(first), child(second)];
        match [space.is_valid(&children[0]), space.is_valid(&children[1])] {
            [true, true] => return children,
            [true, false] => return [children.into_iter().next().unwrap_or_default(), other.to_vec()],
            [false, true] => return [one.to_vec(), children.into_iter().nth(1).unwrap_or_default()],
            [false, false] => {}
        }
    }
    [one.to_vec(), other.to_vec()]
}

/// With another edit, if one is found.
pub(super) fn mutate<P: PatchSpace>(space: &P, mut edits: Edits<P>, random: &mut Random) -> Edits<P> {
    edits.extend(space.mutate(&edits, random.next_u64()));
    set::<P>(edits)
}

fn set<P: PatchSpace>(mut edits: Edits<P>) -> Edits<P> {
    edits.sort();
    edits.dedup();
    edits
}
