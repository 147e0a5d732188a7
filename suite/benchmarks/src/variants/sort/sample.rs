//! Features of keys, from a few of them.

use super::Key;

/// Neighbouring keys that are looked at in one place.
const WINDOW_KEYS: usize = 16;
/// Places that are looked at, at most.
const MAX_WINDOWS: usize = 128;

/// The windows of the sample, evenly spread. Their number grows with the square root of the number of keys: rare
/// disorder is found in many keys, and a look at few keys stays cheap beside sorting them.
fn windows<K: Key>(keys: &[K]) -> impl Iterator<Item = &[K]> {
    let count = (keys.len().isqrt() / 4).clamp(1, MAX_WINDOWS);
    let step = (keys.len() / count).max(WINDOW_KEYS);
    keys.chunks(step).map(|part| &part[..part.len().min(WINDOW_KEYS)])
}

/// Ascending runs in a sample of the keys, as log2(1 + runs that end early per thousand neighbours): 0 if all
/// ascend, 10 if none do. The logarithm keeps a few keys out of place apart from none.
pub fn sample_runs_log2<K: Key>(keys: &[K]) -> f64 {
    let (mut neighbours, mut ends) = (0_usize, 0_usize);
    for window in windows(keys) {
        neighbours += window.len().saturating_sub(1);
        ends += window.windows(2).filter(|pair| pair[1].ordered() < pair[0].ordered()).count();
    }
    (1.0 + 1000.0 * ends as f64 / neighbours.max(1) as f64).log2()
}

/// Keys far apart that are looked at.
const SAMPLE: usize = 32;

/// Evenly spaced keys, as integers in the total order.
fn spaced<K: Key>(keys: &[K]) -> impl Iterator<Item = K::Bits> {
    let step = (keys.len() / SAMPLE).max(1);
    keys.iter().step_by(step).take(SAMPLE).map(|key| key.ordered())
}

/// Descents between keys far apart, as log2(1 + descents): 0 for sorted keys, 5 for descending ones.
pub fn sample_descents_log2<K: Key>(keys: &[K]) -> f64 {
    let descents = spaced(keys).zip(spaced(keys).skip(1)).filter(|(first, second)| second < first).count();
    (1.0 + descents as f64).log2()
}

/// Share of sampled keys, far apart, that are different from all others before: 1 if no two are alike.
pub fn sample_distinct<K: Key>(keys: &[K]) -> f64 {
    let Some(first) = keys.first() else { return 1.0 };
    let mut sample = [first.ordered(); SAMPLE];
    let count = spaced(keys).zip(&mut sample).map(|(key, place)| *place = key).count();
    let sample = &mut sample[..count];
    sample.sort_unstable();
    let repeated = sample.windows(2).filter(|pair| pair[0] == pair[1]).count();
    (count - repeated) as f64 / count as f64
}
