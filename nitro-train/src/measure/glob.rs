//! File names against patterns with `*` and `?`.

/// Whether `name` is of the form `pattern`; `*` stands for any text, `?` for one character.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // The last star, and how much of the name it has swallowed: on a mismatch it swallows one more.
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((place, swallowed)) = star else { return false };
                star = Some((place, swallowed + 1));
                p = place + 1;
                n = swallowed + 1;
            }
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, name, expected) in [
            ("*.mtx", "bcsstk13.mtx", true),
            ("*.mtx", "bcsstk13.mtx.gz", false),
            ("*.mtx*", "bcsstk13.mtx.gz", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*a*b", "xaxbxab", true),
            ("*a*b", "xaxbxa", false),
            ("*", "", true),
            ("", "x", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
