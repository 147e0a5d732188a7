//! A server that is none, is not ready, or holds what no store writes: each is told at once, in one sentence.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use nitro_store::recordings::{DeviceRecord, Input, Outcome};
use nitro_store::store::{self, FunctionSchema, MAX_LEASE, Row, SharedStore, StoreError};

use nitro_test_support::redis_server::Server;

/// A server that gives the first commands it gets an answer each, and all others the last one. It ends with the value.
struct Fake {
    port: u16,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Fake {
    fn start(answers: &[&[u8]]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let ends = Arc::new(AtomicBool::new(false));
        let (answers, end) = (answers.iter().map(|own| own.to_vec()).collect::<Vec<_>>(), Arc::clone(&ends));
        let thread = std::thread::spawn(move || {
            let mut next = 0;
            for stream in listener.incoming().map_while(Result::ok) {
                if end.load(Ordering::SeqCst) {
                    return;
                }
                serve(stream, &answers, &mut next);
            }
        });
        Self { port, ends, thread: Some(thread) }
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }
}

/// Commands of these tests fit one read each.
fn serve(mut stream: std::net::TcpStream, answers: &[Vec<u8>], next: &mut usize) {
    let mut command = [0; 4096];
    while stream.read(&mut command).is_ok_and(|count| count > 0) {
        let answer = &answers[(*next).min(answers.len() - 1)];
        *next += 1;
        if stream.write_all(answer).is_err() {
            return;
        }
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        let _ = std::net::TcpStream::connect(("127.0.0.1", self.port));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// What an error says, with its source.
fn whole(error: &StoreError) -> String {
    let source = std::error::Error::source(error).map(|source| format!(": {source}"));
    format!("{error}{}", source.unwrap_or_default())
}

#[track_caller]
fn refused(answers: &[&[u8]], expected: &str) {
    let fake = Fake::start(answers);
    let Err(error) = store::open(&fake.url()) else { panic!("{answers:?} is a store") };
    let said = whole(&error);
    assert!(said.contains(expected) && said.contains(&fake.url()), "{said}");
    assert!(!said.contains(char::is_control) && said.len() < 500, "{said}");
}

#[test]
fn what_answers_and_is_no_redis_is_called_that() {
    let endless = vec![b'x'; 200_000];
    let nested = b"*1\r\n".repeat(10_000);
    let cases: [(&[u8], &str); 9] = [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "is no Redis server that a store can be in"),
        (b"SSH-2.0-OpenSSH\r\n", "it says `SSH-2.0-OpenSSH`"),
        (b"\x1b[31mred\r\n", "\\u{1b}[31mred"),
        (b"$9999999999999999\r\n", "announces a value of 9999999999999999 bytes"),
        (b"$-7\r\n", "it says `$-7`"),
        (b"%1\r\n+a\r\n+b\r\n", "it says `%1`"),
        (b"*2\r\n:1\r\n$x\r\n", "it says `$x`"),
        (&nested, "lists in lists"),
        (&endless, "a line of its answer has more than"),
    ];
    for (answer, expected) in cases {
        refused(&[answer], expected);
    }
}

#[test]
fn what_a_server_refuses_is_told_in_its_words() {
    let cases: [(&[u8], &str); 8] = [
        (b"-ERR unknown command\r\n", "refuses what a store needs"),
        (b"-NOAUTH Authentication required.\r\n", "refuses this user or password"),
        (b"-NOPERM no permission\r\n", "refuses this user or password"),
        (b"-MOVED 3999 127.0.0.1:6381\r\n", "3999 127.0.0.1:6381"),
        (b"-MISCONF unable to persist to disk\r\n", "unable to persist to disk"),
        (b"-ODD \x1b]0;x\x07\r\n", "refuses what a store needs"),
        (b"-ERR DB index is out of range\r\n", "has no database of this number"),
        (b"-OOM command not allowed\r\n", "is out of memory"),
    ];
    for (answer, expected) in cases {
        refused(&[answer], expected);
    }
    refused(&[b":1\r\n", b"$1\r\n\xff\r\n"], "key nitro:format: its value is not UTF-8");
    refused(&[b":1\r\n", b"*1\r\n:1\r\n"], "is not a Nitro store");
    refused(&[b":1\r\n", b"-WRONGTYPE Operation\r\n"], "key nitro:format: what it holds is of another kind");
}

#[test]
fn a_server_that_reads_its_data_is_waited_for() {
    let loading: &[u8] = b"-LOADING Redis is loading the dataset in memory\r\n";
    let fake =
        Fake::start(&[loading, loading, b":1\r\n", b"$1\r\n1\r\n", b"-READONLY read only replica\r\n"]);
    let mut store = store::open(&fake.url()).unwrap();
    let error =
        store.put_device(&DeviceRecord { id: "host:4".into(), features: Default::default() }).unwrap_err();
    assert!(whole(&error).contains("read only replica"), "{error:?}");
}

#[test]
fn a_change_that_never_goes_through_and_keys_without_an_end_are_left() {
    let never: &[u8] = b"+OK\r\n+QUEUED\r\n*-1\r\n";
    let fake = Fake::start(&[b":1\r\n", b"$1\r\n1\r\n", b"+OK\r\n", never]);
    let mut store = store::open(&fake.url()).unwrap();
    let device = DeviceRecord { id: "host:4".into(), features: Default::default() };
    let error = store.put_device(&device).unwrap_err();
    assert!(matches!(error, StoreError::Busy { .. } | StoreError::NoRedis { .. }), "{error:?}");
}

/// A store with one measurement on a server.
fn filled(server: &Server) -> Box<dyn SharedStore> {
    let mut store = store::open(&server.url()).unwrap();
    let schema = FunctionSchema {
        function: "sort",
        variants: &["merge"],
        default_variant: None,
        default_configuration: "",
        features: &["length"],
    };
    store.register(&schema).unwrap();
    store
        .put_device(&DeviceRecord { id: "host:4".into(), features: [("threads".into(), 4.0)].into() })
        .unwrap();
    let input = Input { name: "a".into(), features: vec![9.0] };
    store.put("sort", "host:4", &input, &[Row::new("merge", Outcome::Time(5.0))]).unwrap();
    store
}

#[test]
fn a_value_or_name_that_is_not_utf_8_is_named_with_its_key_at_once() {
    let measurements = r#"nitro:measurements:["sort","host:4"]"#;
    for key in ["nitro:functions", "nitro:devices", "nitro:inputs:sort", "nitro:spaces:sort", measurements] {
        let own: &[u8] = if key == "nitro:functions" { b"sort" } else { b"a" };
        for field in [own, b"b\xff\x1b"] {
            let Some(server) = Server::start(None) else { return };
            let mut store = filled(&server);
            let mut connection = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
            let () = redis::Commands::hset(&mut connection, key, field, b"\xff\xfe").unwrap();
            let error = store.load("sort").unwrap_err();
            assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
            let said = error.to_string();
            assert!(said.contains(&format!("key {key}: the ")) && said.contains("is not UTF-8"), "{said}");
            assert!(!said.contains(char::is_control), "{said}");
        }
    }
}

#[test]
fn a_key_of_another_kind_is_named() {
    for key in ["nitro:functions", "nitro:devices", "nitro:inputs:sort", "nitro:artifacts:sort"] {
        let Some(server) = Server::start(None) else { return };
        let mut store = filled(&server);
        server.command(&["SET", key, "text"]);
        let said = store.load("sort").unwrap_err().to_string();
        assert!(said.contains(&format!("key {key}: what it holds is of another kind")), "{said}");
    }
}

#[test]
fn claims_that_last_longer_than_any_can_are_void() {
    let Some(server) = Server::start(None) else { return };
    let mut store = filled(&server);
    let key = r#"nitro:claim:["sort","host:4","a"]"#;
    let mut claim = |owner: &str, lease| store.claim("sort", "host:4", "a", owner, lease).unwrap();
    server.command(&["SET", key, "dead"]);
    assert!(claim("one", MAX_LEASE), "one that never ends");
    assert!(!claim("two", MAX_LEASE), "one that ends in time");
    server.command(&["SET", key, "dead", "EX", "86400"]);
    assert!(claim("one", MAX_LEASE * 60), "one that ends in a day");
    assert!(!claim("two", MAX_LEASE));
    assert!(
        claim("one", std::time::Duration::ZERO) && claim("two", MAX_LEASE * 60) && !claim("one", MAX_LEASE)
    );
}
