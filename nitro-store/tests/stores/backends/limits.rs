//! What may be called how, and how much of everything there may be.

use nitro_store::recordings::{DeviceRecord, Recordings};
use nitro_store::store::{ChoiceName, FunctionSchema, Row, Store, StoreError};

use super::imports::recordings;
use super::{SORT, device, input, prepared, time};

pub fn odd_names_are_names(store: &mut dyn Store) {
    let odd = "a:b, \"c\" ['%_*]\u{e9}";
    store
        .register(&FunctionSchema {
            function: "odd-\u{e9}::r#fn",
            variants: &[odd],
            default_variant: Some(odd),
            default_configuration: "",
            features: &[odd],
        })
        .unwrap();
    let function = "odd-\u{e9}::r#fn";
    store.put_device(&device(odd, 1.0)).unwrap();
    store.put(function, odd, &input(odd, &[1.0]), &[time(odd, 2.0)]).unwrap();
    let loaded = store.load(function).unwrap();
    assert_eq!((loaded.inputs[0].name.as_str(), loaded.devices[0].id.as_str()), (odd, odd));
    assert!(store.recorded(function, odd, &[ChoiceName::variant(odd)]).unwrap().contains(odd));
}

pub fn names_that_nothing_is_called_are_refused(store: &mut dyn Store) {
    let refused = |error: StoreError| {
        let message = error.to_string();
        assert!(matches!(error, StoreError::Name { .. }), "{error:?}");
        assert!(!message.contains(char::is_control) && message.len() < 300, "{message}");
    };
    for function in ["../../x", "/etc/x", "a b", "a.b", "\x1b[31m", "a::"] {
        refused(store.register(&FunctionSchema { function, ..SORT }).unwrap_err());
        refused(store.import(&Recordings { function: function.to_owned(), ..recordings() }).unwrap_err());
    }
    let long = "z".repeat(1025);
    let store = prepared(store);
    for name in ["\x1b]0;x\x07", "two\nlines", "\u{9b}2J", &long] {
        refused(
            store.register(&FunctionSchema { variants: &[name], default_variant: None, ..SORT }).unwrap_err(),
        );
        refused(store.register(&FunctionSchema { features: &[name], ..SORT }).unwrap_err());
        refused(store.put_device(&device(name, 1.0)).unwrap_err());
        let features = [(name.to_owned(), 1.0)].into();
        refused(store.put_device(&DeviceRecord { id: "host:1".to_owned(), features }).unwrap_err());
        refused(store.put("sort", "host:1", &input(name, &[9.0, 32.0]), &[time("merge", 1.0)]).unwrap_err());
        let row = Row { configuration: name, ..time("merge", 1.0) };
        refused(store.put("sort", "host:1", &input("a", &[9.0, 32.0]), &[row]).unwrap_err());
    }
    assert_eq!((store.functions().unwrap().len(), store.devices().unwrap().len()), (1, 2));
}

/// Names `PREFIX0`, `PREFIX1` and so on.
fn numbered(prefix: &str, numbers: std::ops::Range<usize>) -> Vec<String> {
    numbers.map(|number| format!("{prefix}{number}")).collect()
}

pub fn no_more_variants_than_a_selection_tells_apart(store: &mut dyn Store) {
    let (first, more) = (numbered("v", 0..40), numbered("v", 30..65));
    let [first, more] = [&first, &more].map(|names| names.iter().map(String::as_str).collect::<Vec<_>>());
    let most = [first.as_slice(), &more[10..]].concat();
    let schema = |variants| FunctionSchema { variants, default_variant: None, ..SORT };
    store.register(&schema(&first)).unwrap();
    let refusals = [
        store.register(&schema(&more)).unwrap_err(),
        store
            .import(&Recordings { variants: numbered("v", 30..65), default_variant: None, ..recordings() })
            .unwrap_err(),
        store.register(&schema(&most)).unwrap_err(),
    ];
    for error in refusals {
        let expected = "function `sort` has 65 variants, and may have 64: record fewer";
        assert!(error.to_string().starts_with(expected), "{error}");
    }
    store.register(&schema(&most[..64])).unwrap();
    assert_eq!(store.load("sort").unwrap().variants.len(), 64, "of two programs together");
}

pub fn no_more_features_than_recordings_have(store: &mut dyn Store) {
    let names = numbered("f", 0..4097);
    let features: Vec<&str> = names.iter().map(String::as_str).collect();
    let error = store.register(&FunctionSchema { features: &features, ..SORT }).unwrap_err().to_string();
    assert!(error.starts_with("function `sort` has 4097 features, and may have 4096: "), "{error}");
    store.register(&FunctionSchema { features: &features[1..], ..SORT }).unwrap();
    let device = DeviceRecord {
        id: "host:1".to_owned(),
        features: names.into_iter().map(|name| (name, 1.0)).collect(),
    };
    let error = store.put_device(&device).unwrap_err().to_string();
    assert!(error.starts_with("device `host:1` has 4097 features, and may have 4096: "), "{error}");
}
