//! The gain of each edit of a patch.

/// The gains of the edits of a patch, alone and together.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation<E> {
    /// The gain of all of them, as a share of the time without any.
    pub gain: f64,
    /// Each edit.
    pub edits: Vec<Influence<E>>,
    /// Pairs that bring more or less than the two alone, by more than the margin: positions among the edits, and
    /// how much more.
    pub pairs: Vec<(usize, usize, f64)>,
}

/// The gain of one edit, as shares of the time without any edit.
#[derive(Clone, Debug, PartialEq)]
pub struct Influence<E> {
    /// The edit.
    pub edit: E,
    /// The gain of the edit alone; none where it cannot be made alone.
    pub alone: Option<f64>,
    /// The loss without it, all others there; none where the others do not go without it.
    pub loss: Option<f64>,
    /// True where the two are the same, within the margin: then it has nothing to do with the others. Else it is
    /// epistatic.
    pub is_independent: bool,
}

/// The most edits of which all pairs are measured.
const MAX_PAIRED: usize = 12;

/// Finds out what each edit brings. `time_ns` is the time with some of the edits, none where they cannot be made,
/// fail, or have more error than they may; it is asked for all, for none, for each alone, for all but each, and of
/// up to twelve edits for each pair. None when there is no time for all or for none.
///
/// ```
/// use nitro_search::evolve::explain;
///
/// // The first takes 10 of 100 ns away; the others 20, but only together.
/// let time_ns = |some: &[char]| {
///     let pair = some.contains(&'b') && some.contains(&'c');
///     Some(100.0 - if some.contains(&'a') { 10.0 } else { 0.0 } - if pair { 20.0 } else { 0.0 })
/// };
/// let explained = explain(&['a', 'b', 'c'], 0.01, time_ns).unwrap();
/// assert!(explained.edits[0].is_independent && !explained.edits[1].is_independent);
/// assert_eq!(explained.pairs, [(1, 2, 0.2)]);
/// ```
pub fn explain<E: Clone>(
    edits: &[E],
    margin: f64,
    mut time_ns: impl FnMut(&[E]) -> Option<f64>,
) -> Option<Explanation<E>> {
    let base = time_ns(&[])?;
    let mut gain = |some: &[E]| Some((base - time_ns(some)?) / base);
    let all = gain(edits)?;
    let mut influences: Vec<Influence<E>> = Vec::with_capacity(edits.len());
    for (at, edit) in edits.iter().enumerate() {
        let alone = gain(std::slice::from_ref(edit));
        let without = gain(&[&edits[..at], &edits[at + 1..]].concat());
        let loss = without.map(|without| all - without);
        let difference = alone.zip(loss).map(|(alone, loss)| (alone - loss).abs());
        let is_independent = difference.is_some_and(|difference| difference <= margin);
        influences.push(Influence { edit: edit.clone(), alone, loss, is_independent });
    }
    let mut pairs = Vec::new();
    if edits.len() <= MAX_PAIRED {
        for (first, one) in edits.iter().enumerate() {
            for (second, other) in edits.iter().enumerate().skip(first + 1) {
                let Some(together) = gain(&[one.clone(), other.clone()]) else { continue };
                // What cannot be made alone brings nothing alone.
                let [one, other] = [first, second].map(|at| influences[at].alone.unwrap_or(0.0));
                let more = together - one - other;
                if more.abs() > margin {
                    pairs.push((first, second, more));
                }
            }
        }
    }
    Some(Explanation { gain: all, edits: influences, pairs })
}
