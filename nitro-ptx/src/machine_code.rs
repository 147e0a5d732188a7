//! Digests of machine code: two images with the same one are the same program.

use nitro_core::Artifact;

/// The sections that say what runs: instructions, constants, initial values, what a kernel takes, and whose
/// addresses are put where.
const SECTIONS: [&str; 9] = [
    ".text",
    ".nv.constant",
    ".nv.global",
    ".nv.shared",
    ".nv.info",
    ".rel.text",
    ".rela.text",
    ".rel.nv.constant",
    ".rela.nv.constant",
];

/// Returns a digest of the machine code in an image of the assembler; none where it is none.
///
/// An image is a cubin, which is an ELF file. Names and lines that it has besides make no difference.
///
/// Patches that come to the same machine code take the same time, and need not be run again.
///
/// ```
/// use nitro_ptx::machine_code;
///
/// assert_eq!(machine_code(b".version 9.0"), None);
/// ```
#[must_use]
pub fn machine_code(image: &[u8]) -> Option<Artifact> {
    let mut parts: Vec<(&str, &[u8], u64)> = sections(image)?;
    parts.retain(|(name, ..)| SECTIONS.iter().any(|section| name.starts_with(section)));
    // No two sections of an assembler's image have a byte in common.
    if parts.iter().map(|(_, bytes, _)| bytes.len()).sum::<usize>() > image.len() {
        return None;
    }
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

#[cfg(test)]
mod tests {
    use super::machine_code;

    /// An image with sections of these names, each of which is the bytes from 0 to `size`.
    fn image(names: &[&str], size: u64) -> Vec<u8> {
        let text: String = names.iter().map(|name| format!("{name}\0")).collect();
        let table = 0x40 + text.len();
        let mut image = vec![0; 0x40];
        image[..6].copy_from_slice(b"\x7fELF\x02\x01");
        image[0x28..0x30].copy_from_slice(&(table as u64).to_le_bytes());
        for (at, number) in [(0x3a, 0x40), (0x3c, names.len() + 1), (0x3e, names.len())] {
            image[at..at + 2].copy_from_slice(&(number as u16).to_le_bytes());
        }
        image.extend(text.as_bytes());
        let mut header = |name: usize, offset: u64, size: u64| {
            let mut header = [0; 0x40];
            header[..4].copy_from_slice(&(name as u32).to_le_bytes());
            header[0x18..0x20].copy_from_slice(&offset.to_le_bytes());
            header[0x20..0x28].copy_from_slice(&size.to_le_bytes());
            image.extend(header);
        };
        let mut at = 0;
        for name in names {
            header(at, 0, size);
            at += name.len() + 1;
        }
        header(text.len() - 1, 0x40, text.len() as u64); // the names of the sections; itself has none
        image
    }

    #[test]
    fn only_what_runs_makes_a_difference() {
        let code = |names: &[&str]| machine_code(&image(names, 16));
        assert!(code(&[".text.k", ".debug_line"]).is_some());
        assert_eq!(code(&[".text.k", ".debug_line"]), code(&[".text.k"]));
        assert_ne!(code(&[".text.k", ".rela.text.k"]), code(&[".text.k"]));
        assert_ne!(machine_code(&image(&[".text.k"], 17)), machine_code(&image(&[".text.k"], 16)));
        assert_eq!(code(&[".debug_line"]), None);
    }

    #[test]
    fn damaged_images_have_no_machine_code() {
        let whole = image(&[".text.k", ".nv.info"], 16);
        (0..whole.len()).for_each(|length| assert_eq!(machine_code(&whole[..length]), None, "{length}"));
        let overlapping = image(&[".text"; 400], 400 * 0x40);
        assert_eq!(machine_code(&overlapping), None, "as much as 400 images");
    }
}
