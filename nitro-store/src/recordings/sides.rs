//! The split of inputs into those that are learned from and those that judge.

use nitro_core::hash::fnv1a;

/// Returns true if an input of this name judges. `train/…` and `test/…` say it themselves. Any other goes by its
/// group, the name up to the last `/`; a fixed hash sends about one group in three to the test side.
pub fn is_test(name: &str) -> bool {
    if name.starts_with("train/") {
        return false;
    }
    let group = name.rsplit_once('/').map_or(name, |(group, _)| group);
    name.starts_with("test/") || fnv1a(group.as_bytes()).is_multiple_of(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shipped recordings and models were split by it.
    #[test]
    fn the_side_of_a_group_is_fixed_for_ever() {
        let sides = ["a/1", "b/1", "c/1", "c/2", "foobar/1", "foobar", "train/c/1", "test/a/1"].map(is_test);
        assert_eq!(sides, [false, false, true, true, true, true, false, true]);
    }
}
