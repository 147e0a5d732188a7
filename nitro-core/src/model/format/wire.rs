//! Values as bytes, in the encoding of [postcard](https://postcard.jamesmunns.com/wire-format): integers as LEB128, so
//! that small ones take a byte, floats and bytes as they are, texts and lists behind their lengths, structs field by
//! field, enums behind the number of the variant.
//!
//! What is read may be anybody's. A list of names is read up to a length and no further: what a few bytes of a file say
//! must not take memory by the gigabyte before it is known whether the file makes sense.

/// The most names, classes and columns: far more than any model has.
pub(in super::super) const MANY: usize = 4096;

/// A value that is written as bytes and read from them.
pub(in super::super) trait Wire: Sized {
    fn write(&self, bytes: &mut Vec<u8>);

    /// Reads a value from the front of these bytes. None where they are not such a value.
    fn read(bytes: &mut &[u8]) -> Option<Self>;
}

/// Implements [`Wire`] for structs, whose fields are written in this order. `FIELD: MOST` is a list of at most so many
/// values.
macro_rules! wire_structs {
    ($($name:ident { $($field:ident $(: $most:expr)?),* $(,)? })*) => {$(
        impl $crate::model::format::wire::Wire for $name {
            fn write(&self, bytes: &mut Vec<u8>) {
                $($crate::model::format::wire::Wire::write(&self.$field, bytes);)*
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                $(let $field = $crate::model::format::wire::wire_structs!(@read bytes $($most)?);)*
                Some(Self { $($field),* })
            }
        }
    )*};
    (@read $bytes:ident) => { $crate::model::format::wire::Wire::read($bytes)? };
    (@read $bytes:ident $most:expr) => { $crate::model::format::wire::list($bytes, $most)? };
}
pub(in super::super) use wire_structs;

/// Writes an unsigned integer: seven bits a byte, the lowest first, and a bit that says that more follow.
fn write_integer(mut value: u64, bytes: &mut Vec<u8>) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Reads an unsigned integer of at most 64 bits.
fn read_integer(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let byte = u8::read(bytes)?;
        let bits = u64::from(byte & 0x7f);
        value |= bits << shift;
        if byte < 0x80 {
            return (bits << shift >> shift == bits).then_some(value);
        }
    }
    None
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl Wire for $integer {
            fn write(&self, bytes: &mut Vec<u8>) {
                write_integer(*self as u64, bytes);
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                read_integer(bytes)?.try_into().ok()
            }
        }
    )*};
}

integers!(u16 u32 u64 usize);

/// Numbers whose bytes are written as they are, the lowest first.
macro_rules! plain {
    ($($number:ty)*) => {$(
        impl Wire for $number {
            fn write(&self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                let (number, rest) = bytes.split_first_chunk()?;
                *bytes = rest;
                Some(Self::from_le_bytes(*number))
            }
        }
    )*};
}

plain!(u8 i8 f32 f64);

impl Wire for bool {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.push((*self).into());
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        match u8::read(bytes)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Wire for String {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.len().write(bytes);
        bytes.extend_from_slice(self.as_bytes());
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let length = usize::read(bytes)?;
        let (text, rest) = bytes.split_at_checked(length)?;
        *bytes = rest;
        Some(str::from_utf8(text).ok()?.to_owned())
    }
}

impl<T: Wire> Wire for Option<T> {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.is_some().write(bytes);
        self.iter().for_each(|value| value.write(bytes));
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        match bool::read(bytes)? {
            true => T::read(bytes).map(Some),
            false => Some(None),
        }
    }
}

/// A list of numbers. It is no longer than the bytes that are there.
impl<T: Wire> Wire for Vec<T> {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.len().write(bytes);
        self.iter().for_each(|value| value.write(bytes));
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        list(bytes, usize::MAX)
    }
}

/// Reads a list of at most `most` values.
pub(in super::super) fn list<T: Wire>(bytes: &mut &[u8], most: usize) -> Option<Vec<T>> {
    let length = usize::read(bytes)?;
    // Each value takes a byte at least.
    if length > most.min(bytes.len()) {
        return None;
    }
    let mut values = Vec::new();
    for _ in 0..length {
        values.push(T::read(bytes)?);
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(value: &impl Wire) -> Vec<u8> {
        let mut bytes = Vec::new();
        value.write(&mut bytes);
        bytes
    }

    fn read<T: Wire>(bytes: &[u8]) -> Option<T> {
        let mut left = bytes;
        T::read(&mut left).filter(|_| left.is_empty())
    }

    #[test]
    fn integers_take_as_many_bytes_as_they_need() {
        let known: [(u64, &[u8]); 4] =
            [(0, &[0]), (127, &[127]), (128, &[0x80, 1]), (65535, &[0xff, 0xff, 0x03])];
        for (value, bytes) in known {
            assert_eq!((bytes_of(&value).as_slice(), read(bytes)), (bytes, Some(value)));
        }
        assert_eq!(read::<u64>(&bytes_of(&u64::MAX)), Some(u64::MAX));
        assert_eq!(read::<u16>(&bytes_of(&65536_u32)), None, "it does not fit");
        assert_eq!(read::<u64>(&[0xff; 11]), None, "it does not end");
        assert_eq!(
            read::<u64>(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02]),
            None,
            "65 bits"
        );
    }

    #[test]
    fn what_is_cut_off_or_no_such_value_is_none() {
        let names = vec!["a".to_owned(), "bc".to_owned()];
        let bytes = bytes_of(&Some(names.clone()));
        assert_eq!(bytes, [1, 2, 1, b'a', 2, b'b', b'c']);
        assert_eq!(read(&bytes), Some(Some(names)));
        assert!((0..bytes.len()).all(|length| read::<Option<Vec<String>>>(&bytes[..length]).is_none()));
        assert_eq!((read::<bool>(&[2]), read::<String>(&[1, 0xff])), (None, None));
        assert_eq!(list::<String>(&mut &[3, 0, 0, 0][..], 2), None, "longer than allowed");
        assert_eq!(read::<Vec<f64>>(&bytes_of(&u64::MAX)), None, "longer than the bytes");
    }
}
