//! A Redis server of the tests' own, and what only Redis can get wrong.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use nitro_test_support::tools::REDIS;

/// A Redis server that ends with the value.
pub struct Server {
    process: Child,
    port: u16,
    /// Where it keeps what it acknowledged; none keeps nothing.
    folder: Option<PathBuf>,
}

impl Server {
    /// `None` where there is no `redis-server`, which leaves the test out. With a folder, a server that was killed has
    /// everything it acknowledged when it is there again.
    pub fn start(folder: Option<PathBuf>) -> Option<Self> {
        // Another process may take the free port before the server does.
        for _ in 0..10 {
            if let Some(server) = REDIS.found(Self::on(free_port(), folder.clone()))? {
                return Some(server);
            }
        }
        panic!("redis-server does not start on any free port")
    }

    fn on(port: u16, folder: Option<PathBuf>) -> std::io::Result<Option<Self>> {
        let mut command = Command::new("redis-server");
        command.args(["--bind", "127.0.0.1", "--save", "", "--port", &port.to_string()]);
        match &folder {
            Some(folder) => {
                command.args(["--appendonly", "yes", "--appendfsync", "always", "--dir"]).arg(folder)
            }
            None => command.args(["--appendonly", "no"]),
        };
        let process = command.stdout(Stdio::piped()).spawn()?;
        let mut server = Self { process, port, folder };
        let log = BufReader::new(server.process.stdout.take().expect("stdout is piped"));
        let ready = log.lines().map_while(Result::ok).any(|line| line.contains("Ready to accept"));
        Ok(ready.then_some(server))
    }

    /// Kills the server and starts it again on the same port.
    #[allow(dead_code, reason = "not every test that has a server does this")]
    pub fn restart(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let again = Self::on(self.port, self.folder.take()).expect("it started before");
        *self = again.expect("its port is free again");
    }

    /// Tells the server something as another program would, past the store.
    #[allow(dead_code, reason = "not every test that has a server does this")]
    pub fn command(&self, words: &[&str]) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the server is there");
        for words in [&["SELECT", "3"], words] {
            let mut text = format!("*{}\r\n", words.len());
            words.iter().for_each(|word| text += &format!("${}\r\n{word}\r\n", word.len()));
            stream.write_all(text.as_bytes()).expect("the server listens");
            let mut answer = String::new();
            BufReader::new(&stream).read_line(&mut answer).expect("the server answers");
            assert!(!answer.starts_with('-'), "{words:?}: {answer}");
        }
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/3", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port").port()
}

#[test]
fn a_newer_or_foreign_format_is_refused() {
    use nitro_train::store::{self, StoreError};
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
fn a_wrong_password_is_called_that() {
    use nitro_train::store::{self, StoreError};
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
    use nitro_train::recordings::{DeviceRecord, Input, Outcome};
    use nitro_train::store::{self, FunctionSchema, Row, StoreError};
    let Some(server) = Server::start(None) else { return };
    let mut store = store::open(&server.url()).unwrap();
    let schema = FunctionSchema {
        function: "sort",
        variants: &["merge"],
        default_variant: None,
        default_configuration: "",
        features: &[],
    };
    store.register(&schema).unwrap();
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
    use nitro_train::store::{self, FunctionSchema, StoreError};
    let Some(server) = Server::start(None) else { return };
    let mut store = store::open(&server.url()).unwrap();
    let mut connection = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    let () = redis::cmd("CONFIG").arg(&["SET", "maxmemory", "1"]).query(&mut connection).unwrap();
    let schema = FunctionSchema {
        function: "sort",
        variants: &["merge"],
        default_variant: None,
        default_configuration: "",
        features: &[],
    };
    let error = store.register(&schema).unwrap_err();
    assert!(matches!(error, StoreError::OutOfMemory { .. }), "{error:?}");
}

#[test]
fn a_server_that_is_not_there_is_named_without_the_password() {
    let Err(error) = nitro_train::store::open(&format!("redis://user:secret@127.0.0.1:{}/0", free_port()))
    else {
        panic!("no server, yet a store")
    };
    let message = error.to_string();
    assert!(message.contains("redis://127.0.0.1:") && !message.contains("secret"), "{message}");
}
