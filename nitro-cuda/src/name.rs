//! The names of devices: `cuda:N`, `cuda:N/SMSsm`.

use std::fmt;

use crate::CudaError;

/// A device by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) ordinal: usize,
    /// Number of multiprocessors of a partition; none for the whole GPU.
    pub(crate) multiprocessors: Option<usize>,
}

impl Name {
    /// Reads a name; none for a text of another kind of device.
    pub(crate) fn parse(text: &str) -> Option<Result<Self, CudaError>> {
        let rest = text.strip_prefix("cuda")?;
        if !(rest.is_empty() || rest.starts_with(':')) {
            return None;
        }
        Some(Self::of(rest).ok_or_else(|| CudaError::Form { text: text.to_owned() }))
    }

    fn of(rest: &str) -> Option<Self> {
        let rest = rest.strip_prefix(':')?;
        let (ordinal, part) = match rest.split_once('/') {
            None => (rest, None),
            Some((ordinal, part)) => (ordinal, Some(part.strip_suffix("sm")?)),
        };
        let multiprocessors = match part {
            None => None,
            Some(count) => Some(number(count).filter(|&count| count > 0)?),
        };
        Some(Self { ordinal: number(ordinal)?, multiprocessors })
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "cuda:{}", self.ordinal)?;
        self.multiprocessors.map_or(Ok(()), |part| write!(formatter, "/{part}sm"))
    }
}

/// Digits alone: `parse` would take a sign too.
fn number(text: &str) -> Option<usize> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_and_partitions() {
        let name = |ordinal, multiprocessors| Name { ordinal, multiprocessors };
        for (text, expected) in
            [("cuda:0", name(0, None)), ("cuda:12", name(12, None)), ("cuda:1/16sm", name(1, Some(16)))]
        {
            assert_eq!(Name::parse(text).unwrap().unwrap(), expected, "{text}");
            assert_eq!(expected.to_string(), text);
        }
    }

    #[test]
    fn anything_else_is_refused_or_of_another_kind() {
        for text in [
            "cuda",
            "cuda:",
            "cuda:x",
            "cuda:+1",
            "cuda:0/16",
            "cuda:0/0sm",
            "cuda:0/sm",
            "cuda:0/-8sm",
            "cuda:0/",
        ] {
            let message = Name::parse(text).unwrap().unwrap_err().to_string();
            assert!(message.contains(text) && message.contains("cuda:0/16sm"), "{message}");
        }
        for text in ["host:4", "", "cudax:0", "gpu"] {
            assert!(Name::parse(text).is_none(), "{text}");
        }
    }
}
