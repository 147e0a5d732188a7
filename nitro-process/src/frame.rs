//! Frames: the messages of two processes, one after the other.
//!
//! A frame is a mark with the version, the number of bytes of the message in eight little-endian bytes, and the message
//! in postcard's format.

use std::io::{self, Read, Write};
use std::sync::mpsc::Sender;

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

/// The mark of version 2.
const MARK: [u8; 8] = *b"ntro\x02\0\0\0";
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
    /// Something that is no frame of this version was written there.
    #[error("it wrote `{}`, which is no message", .0.escape_ascii())]
    NoFrame(Vec<u8>),
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
    bytes[..8].copy_from_slice(&MARK);
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
    let &[mark, length] = head.as_chunks::<8>().0 else { return Err(FrameError::CutOff) };
    if mark != MARK {
        return Err(FrameError::NoFrame(head));
    }
    let length = bounded(u64::from_le_bytes(length))?;
    let message = take(from, length)?;
    if message.len() as u64 != length {
        return Err(FrameError::CutOff);
    }
    Ok(Some(postcard::from_bytes(&message)?))
}

/// Passes on the messages that come, and calls `seen` before each. Returns true if all were messages.
///
/// Behind what is none nothing can be understood.
pub(crate) fn pass_on<T: DeserializeOwned>(
    mut from: impl Read,
    to: &Sender<Result<T, FrameError>>,
    seen: impl Fn(),
) -> bool {
    while let Some(message) = read_frame(&mut from).transpose() {
        seen();
        let is_understood = message.is_ok();
        if to.send(message).is_err() || !is_understood {
            return false;
        }
    }
    true
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
        let other_version = refused_with(4, &[9]);
        assert!(other_version.starts_with(r"it wrote `ntro\t\x00\x00\x00"), "{other_version}");
        assert!(refused_with(8, &[0xff; 8]).starts_with("a message has 18446744073709551615 bytes"));
        assert!(refused_with(16, &[0xff; 13]).starts_with("its message is none"));
        assert!(matches!(bounded(MOST_BYTES + 1), Err(FrameError::TooLong(_))));
    }
}
