//! What another program has put into a store, a file or a server, keeps the rules or is refused with one sentence.

use std::path::PathBuf;

use nitro_store::recordings::{DeviceRecord, Input, Outcome};
use nitro_store::store::{self, ChoiceName, FunctionSchema, Row, Store, StoreError};
use rusqlite::Connection;

/// One function on one device, as this program writes it.
fn fill(store: &mut dyn Store) {
    let schema = FunctionSchema {
        function: "sort",
        variants: &["merge", "radix"],
        default_variant: None,
        default_configuration: "",
        features: &["length"],
    };
    store.register(&schema).unwrap();
    let features = [("threads".to_owned(), 4.0)].into();
    store.put_device(&DeviceRecord { id: "host:4".to_owned(), features }).unwrap();
    let input = Input { name: "a".to_owned(), features: vec![9.0] };
    let rows = ["merge", "radix"].map(|variant| Row::new(variant, Outcome::Time(5.0)));
    store.put("sort", "host:4", &input, &rows).unwrap();
}

/// What a search has found.
const MERGE: [ChoiceName<'static>; 1] = [ChoiceName { variant: "merge", configuration: "" }];

/// What an error says, with its source.
fn whole(error: &StoreError) -> String {
    let source = std::error::Error::source(error).map(|source| format!(": {source}"));
    format!("{error}{}", source.unwrap_or_default())
}

/// The error of loading `function`, which is about the whole store.
#[track_caller]
fn refusal(store: &mut dyn Store, function: &str) -> String {
    let error = store.load(function).unwrap_err();
    let StoreError::Unusable { source, .. } = &error else { panic!("{error:?}") };
    assert!(error.to_string().contains(store.location()), "{error}");
    let source = source.to_string();
    assert!(!source.contains(char::is_control) && source.len() < 300, "{source}");
    source
}

/// Rewrites a store behind its back.
#[track_caller]
fn check_file(name: &str, function: &str, sql: &str, expected: &str) {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("hostile-{name}.db"));
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{suffix}", path.display()));
    }
    let url = path.to_str().unwrap();
    fill(&mut *store::open(url).unwrap());
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(sql).unwrap();
    drop(connection);
    let found = refusal(&mut *store::open(url).unwrap(), function);
    assert!(found.contains(expected), "{name}: {found}");
}

#[test]
fn a_file_that_another_program_wrote() {
    let many = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)";
    check_file(
        "variants",
        "sort",
        &format!("{many} INSERT INTO variant (function, name) SELECT 1, 'v' || i FROM n WHERE i < 70"),
        "function `sort` has 72 variants, and may have 64",
    );
    check_file(
        "features",
        "sort",
        &format!("{many} INSERT INTO feature (function, name, position) SELECT 1, 'f' || i, i + 1 FROM n"),
        "function `sort` has 5002 features, and may have 4096",
    );
    check_file(
        "function",
        "../../x",
        "UPDATE function SET name = '../../x'",
        "function `../../x` contains '.'",
    );
    let escape = "char(27) || ']0;x' || char(7)";
    for (table, what) in [
        ("variant", "variant of function"),
        ("feature", "feature of function"),
        ("input", "input of function"),
        ("device", "device `"),
        ("device_feature", "feature of device"),
    ] {
        check_file(table, "sort", &format!("UPDATE {table} SET name = name || {escape}"), what);
    }
    check_file("endless", "sort", "UPDATE measurement SET time_ns = 9e999", "is inf");
    check_file("value", "sort", "UPDATE input_feature SET value = -9e999", "feature `length` of input `a`");
    check_file(
        "device-value",
        "sort",
        "UPDATE device_feature SET value = 9e999",
        "feature `threads` of device",
    );
    check_file(
        "space",
        "sort",
        r#"INSERT INTO space VALUES (1, '{"parameters":["x"],"configurations":{"a":["1","2"]}}')"#,
        "configuration of variant `merge` `a` has 2 values for 1 parameters",
    );
    check_file("load", "sort", "UPDATE measurement SET load = 1.5", "load of variant `merge` for input");
    check_file("spread", "sort", "UPDATE measurement SET spread_ns = -1", "spread of variant");
}

