//! Which inputs are learned from, and which judge what was learned.

/// Whether an input of this name judges: `train/…` and `test/…` say it themselves; any other goes by its group, the name up to the last `/`, of which a fixed hash
/// sends about one in three to the test side.
pub(crate) fn is_test(name: &str) -> bool {
    if name.starts_with("train/") {
        return false;
    }
    let group = name.rsplit_once('/').map_or(name, |(group, _)| group);
    name.starts_with("test/") || fnv1a(group).is_multiple_of(3)
}

/// 64-bit FNV-1a (Fowler, Noll and Vo): fixed for ever, unlike the standard library's hashes.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv1a() {
        assert_eq!(fnv1a(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a("foobar"), 0x8594_4171_f739_67e8);
    }
}
