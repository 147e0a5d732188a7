//! What only Redis can get wrong.

use nitro_store::recordings::{DeviceRecord, Input, Outcome};
use nitro_store::store::{self, FunctionSchema, Row, StoreError};

use nitro_test_support::redis_server::{Server, free_port};

const SORT: FunctionSchema<'static> = FunctionSchema {
    function: "sort",
    variants: &["merge"],
    default_variant: None,
    default_configuration: "",
    features: &[],
};

#[test]
fn a_newer_or_foreign_format_is_refused() {
    let Some(server) = Server::start(None) else { return };
    let client = redis::Client::open(server.url()).unwrap();
    let mut connection = client.get_connection().unwrap();
    for (format, expected) in [("9", "has format version 9"), ("x", "is not a Nitro store")] {
        let () = redis::Commands::set(&mut connection, "nitro:format", format).unwrap();
        let Err(error) = store::open(&server.url()) else { panic!("format {format} was accepted") };
        assert!(error.to_string().contains(expected), "{error}");
        assert!(matches!(error, StoreError::Version { .. } | StoreError::NotAStore { .. }));
    }
}

#[test]
fn a_database_that_the_server_lacks_is_called_that() {
    let Some(server) = Server::start(None) else { return };
    let url = server.url();
    let address = url.trim_end_matches(|end: char| end.is_ascii_digit()).trim_end_matches('/');
    let Err(error) = store::open(&format!("{address}/4096")) else { panic!("there is such a database") };
    assert!(matches!(error, StoreError::NoSuchDatabase { .. }), "{error:?}");
}

#[test]
fn a_wrong_password_is_called_that() {
    let Some(server) = Server::start(None) else { return };
    let mut connection = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    let () = redis::cmd("CONFIG").arg(&["SET", "requirepass", "secret"]).query(&mut connection).unwrap();
    for user in ["", ":guess@"] {
        let url = server.url().replace("//", &format!("//{user}"));
        let Err(error) = store::open(&url) else { panic!("{url} was let in") };
        assert!(matches!(error, StoreError::Denied { .. }), "{error:?}");
        assert!(!error.to_string().contains("guess"), "{error}");
    }
    assert!(store::open(&server.url().replace("//", "//:secret@")).is_ok());
}

#[test]
fn a_time_that_nobody_can_have_measured_is_refused_with_its_key() {
    let Some(server) = Server::start(None) else { return };
    let mut store = store::open(&server.url()).unwrap();
    store.register(&SORT).unwrap();
    store.put_device(&DeviceRecord { id: "host:4".into(), features: Default::default() }).unwrap();
    let input = Input { name: "x".into(), features: vec![] };
    store.put("sort", "host:4", &input, &[Row::new("merge", Outcome::Time(5.0))]).unwrap();
    let mut connection = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    let (key, field) = ("nitro:measurements:[\"sort\",\"host:4\"]", "[\"x\",\"merge\",\"\"]");
    for (time, named) in [("0", "`merge`"), ("-5", "`merge`"), ("1e999", field), ("NaN", field)] {
        let value = format!("{{\"outcome\":\"time\",\"time_ns\":{time},\"spread_ns\":0,\"repeats\":1}}");
        let () = redis::Commands::hset(&mut connection, key, field, value).unwrap();
        let error = store.load("sort").unwrap_err();
        let causes = std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source());
        let message = causes.map(ToString::to_string).collect::<Vec<_>>().join(": ");
        assert!(matches!(error, StoreError::Damaged { .. } | StoreError::Unusable { .. }), "{message}");
        assert!(message.contains(named) && message.contains("host:4"), "{time}: {message}");
    }
}

#[test]
fn a_full_server_is_called_that() {
    let Some(server) = Server::start(None) else { return };
    let mut store = store::open(&server.url()).unwrap();
    let mut connection = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    let () = redis::cmd("CONFIG").arg(&["SET", "maxmemory", "1"]).query(&mut connection).unwrap();
    let error = store.register(&SORT).unwrap_err();
    assert!(matches!(error, StoreError::OutOfMemory { .. }), "{error:?}");
}

#[test]
fn a_server_that_is_not_there_is_named_without_the_password() {
    let Err(error) = store::open(&format!("redis://user:secret@127.0.0.1:{}/0", free_port())) else {
        panic!("no server, yet a store")
    };
    let message = error.to_string();
    assert!(message.contains("redis://127.0.0.1:") && !message.contains("secret"), "{message}");
}