#[test]
fn a_list_of_configurations_that_is_none() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hostile-spaces.db");
    let _ = std::fs::remove_file(&path);
    fill(&mut *store::open(path.to_str().unwrap()).unwrap());
    Connection::open(&path).unwrap().execute("INSERT INTO space VALUES (1, '{\"parameters\":')", []).unwrap();
    let error = store::open(path.to_str().unwrap()).unwrap().load("sort").unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
}

#[test]
fn a_name_that_is_there_twice_is_refused_whichever_value_is_meant() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hostile-twice.db");
    let twice = [
        r#"INSERT INTO space VALUES (1, '{"parameters":["x"],"configurations":{"a":["1"],"a":["2"]}}')"#,
        r#"INSERT INTO meaning (function, digests) VALUES (1, '{"features":{"a":"1","a":"2"},"variants":{}}')"#,
        r#"INSERT INTO meaning (function, digests) VALUES (1, '{"features":{},"variants":{"a":"1","a":"2"}}')"#,
        r#"INSERT INTO meaning (function, digests) VALUES (1, '{"features":{},"features":{}}')"#,
        r#"INSERT INTO feature_time VALUES (1, 1, '{"a":1,"a":2}')"#,
    ];
    for sql in twice {
        let _ = std::fs::remove_file(&path);
        fill(&mut *store::open(path.to_str().unwrap()).unwrap());
        Connection::open(&path).unwrap().execute(sql, []).unwrap();
        let error = store::open(path.to_str().unwrap()).unwrap().load("sort").unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
        let said = whole(&error);
        assert!(said.contains("`a` is there twice") || said.contains("duplicate field `features`"), "{said}");
    }
}

#[test]
fn devices_that_another_program_wrote() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hostile-devices.db");
    let _ = std::fs::remove_file(&path);
    fill(&mut *store::open(path.to_str().unwrap()).unwrap());
    Connection::open(&path).unwrap().execute("UPDATE device SET name = char(27)", []).unwrap();
    let error = store::open(path.to_str().unwrap()).unwrap().devices().unwrap_err();
    assert!(matches!(error, StoreError::Unusable { .. }), "{error:?}");
}

