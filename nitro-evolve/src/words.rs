//! Words of messages.

/// The most names that a message lists.
const MOST_NAMES: usize = 20;

/// The reason for which something was not done.
pub(crate) const NO_TIME: &str = "no time was left";

/// Lists names in a sentence, only the first of them where there are too many.
pub(crate) fn several(names: &[impl AsRef<str>]) -> String {
    let first: Vec<&str> = names.iter().take(MOST_NAMES).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(MOST_NAMES) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Writes a number of patches: `1 patch`, `2 patches`.
pub(crate) fn patches(count: usize) -> String {
    format!("{count} {}", if count == 1 { "patch" } else { "patches" })
}

/// Tells whether a name consists of letters, digits and `_`, as those of a formula do.
pub(crate) fn is_word(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
