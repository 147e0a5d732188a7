//! Few of many, so that the best of them is nearly as good everywhere as the best of all.

/// A further one is worth it when the mean share of the best speed grows by this much.
const LEAST_GAIN: f64 = 0.002;

/// Adds to `chosen`, until they are `most`, one after the other of the candidates `0..count` what adds most to the
/// mean share, over the samples, that the best of those chosen reaches, while that is worth it; of equals the
/// first.
///
/// The greedy choice reaches at least 1 − 1/e of what any choice of as many could: the mean of maxima is submodular
/// (Nemhauser, Wolsey and Fisher, "An analysis of approximations for maximizing submodular set functions", 1978).
pub fn add_greedily(
    chosen: &mut Vec<usize>,
    most: usize,
    count: usize,
    samples: usize,
    share: impl Fn(usize, usize) -> f64,
) {
    let mut reached = vec![0.0; samples];
    for &own in chosen.iter() {
        raise(&mut reached, |sample| share(own, sample));
    }
    while chosen.len() < most {
        let mut best: Option<(f64, usize)> = None;
        for candidate in 0..count {
            let gains =
                reached.iter().enumerate().map(|(sample, reached)| share(candidate, sample) - reached);
            let gain: f64 = gains.filter(|gain| *gain > 0.0).sum();
            if best.is_none_or(|(most, _)| gain.total_cmp(&most).is_gt()) {
                best = Some((gain, candidate));
            }
        }
        let Some((_, next)) = best.filter(|(gain, _)| *gain >= LEAST_GAIN * samples as f64) else { break };
        chosen.push(next);
        raise(&mut reached, |sample| share(next, sample));
    }
}

/// Raises what is reached on each sample to the share of one more choice.
fn raise(reached: &mut [f64], share: impl Fn(usize) -> f64) {
    for (sample, reached) in reached.iter_mut().enumerate() {
        *reached = reached.max(share(sample));
    }
}
