//! Whether a JPEG file is whole: decoders fill in grey for what is cut off.

const MARKER: u8 = 0xff;
const END_OF_IMAGE: u8 = 0xd9;
const START_OF_SCAN: u8 = 0xda;

/// Whether the file, which begins as a JPEG image does, reaches the end of the image. What lies behind that, some
/// cameras put there.
pub(super) fn is_whole(bytes: &[u8]) -> bool {
    let mut at = 2;
    while let Some((kind, behind)) = marker(bytes, at) {
        at = match kind {
            END_OF_IMAGE => return true,
            0x01 | 0xd0..=0xd8 => behind,
            START_OF_SCAN => segment_end(bytes, behind).map_or(bytes.len(), |end| scan_end(bytes, end)),
            _ => segment_end(bytes, behind).unwrap_or(bytes.len()),
        };
    }
    false
}

/// The kind of the marker that stands here, behind any number of fill bytes, and where it ends.
fn marker(bytes: &[u8], at: usize) -> Option<(u8, usize)> {
    let rest = bytes.get(at..)?;
    let fill = rest.iter().take_while(|byte| **byte == MARKER).count();
    let kind = rest.get(fill).filter(|_| fill > 0)?;
    Some((*kind, at + fill + 1))
}

/// Where a segment ends that begins with its length.
fn segment_end(bytes: &[u8], at: usize) -> Option<usize> {
    let length = bytes.get(at..at + 2)?;
    Some(at + usize::from(u16::from_be_bytes([length[0], length[1]])).max(2))
}

/// Where coded data ends: at a marker that is neither an escaped byte nor a restart.
fn scan_end(bytes: &[u8], at: usize) -> usize {
    let is_end = |pair: &[u8]| pair[0] == MARKER && !matches!(pair[1], 0x00 | 0xd0..=0xd7 | MARKER);
    let coded = bytes.get(at..).unwrap_or_default();
    coded.windows(2).position(is_end).map_or(bytes.len(), |length| at + length)
}
