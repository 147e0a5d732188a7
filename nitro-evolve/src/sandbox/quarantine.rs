//! The code that has cost a worker.

use std::collections::HashMap;
use std::sync::Arc;

use nitro_ptx::machine_code;
use nitro_search::Failure;

use crate::runner::Code;

/// The code that is not run again, with its failure.
#[derive(Default)]
pub(super) struct Quarantine(HashMap<Key, (Failure, String)>);

/// A key that is the same for programs that do the same.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    /// The digest of machine code.
    Machine(u64),
    Text(Arc<str>),
}

impl Key {
    /// Returns the key of code.
    fn of(code: &Code) -> Self {
        let is_known =
            !code.images.is_empty() && code.images.iter().all(|image| machine_code(image).is_some());
        if is_known { Self::Machine(code.digest()) } else { Self::Text(code.ptx.clone()) }
    }
}

impl Quarantine {
    /// Notes a failure that has cost a worker.
    pub(super) fn add(&mut self, code: &Code, failure: Failure, message: &str) {
        self.0.insert(Key::of(code), (failure, message.to_owned()));
    }

    /// Returns the earlier failure of this code.
    pub(super) fn find(&self, code: &Code) -> Option<(Failure, String)> {
        self.0.get(&Key::of(code)).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_without_machine_code_is_known_by_its_text() {
        let code = |ptx: &str, image: Option<&[u8]>| Code {
            ptx: ptx.into(),
            images: image.into_iter().map(Arc::from).collect(),
        };
        let mut quarantine = Quarantine::default();
        quarantine.add(&code("a", None), Failure::Crash, "trapped");
        assert_eq!(quarantine.find(&code("a", None)), Some((Failure::Crash, "trapped".to_owned())));
        assert_eq!(
            quarantine.find(&code("a", Some(b"no image"))).map(|(failure, _)| failure),
            Some(Failure::Crash)
        );
        assert_eq!(quarantine.find(&code("b", None)), None);
    }
}
