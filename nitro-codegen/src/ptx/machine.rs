//! What two images have to have in common to be the same program.

use nitro_core::Artifact;

/// The sections that say what runs: instructions, constants, initial values, and what a kernel takes.
const SECTIONS: [&str; 5] = [".text", ".nv.constant", ".nv.global", ".nv.shared", ".nv.info"];

/// A digest of the machine code in an image of the assembler (a cubin, which is an ELF file), whatever names and lines it has besides; none where it is no such file.
///
/// Patches that come to the same machine code take the same time, and need not be run again.
///
/// ```
/// use nitro_codegen::ptx::machine_code;
///
/// assert_eq!(machine_code(b".version 9.0"), None);
/// ```
#[must_use]
pub fn machine_code(image: &[u8]) -> Option<Artifact> {
    let mut parts: Vec<(&str, &[u8], u64)> = sections(image)?;
    parts.retain(|(name, ..)| SECTIONS.iter().any(|section| name.starts_with(section)));
    parts.sort();
    let mut text = String::new();
    for (name, bytes, size) in parts {
        text.push_str(&format!("{name} {size}\n"));
        text.extend(bytes.iter().map(|&byte| char::from(byte)));
    }
    (!text.is_empty()).then(|| Artifact::of(&text))
}

/// Names, contents and sizes; what has no bits in the file has no contents.
fn sections(image: &[u8]) -> Option<Vec<(&str, &[u8], u64)>> {
    const WITHOUT_BITS: u32 = 8;
    if !image.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let table = number(image, 0x28, 8)?;
    let (entry, count, names) = (number(image, 0x3a, 2)?, number(image, 0x3c, 2)?, number(image, 0x3e, 2)?);
    let header = |index: u64| {
        let at = usize::try_from(table.checked_add(index.checked_mul(entry)?)?).ok()?;
        let header = image.get(at..at.checked_add(0x40)?)?;
        Some((
            number(header, 0, 4)? as u32,
            number(header, 4, 4)? as u32,
            number(header, 0x18, 8)?,
            number(header, 0x20, 8)?,
        ))
    };
    let part = |offset: u64, size: u64| {
        let end = usize::try_from(offset.checked_add(size)?).ok()?;
        image.get(usize::try_from(offset).ok()?..end)
    };
    let (_, _, offset, size) = header(names)?;
    let names = part(offset, size)?;
    let mut found = Vec::new();
    for index in 0..count {
        let (name, kind, offset, size) = header(index)?;
        let name = names.get(name as usize..)?;
        let name = std::str::from_utf8(&name[..name.iter().position(|&byte| byte == 0)?]).ok()?;
        let bytes = if kind == WITHOUT_BITS { &[][..] } else { part(offset, size)? };
        found.push((name, bytes, size));
    }
    Some(found)
}

/// A little-endian number of so many bytes.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}
