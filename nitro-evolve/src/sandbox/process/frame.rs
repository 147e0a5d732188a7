//! Frames: the messages of two processes, one after the other.
//!
//! A frame is `ntro`, then three little-endian numbers of four bytes (version, bytes of the header, bytes of the
//! payload), the header in JSON, and the payload.

use std::io::{self, Read};

use serde::Serialize;
use serde::de::DeserializeOwned;

const MAGIC: [u8; 4] = *b"ntro";
const VERSION: u32 = 1;
const HEAD_BYTES: usize = 16;
/// The most bytes of a header; a workload is the longest.
const MOST_HEADER_BYTES: u32 = 8 << 20;
/// The most bytes of a payload; PTX with its machine code has some megabytes.
const MOST_PAYLOAD_BYTES: u32 = 256 << 20;

/// Writes a message as bytes.
///
/// # Errors
/// When it is longer than a frame may be, or is none in JSON.
pub(in super::super) fn encode(header: &impl Serialize, payload: &[&[u8]]) -> Result<Vec<u8>, String> {
    let header = serde_json::to_vec(header).map_err(|error| error.to_string())?;
    let header_bytes = bounded("header", header.len(), MOST_HEADER_BYTES)?;
    let payload_bytes = bounded("payload", payload.iter().map(|part| part.len()).sum(), MOST_PAYLOAD_BYTES)?;
    let mut bytes = Vec::with_capacity(HEAD_BYTES + header_bytes as usize + payload_bytes as usize);
    bytes.extend(MAGIC);
    [VERSION, header_bytes, payload_bytes].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    bytes.extend(header);
    payload.iter().for_each(|part| bytes.extend_from_slice(part));
    Ok(bytes)
}

/// Reads the next message and its payload; none where the other side has ended between two messages.
///
/// # Errors
/// With the reason in words, when what comes is no message. The rest of what comes cannot be understood either.
pub(in super::super) fn read<H: DeserializeOwned>(
    from: &mut impl Read,
) -> Result<Option<(H, Vec<u8>)>, String> {
    let mut head = [0; HEAD_BYTES];
    match fill(from, &mut head).map_err(|error| error.to_string())? {
        0 => return Ok(None),
        HEAD_BYTES => {}
        _ => return Err("it ended in the middle of a message".to_owned()),
    }
    let [magic, version, header_bytes, payload_bytes] = head.as_chunks::<4>().0 else {
        return Err("a head has four parts".to_owned());
    };
    if *magic != MAGIC {
        return Err(format!("it wrote `{}`, which is no message", head.escape_ascii()));
    }
    let [version, header_bytes, payload_bytes] =
        [version, header_bytes, payload_bytes].map(|number| u32::from_le_bytes(*number));
    if version != VERSION {
        return Err(format!("it speaks version {version} of the protocol, and this program {VERSION}"));
    }
    bounded("header", header_bytes as usize, MOST_HEADER_BYTES)?;
    bounded("payload", payload_bytes as usize, MOST_PAYLOAD_BYTES)?;
    let header = take(from, header_bytes)?;
    let payload = take(from, payload_bytes)?;
    let header = serde_json::from_slice(&header).map_err(|error| format!("its message is none: {error}"))?;
    Ok(Some((header, payload)))
}

/// Checks that a part of a message is not too long.
fn bounded(part: &str, bytes: usize, most: u32) -> Result<u32, String> {
    match u32::try_from(bytes) {
        Ok(bytes) if bytes <= most => Ok(bytes),
        _ => Err(format!("the {part} of a message has {bytes} bytes, and may have {most}")),
    }
}

/// Fills a buffer, and returns the number of bytes: fewer than asked for only at the end.
fn fill(from: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match from.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Reads so many bytes; memory is taken as they come.
fn take(from: &mut impl Read, bytes: u32) -> Result<Vec<u8>, String> {
    let mut taken = Vec::new();
    from.take(u64::from(bytes)).read_to_end(&mut taken).map_err(|error| error.to_string())?;
    match taken.len() == bytes as usize {
        true => Ok(taken),
        false => Err("it ended in the middle of a message".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(mut bytes: &[u8]) -> Result<Option<(String, Vec<u8>)>, String> {
        read(&mut bytes)
    }

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = encode(&"first", &[b"pay", b"load"]).unwrap();
        bytes.extend(encode(&"second", &[]).unwrap());
        let mut rest = &bytes[..];
        assert_eq!(read(&mut rest), Ok(Some(("first".to_owned(), b"payload".to_vec()))));
        assert_eq!(read(&mut rest), Ok(Some(("second".to_owned(), Vec::new()))));
        assert_eq!(read::<String>(&mut rest), Ok(None));
    }

    #[test]
    fn a_message_that_breaks_off_is_none() {
        let bytes = encode(&"cut", &[b"payload"]).unwrap();
        for length in 1..bytes.len() {
            assert_eq!(decode(&bytes[..length]).unwrap_err(), "it ended in the middle of a message");
        }
    }

    #[test]
    fn what_is_no_message_is_said() {
        let bytes = encode(&"right", &[]).unwrap();
        let with = |at: usize, replaced: &[u8]| {
            let mut bytes = bytes.clone();
            bytes[at..at + replaced.len()].copy_from_slice(replaced);
            decode(&bytes).unwrap_err()
        };
        assert!(
            with(0, b"Hello, world").starts_with("it wrote `Hello, world"),
            "{}",
            with(0, b"Hello, world")
        );
        assert_eq!(with(4, &[9]), "it speaks version 9 of the protocol, and this program 1");
        assert!(with(8, &[0xff; 4]).starts_with("the header of a message has 4294967295 bytes"));
        assert!(with(12, &[0xff; 4]).starts_with("the payload of a message has 4294967295 bytes"));
        assert!(with(16, b"{").starts_with("its message is none"));
        assert!(encode(&"x".repeat(9 << 20), &[]).unwrap_err().starts_with("the header of a message"));
    }
}
