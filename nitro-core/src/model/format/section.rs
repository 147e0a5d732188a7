//! The sections of a model file: each with a name, whether a reader has to know it, and its length.

use super::error::ModelError;

/// Bytes of a name, with zeros behind it.
const NAME_BYTES: usize = 12;

/// One section.
pub(super) struct Section<'a> {
    pub(super) name: &'a str,
    /// True where a reader that does not know the section must not use the model.
    is_required: bool,
    pub(super) bytes: &'a [u8],
}

/// Appends a section.
pub(super) fn write(body: &mut Vec<u8>, name: &str, is_required: bool, bytes: &[u8]) {
    let mut padded = [0; NAME_BYTES];
    padded[..name.len()].copy_from_slice(name.as_bytes());
    body.extend_from_slice(&padded);
    body.extend_from_slice(&u32::from(is_required).to_le_bytes());
    body.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    body.extend_from_slice(bytes);
}

/// The sections of a body. One that is not `known` is passed over where it is optional.
pub(super) fn read<'a>(mut body: &'a [u8], known: &[&str]) -> Result<Vec<Section<'a>>, ModelError> {
    let mut sections: Vec<Section<'a>> = Vec::new();
    while !body.is_empty() {
        let (section, rest) = split(body).ok_or(ModelError::Inconsistent { what: "length of a section" })?;
        match known.contains(&section.name) {
            true if sections.iter().any(|own| own.name == section.name) => {
                return Err(ModelError::Inconsistent { what: "a section is there twice" });
            }
            true => sections.push(section),
            false if section.is_required => {
                return Err(ModelError::Section { name: section.name.to_owned() });
            }
            false => {}
        }
        body = rest;
    }
    Ok(sections)
}

/// The first section, and what is behind it.
fn split(body: &[u8]) -> Option<(Section<'_>, &[u8])> {
    let (name, rest) = body.split_at_checked(NAME_BYTES)?;
    let (flags, rest) = rest.split_first_chunk::<4>()?;
    let (length, rest) = rest.split_first_chunk::<8>()?;
    let (bytes, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    let name = str::from_utf8(name).ok()?.trim_end_matches('\0');
    let is_sound = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase());
    let section = Section { name, is_required: u32::from_le_bytes(*flags) != 0, bytes };
    is_sound.then_some((section, rest))
}
