//! Models are read again on request, while calls go on; a new one that cannot be used leaves the old one in use,
//! and the caller is told in one sentence.
//!
//! In a file of its own, in one test: `NITRO_MODELS` is the process's.

mod macro_support;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use macro_support::{constant, threshold};
use nitro::model::{Model, file_name};
use nitro::{Reason, code_variant};

fn a(_: u32) -> char {
    'a'
}

fn b(_: u32) -> char {
    'b'
}

#[code_variant(name = "reloaded", features(size = n), variants(a, b), default = a)]
fn reloaded(n: u32) -> char;

#[code_variant(name = "other", features(size = n), variants(a, b), default = a)]
fn other(n: u32) -> char;

#[test]
fn a_new_model_takes_over_and_an_unusable_one_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let write = |bytes: &[u8]| std::fs::write(folder.path().join(file_name("reloaded")), bytes).unwrap();
    // SAFETY: this is the only test of the process, and no other thread runs yet.
    unsafe { std::env::set_var("NITRO_MODELS", folder.path()) };

    assert_eq!((reloaded(1), reloaded::select(1).reason()), ('a', Reason::NoModel));
    write(&constant("reloaded", &["a", "b"], "b"));
    assert_eq!(reloaded(1), 'a', "nothing changes unasked");
    reloaded::function().reload().unwrap();
    assert_eq!((reloaded(1), reloaded::select(1).reason()), ('b', Reason::Predicted));

    refusals(folder.path(), write);
    removal(folder.path());
    other_functions(folder.path(), write);
    under_load(write);
}

fn refusals(folder: &Path, write: impl Fn(&[u8])) {
    let model = constant("reloaded", &["a", "b"], "a");
    let flipped = |place: usize| {
        let mut bytes = model.clone();
        bytes[place] ^= 1;
        bytes
    };
    let foreign = constant("another", &["a", "b"], "a");
    let feature = threshold("reloaded", ["a", "b"], "length", 10.0);
    let mut on_device = Model::from_bytes(&model).unwrap();
    on_device.device_features = vec!["warp_size".into()];
    for (bytes, why) in [
        (
            &flipped(model.len() - 1)[..],
            "cannot be read: the checksum does not match: the file is damaged, copy it again",
        ),
        (&model[..30], "the file was cut off or added to, copy it again"),
        (b"", "not a Nitro model"),
        (&foreign, "is of another function, `another`"),
        (&feature, ": the model needs a feature that the code lacks"),
        (&on_device.to_bytes(), ": the model needs a device feature that is not known here"),
    ] {
        write(bytes);
        for error in [reloaded::function().reload().unwrap_err(), nitro::reload().unwrap_err()] {
            let message = error.to_string();
            let file = folder.join("reloaded.model");
            assert!(message.starts_with(&format!("`reloaded`: {}", file.display())), "{message}");
            assert!(message.contains(why), "{message}");
            assert!(message.ends_with("what was in use before stays in use"), "{message}");
            assert_eq!(error.functions().collect::<Vec<_>>(), ["reloaded"]);
        }
        assert_eq!((reloaded(1), reloaded::select(1).reason()), ('b', Reason::Predicted), "{why}");
    }
}

/// A file taken away is a wish, not damage.
fn removal(folder: &Path) {
    std::fs::remove_file(folder.join("reloaded.model")).unwrap();
    reloaded::function().reload().unwrap();
    assert_eq!((reloaded(1), reloaded::select(1).reason()), ('a', Reason::NoModel));
}

/// `nitro::reload` is about all functions called so far; one that is refused does not hold up the others.
fn other_functions(folder: &Path, write: impl Fn(&[u8])) {
    assert_eq!(other(1), 'a');
    std::fs::write(folder.join("other.model"), constant("other", &["a", "b"], "b")).unwrap();
    write(b"no model");
    let error = nitro::reload().unwrap_err();
    assert_eq!(error.functions().collect::<Vec<_>>(), ["reloaded"]);
    assert_eq!((reloaded(1), other(1)), ('a', 'b'));
}

/// Two models with opposite choices alternate under calls: each call sees one of them whole, and once the last
/// reload has returned, calls on other threads see the last.
fn under_load(write: impl Fn(&[u8])) {
    let models = [["a", "b"], ["b", "a"]].map(|order| threshold("reloaded", order, "size", 10.0));
    write(&models[0]);
    nitro::reload().unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Acquire) {
                    let selection = reloaded::select(1);
                    assert_eq!((selection.reason(), selection.confidence()), (Reason::Predicted, Some(1.0)));
                    assert!(matches!(reloaded(20), 'a' | 'b'));
                }
                assert_eq!((reloaded(1), reloaded(20)), ('b', 'a'));
            });
        }
        for round in 1..=101 {
            write(&models[round % 2]);
            reloaded::function().reload().unwrap();
            assert_eq!(reloaded(1), if round % 2 == 0 { 'a' } else { 'b' });
        }
        done.store(true, Ordering::Release);
    });
}
