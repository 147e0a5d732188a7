//! The rule by which a ranking becomes a choice. It is that of the run time (`choose.rs` in `nitro-core`): learning, evaluation and
//! explanation ask here what would run, and nowhere else.

/// The first of the ranking that may run; where none may, the first of the fallback that may.
pub(crate) fn choose(
    ranking: impl IntoIterator<Item = usize>,
    fallback: impl IntoIterator<Item = usize>,
    may_run: impl Fn(usize) -> bool,
) -> Option<usize> {
    ranking.into_iter().chain(fallback).find(|&class| may_run(class))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_that_may_run_is_chosen_and_the_fallback_only_without_one() {
        assert_eq!(choose([2, 0, 1], [1], |class| class != 2), Some(0));
        assert_eq!(choose([2, 0], [1, 3], |class| class == 1 || class == 3), Some(1));
        assert_eq!(choose([2, 0], [], |_| false), None);
    }
}
