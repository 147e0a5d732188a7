//! What is another line in a text than in one before.

/// Whether a line is in both texts, or in one of them alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    Both(&'a str),
    Before(&'a str),
    After(&'a str),
}

/// The lines of both texts with as many in common as possible.
pub fn lines<'a>(before: &'a str, after: &'a str) -> Vec<Line<'a>> {
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    // The longest common part of what begins at each pair of lines.
    let mut longest = vec![vec![0; after.len() + 1]; before.len() + 1];
    for (i, one) in before.iter().enumerate().rev() {
        for (j, other) in after.iter().enumerate().rev() {
            longest[i][j] = if one == other {
                longest[i + 1][j + 1] + 1
            } else {
                longest[i + 1][j].max(longest[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut lines) = (0, 0, Vec::new());
    while i < before.len() || j < after.len() {
        if i < before.len() && j < after.len() && before[i] == after[j] {
            lines.push(Line::Both(before[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == after.len() || i < before.len() && longest[i + 1][j] >= longest[i][j + 1] {
            lines.push(Line::Before(before[i]));
            i += 1;
        } else {
            lines.push(Line::After(after[j]));
            j += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use Line::{After, Before, Both};

    #[test]
    fn what_is_common_stays_in_place() {
        assert_eq!(
            lines("a\nb\nc", "a\nx\nc\nd"),
            [Both("a"), Before("b"), After("x"), Both("c"), After("d")]
        );
        assert_eq!(lines("", "a"), [After("a")]);
        assert_eq!(lines("a\nb", "b"), [Before("a"), Both("b")]);
    }
}
