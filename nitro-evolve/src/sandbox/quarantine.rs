//! What has cost a worker.

use std::collections::HashMap;
use std::sync::Arc;

use nitro_ptx::machine_code;
use nitro_search::Failure;

use crate::bench::Code;

/// Code that is not run again, and why.
#[derive(Default)]
pub(super) struct Quarantine(HashMap<Key, (Failure, String)>);

/// What has to be the same for two programs to do the same.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    /// By its digest.
    Machine(u64),
    Text(Arc<str>),
}

impl Key {
    fn of(code: &Code) -> Self {
        let is_known =
            !code.images.is_empty() && code.images.iter().all(|image| machine_code(image).is_some());
        if is_known { Self::Machine(code.digest()) } else { Self::Text(code.ptx.clone()) }
    }
}

impl Quarantine {
    pub(super) fn add(&mut self, code: &Code, failure: Failure, message: &str) {
        self.0.insert(Key::of(code), (failure, message.to_owned()));
    }

    /// How this code failed before.
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
