//! The edits that matter.

use std::collections::BTreeMap;

/// Returns the fewest of these edits that still do what is asked for, in the sense that none of them can be left out
/// (Zeller and Hildebrandt 2002, "ddmin").
///
/// `keeps` says of some of the edits whether they do, for example whether they are as fast within 1 %, with the
/// same class of error, and pass all tests; what cannot be made does not. It is asked once about the same edits.
/// Where all of them do not, all are returned.
///
/// ```
/// use nitro_search::evolve::minimise;
///
/// let edits: Vec<u8> = (0..40).collect();
/// let kept = minimise(&edits, |some| some.contains(&7) && some.contains(&31));
/// assert_eq!(kept, [7, 31]);
/// ```
pub fn minimise<E: Clone + Ord>(edits: &[E], keeps: impl FnMut(&[E]) -> bool) -> Vec<E> {
    let mut oracle = Oracle { keeps, known: BTreeMap::new() };
    let mut kept: Vec<E> = edits.to_vec();
    kept.sort();
    kept.dedup();
    if !oracle.keeps(&kept) {
        return edits.to_vec();
    }
    if oracle.keeps(&[]) {
        return Vec::new();
    }
    let mut parts = 2;
    while kept.len() >= 2 {
        let chunk = kept.len().div_ceil(parts);
        // The parts alone come first, then what is left without each of them.
        let (mut smaller, mut without) = (Vec::new(), Vec::new());
        for part in kept.chunks(chunk) {
            smaller.push((true, part.to_vec()));
        }
        for from in (0..kept.len()).step_by(chunk) {
            let to = (from + chunk).min(kept.len());
            without.push((false, [&kept[..from], &kept[to..]].concat()));
        }
        smaller.append(&mut without);
        let found = smaller.into_iter().find(|(_, some)| some.len() < kept.len() && oracle.keeps(some));
        match found {
            Some((is_alone, some)) => {
                kept = some;
                parts = if is_alone { 2 } else { (parts - 1).max(2) };
            }
            None if parts >= kept.len() => break,
            None => parts = (parts * 2).min(kept.len()),
        }
    }
    kept
}

struct Oracle<E, F> {
    keeps: F,
    known: BTreeMap<Vec<E>, bool>,
}

impl<E: Clone + Ord, F: FnMut(&[E]) -> bool> Oracle<E, F> {
    fn keeps(&mut self, some: &[E]) -> bool {
        if let Some(&known) = self.known.get(some) {
            return known;
        }
        let keeps = (self.keeps)(some);
        self.known.insert(some.to_vec(), keeps);
        keeps
    }
}
