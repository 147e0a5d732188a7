//! Frames: the messages of two processes, one after the other.
//!
//! A frame is `ntro`, the version in four bytes, the number of bytes of the message in eight, both little-endian, and
//! the message in postcard's format.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

const MAGIC: [u8; 4] = *b"ntro";
const VERSION: u32 = 2;
const HEAD_BYTES: usize = 16;
/// The most bytes of a message: more than code with its machine code, or a line for each input that is left out.
const MOST_BYTES: u64 = 256 << 20;

/// The reason for which a message cannot be read or written.
#[derive(Debug, Error)]
pub enum FrameError {
    /// The stream fails.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The other side ended too early.
    #[error("it ended in the middle of a message")]
    CutOff,
    /// Something that is no frame was written there.
    #[error("it wrote `{}`, which is no message", .0.escape_ascii())]
    NoFrame([u8; HEAD_BYTES]),
    /// The other side is of another build.
    #[error("it speaks version {0} of the protocol, and this program {VERSION}")]
    Version(u32),
    /// The message is too long.
    #[error("a message has {0} bytes, and may have {MOST_BYTES}")]
    TooLong(u64),
    /// The message is not what is expected.
    #[error("its message is none: {0}")]
    Message(#[from] postcard::Error),
}

/// Writes a message, and flushes.
///
/// # Errors
/// When it is longer than a frame may be, or nobody reads.
pub fn write_frame(to: &mut impl Write, message: &impl Serialize) -> Result<(), FrameError> {
    to.write_all(&encode(message)?)?;
    Ok(to.flush()?)
}

/// Writes a message as bytes.
pub(crate) fn encode(message: &impl Serialize) -> Result<Vec<u8>, FrameError> {
    let mut bytes = postcard::to_extend(message, vec![0; HEAD_BYTES])?;
    let length = bounded((bytes.len() - HEAD_BYTES) as u64)?;
    bytes[..4].copy_from_slice(&MAGIC);
    bytes[4..8].copy_from_slice(&VERSION.to_le_bytes());
    bytes[8..HEAD_BYTES].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

/// Reads the next message; none where the other side has ended between two messages.
///
/// # Errors
/// When what comes is no message. The rest of what comes cannot be understood either.
pub fn read_frame<T: DeserializeOwned>(from: &mut impl Read) -> Result<Option<T>, FrameError> {
    let head = take(from, HEAD_BYTES as u64)?;
    if head.is_empty() {
        return Ok(None);
    }
    let head: [u8; HEAD_BYTES] = head.try_into().map_err(|_| FrameError::CutOff)?;
    let [magic, version, low, high] = head.as_chunks::<4>().0 else { return Err(FrameError::CutOff) };
    if *magic != MAGIC {
        return Err(FrameError::NoFrame(head));
    }
    let [version, low, high] = [version, low, high].map(|part| u32::from_le_bytes(*part));
    if version != VERSION {
        return Err(FrameError::Version(version));
    }
    let length = bounded(u64::from(high) << 32 | u64::from(low))?;
    let message = take(from, length)?;
    if message.len() as u64 != length {
        return Err(FrameError::CutOff);
    }
    Ok(Some(postcard::from_bytes(&message)?))
}

/// Checks that a message is not too long.
fn bounded(bytes: u64) -> Result<u64, FrameError> {
    if bytes <= MOST_BYTES { Ok(bytes) } else { Err(FrameError::TooLong(bytes)) }
}

/// Reads so many bytes, fewer only at the end. Memory is taken as they come.
fn take(from: &mut impl Read, bytes: u64) -> io::Result<Vec<u8>> {
    let mut taken = Vec::new();
    from.take(bytes).read_to_end(&mut taken)?;
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(mut bytes: &[u8]) -> String {
        read_frame::<String>(&mut bytes).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        let numbers = [0.1, f64::INFINITY, 1.0 / 3.0];
        write_frame(&mut bytes, &"first").unwrap();
        write_frame(&mut bytes, &numbers).unwrap();
        let mut rest = &bytes[..];
        assert_eq!(read_frame::<String>(&mut rest).unwrap().as_deref(), Some("first"));
        assert_eq!(read_frame::<[f64; 3]>(&mut rest).unwrap(), Some(numbers));
        assert_eq!(read_frame::<String>(&mut rest).unwrap(), None);
    }

    #[test]
    fn a_message_that_breaks_off_is_none() {
        let bytes = encode(&"cut").unwrap();
        for length in 1..bytes.len() {
            assert_eq!(refused(&bytes[..length]), "it ended in the middle of a message");
        }
    }

    /// The error of a right message with some of its bytes replaced.
    fn refused_with(at: usize, replaced: &[u8]) -> String {
        let mut bytes = encode(&"the right one").unwrap();
        bytes[at..at + replaced.len()].copy_from_slice(replaced);
        refused(&bytes)
    }

    #[test]
    fn what_is_no_message_is_said() {
        let printed = refused_with(0, b"Hello, world");
        assert!(printed.starts_with("it wrote `Hello, world"), "{printed}");
        assert_eq!(refused_with(4, &[9]), "it speaks version 9 of the protocol, and this program 2");
        assert!(refused_with(8, &[0xff; 8]).starts_with("a message has 18446744073709551615 bytes"));
        assert!(refused_with(16, &[0xff; 13]).starts_with("its message is none"));
        assert!(matches!(bounded(MOST_BYTES + 1), Err(FrameError::TooLong(_))));
    }
}
