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
    let best_of = |sample| chosen.iter().map(|&own| share(own, sample)).fold(0.0, f64::max);
    let mut reached: Vec<f64> = (0..samples).map(best_of).collect();
    while chosen.len() < most {
        let gain = |candidate| -> f64 {
            let gains =
                reached.iter().enumerate().map(|(sample, reached)| share(candidate, sample) - reached);
            gains.filter(|gain| *gain > 0.0).sum()
        };
        let gains = (0..count).map(|candidate| (gain(candidate), candidate));
        let best = gains.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        let Some((_, next)) = best.filter(|(gain, _)| *gain >= LEAST_GAIN * samples as f64) else { break };
        chosen.push(next);
        for (sample, reached) in reached.iter_mut().enumerate() {
            *reached = reached.max(share(next, sample));
        }
    }
}
