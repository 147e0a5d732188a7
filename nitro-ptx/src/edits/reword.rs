//! Opcodes that edits put in the place of others.

use super::edit::CacheMode;

/// The number that stands where a guard is taken away.
pub(crate) const ALWAYS: &str = "1";

/// Returns the opcode with another cache mode; none where it has parts that are not known.
pub(crate) fn with_cache(opcode: &str, mode: CacheMode) -> Option<String> {
    let mut parts = opcode.split('.');
    let (first, space) = (parts.next()?, parts.next()?);
    let rest: Vec<&str> = parts.filter(|part| !matches!(*part, "ca" | "cg" | "cs" | "nc" | "wt")).collect();
    let is_plain = match rest[..] {
        [kind] => is_type(kind),
        [vector, kind] => matches!(vector, "v2" | "v4") && is_type(kind),
        _ => false,
    };
    let may = match (first, mode) {
        ("ld", CacheMode::Nc) | ("st", CacheMode::Wt) => space == "global",
        ("ld", CacheMode::Ca) | ("ld" | "st", CacheMode::Default | CacheMode::Cg | CacheMode::Cs) => {
            space == "global"
        }
        _ => false,
    };
    if !may || !is_plain {
        return None;
    }
    let mode = if mode == CacheMode::Default { String::new() } else { format!(".{mode}") };
    Some(format!("{first}.{space}{mode}.{}", rest.join(".")))
}

/// Returns true for accesses that have to be made where they stand.
pub(crate) fn is_volatile(opcode: &str) -> bool {
    opcode.split('.').any(|part| matches!(part, "volatile" | "mmio"))
}

/// Returns the opcode that computes a quotient or a root of 32 bits approximately; none for any other opcode.
pub(crate) fn approximate(opcode: &str) -> Option<String> {
    let parts: Vec<&str> = opcode.split('.').collect();
    let exact = match parts[..] {
        ["div", "full" | "rn" | "rz" | "rm" | "rp", .., "f32"] => parts[1],
        ["sqrt" | "rcp", "rn" | "rz" | "rm" | "rp", .., "f32"] => parts[1],
        _ => return None,
    };
    Some(opcode.replacen(exact, "approx", 1))
}

/// Returns the opcode that divides integers as if they had no sign, which is the same where none is negative; none for
/// any other opcode.
pub(crate) fn without_sign(opcode: &str) -> Option<String> {
    let (name, bits) = opcode.split_once(".s")?;
    (matches!(name, "div" | "rem") && matches!(bits, "16" | "32" | "64")).then(|| format!("{name}.u{bits}"))
}

fn is_type(part: &str) -> bool {
    part.strip_prefix(['b', 'u', 's', 'f']).is_some_and(|bits| matches!(bits, "8" | "16" | "32" | "64"))
}
