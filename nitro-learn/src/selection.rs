//! The choice by the rule of the run time, for learning, evaluation and explanation.

use nitro_core::first_admissible;

/// The first of the ranking that may run; where none may, the first of the fallback that may.
pub fn choose(
    ranking: impl IntoIterator<Item = usize>,
    fallback: impl IntoIterator<Item = usize>,
    may_run: impl Fn(usize) -> bool,
) -> Option<usize> {
    first_admissible(ranking.into_iter().chain(fallback), |class| may_run(class).then_some(class))
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
