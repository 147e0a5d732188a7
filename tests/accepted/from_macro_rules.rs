//! Functions stamped out by `macro_rules!`, with names from both sides.

use nitro::code_variant;

macro_rules! sorts {
    ($($name:ident: $key:ty, $limit:expr;)*) => {$(
        /// One of several.
        #[code_variant(
            features(length = keys.len()),
            variants(stable::<$key>, unstable::<$key> if length > $limit),
            default = stable,
        )]
        pub fn $name(keys: &mut [$key]) -> usize;
    )*};
}

sorts! {
    sort_bytes: u8, 3 + 1;
    sort_words: u32, usize::MAX;
}

fn stable<T: Ord>(keys: &mut [T]) -> usize {
    keys.sort();
    keys.len()
}

fn unstable<T: Ord>(keys: &mut [T]) -> usize {
    keys.sort_unstable();
    keys.len()
}

#[test]
fn functions_stamped_out_are_called() {
    assert_eq!(sort_bytes(&mut [2, 1]) + sort_words(&mut [3]), 3);
    let constraint = sort_bytes::function().variants()[1].constraint();
    let constraint = constraint.expect("it has one");
    assert_eq!(constraint.text(), "length > (3 + 1)");
    let admits = |length| constraint.admits(&[Some(length)], nitro::Configuration::default());
    assert_eq!((admits(4.0), admits(5.0)), (Some(false), Some(true)));
}
