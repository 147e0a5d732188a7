//! The hash by which things are told apart beyond one process.

/// Returns the 64-bit FNV-1a hash (Fowler, Noll and Vo): the same on every machine and in every version.
///
/// That of the standard library may change. Neither is against forgery.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::fnv1a;

    #[test]
    fn it_is_fnv1a() {
        let known =
            [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)];
        known.iter().for_each(|(text, hash)| assert_eq!(fnv1a(text.as_bytes()), *hash, "{text}"));
    }
}
