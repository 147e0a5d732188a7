//! What those who work on the same leave for each other.

use nitro_train::store::{self, MAX_POST_BYTES, Store, StoreError};

pub(super) fn of_each_poster_the_last_text_stays(store: &mut dyn Store) {
    assert!(store.posters("a").unwrap().is_empty() && store.posted("a", "one").unwrap().is_none());
    for (board, poster, text) in
        [("a", "two", "x"), ("a", "one", "first"), ("b", "one", "other"), ("a", "one", "\u{e9}\n\"")]
    {
        store.post(board, poster, text).unwrap();
    }
    assert_eq!(store.posters("a").unwrap(), ["one", "two"]);
    assert_eq!(store.posters("b").unwrap(), ["one"]);
    assert_eq!(store.posted("a", "one").unwrap().as_deref(), Some("\u{e9}\n\""));
    assert_eq!(store.posted("b", "one").unwrap().as_deref(), Some("other"));
    let mut copy = store::memory().unwrap();
    store::sync(&mut *copy, store).unwrap();
    assert!(copy.posters("a").unwrap().is_empty(), "they are for those who are at work now");
}

pub(super) fn texts_that_nobody_would_read_are_refused(store: &mut dyn Store) {
    let most = "x".repeat(MAX_POST_BYTES);
    store.post("a", "one", &most).unwrap();
    assert_eq!(store.posted("a", "one").unwrap().map(|text| text.len()), Some(MAX_POST_BYTES));
    let error = store.post("a", "one", &format!("{most}x")).unwrap_err();
    assert!(matches!(error, StoreError::TooMany { what: "bytes", .. }), "{error:?}");
    for (board, poster) in [("", "one"), ("a", "\u{1b}[2J")] {
        assert!(matches!(store.post(board, poster, "x").unwrap_err(), StoreError::Name { .. }));
    }
}