#[test]
fn evaluations_that_another_program_wrote() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hostile-evaluations.db");
    let _ = std::fs::remove_file(&path);
    let mut store = store::open(path.to_str().unwrap()).unwrap();
    store.put_evaluation("sort", "host:4", "a", &Row::new("merge", Outcome::Time(5.0))).unwrap();
    let other = Connection::open(&path).unwrap();
    let negative = "`a` is -1: it has to be finite and 0 or above";
    for (parts, expected) in [
        ("time", "`parts` of an evaluation: expected"),
        (r#"[{"name":"a","time_ns":1e999}]"#, "`1e999` is not a finite number"),
        (r#"[{"name":"a","time_ns":-1}]"#, negative),
        (r#"[{"name":"a","time_ns":1},{"name":"a","time_ns":1}]"#, "`merge` for input `a` `a` appears twice"),
        (r#"[{"name":"","time_ns":1}]"#, "is empty: give it a name"),
    ] {
        other.execute("UPDATE evaluation SET parts = ?1", [parts]).unwrap();
        for found in [store.searches().err(), store.evaluations("sort", "host:4", "a", &MERGE).err()] {
            let found = whole(&found.expect("it is refused"));
            assert!(found.contains("hostile-evaluations.db") && found.contains(expected), "{found}");
        }
    }
    other.execute("UPDATE evaluation SET time_ns = 9e999, parts = ''", []).unwrap();
    let error = store.evaluations("sort", "host:4", "a", &[ChoiceName::variant("merge")]).unwrap_err();
    assert!(matches!(error, StoreError::Unusable { .. }), "{error:?}");
    let error = store.searches().unwrap_err();
    assert!(matches!(error, StoreError::Unusable { .. }), "{error:?}");
}

#[cfg(feature = "redis")]
#[test]
fn a_server_that_another_program_wrote_to() {
    let Some(server) = nitro_test_support::redis_server::Server::start(None) else { return };
    let mut store = store::open(&server.url()).unwrap();
    fill(&mut *store);
    for (key, field, twice, value) in [
        ("nitro:devices", "host:4", r#"{"threads":4,"threads":5}"#, r#"{"threads":4}"#),
        ("nitro:inputs:sort", "a", r#"{"length":9,"length":8}"#, r#"{"length":9}"#),
    ] {
        server.command(&["HSET", key, field, twice]);
        let error = whole(&store.load("sort").unwrap_err());
        assert!(error.contains(key) && error.contains("is there twice; remove one of the two"), "{error}");
        server.command(&["HSET", key, field, value]);
    }
    let space = r#"{"parameters":["x"],"configurations":{"a":["1"],"a":["2"]}}"#;
    server.command(&["HSET", "nitro:spaces:sort", "merge", space]);
    assert!(whole(&store.load("sort").unwrap_err()).contains("`a` is there twice"));
    server.command(&["DEL", "nitro:spaces:sort"]);
    let mut check = |function: &str, key: &str, field: &str, value: &str, expected: &str| {
        server.command(&["HSET", key, field, value]);
        let found = refusal(&mut *store, function);
        assert!(found.contains(expected), "{found}");
    };
    let names: Vec<String> = (0..65).map(|number| format!("\"v{number}\"")).collect();
    let schema = |variants: &str| format!(r#"{{"variants":[{variants}],"features":["length"]}}"#);
    check("../../x", "nitro:functions", "../../x", &schema(r#""a""#), "function `../../x` contains '.'");
    check("f", "nitro:functions", "f", &schema(&names.join(",")), "function `f` has 65 variants");
    check("f", "nitro:functions", "f", &schema(r#""a\u001b""#), "variant of function `f` `a\\u{1b}`");
    check("f", "nitro:functions", "f", &schema(r#""a","a""#), "variant of function `f` `a` appears twice");
    let space = r#"{"parameters":["x","x"],"configurations":{}}"#;
    check("sort", "nitro:spaces:sort", "merge", space, "parameter of variant `merge` `x` appears twice");
    server.command(&["DEL", "nitro:spaces:sort"]);
    let (key, field) = (r#"nitro:measurements:["sort","host:4"]"#, r#"["a","merge",""]"#);
    for time in ["0", "-1"] {
        let value = format!(r#"{{"outcome":"time","time_ns":{time},"spread_ns":0,"repeats":1}}"#);
        check("sort", key, field, &value, "time of variant `merge` for input `a`");
    }
    server.command(&["HSET", r#"nitro:evaluations:["sort","host:4"]"#, field, r#"{"outcome":"time"}"#]);
    let error = store.evaluations("sort", "host:4", "a", &[ChoiceName::variant("merge")]).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
    let error = store.searches().unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
    server.command(&["RENAME", r#"nitro:evaluations:["sort","host:4"]"#, "nitro:evaluations:sort"]);
    let error = store.searches().unwrap_err();
    assert!(error.to_string().contains("nitro:evaluations:sort"), "{error}");
    server.command(&["DEL", "nitro:evaluations:sort"]);
    let key = r#"nitro:evaluations:["sort","host:4"]"#;
    let mut with = |parts: &str| {
        let value = format!(r#"{{"outcome":"time","time_ns":5,"spread_ns":0,"repeats":1{parts}}}"#);
        server.command(&["HSET", key, field, &value]);
        store.evaluations("sort", "host:4", "a", &MERGE).map_err(|error| whole(&error))
    };
    assert_eq!(
        with("").unwrap()[0].as_ref().map(|one| one.parts.len()),
        Some(0),
        "where nothing has parts, nothing is written"
    );
    let found = with(r#","parts":[{"name":"a","time_ns":-1}]"#).unwrap_err();
    assert!(found.contains("part `a` of variant `merge` for input `a` is -1"), "{found}");
    assert!(with(r#","parts":[{"name":"a"}]"#).unwrap_err().contains("missing field `time_ns`"));
}
