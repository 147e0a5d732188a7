//! A Redis server of the tests' own, and what only Redis can get wrong.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

/// A Redis server that ends with the value.
pub struct Server {
    process: Child,
    port: u16,
}

impl Server {
    /// `None`, and a line on stderr, where there is no `redis-server`.
    pub fn start() -> Option<Self> {
        // Another process may take the free port before the server does.
        for _ in 0..10 {
            match Self::on(free_port()) {
                Ok(Some(server)) => return Some(server),
                Ok(None) => {}
                Err(error) => {
                    assert!(
                        std::env::var_os("NITRO_REQUIRE_REDIS").is_none(),
                        "cannot run redis-server: {error}"
                    );
                    // Not `eprintln!`, which the test harness keeps to itself when a test passes.
                    let reason = "SKIPPED a Redis test: cannot run redis-server";
                    let _ = writeln!(std::io::stderr(), "{reason} ({error})");
                    return None;
                }
            }
        }
        panic!("redis-server does not start on any free port")
    }

    fn on(port: u16) -> std::io::Result<Option<Self>> {
        let process = Command::new("redis-server")
            .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--port", &port.to_string()])
            .stdout(Stdio::piped())
            .spawn()?;
        let mut server = Self { process, port };
        let log = BufReader::new(server.process.stdout.take().expect("stdout is piped"));
        let ready = log.lines().map_while(Result::ok).any(|line| line.contains("Ready to accept"));
        Ok(ready.then_some(server))
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
    let Some(server) = Server::start() else { return };
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
fn a_server_that_is_not_there_is_named_without_the_password() {
    let Err(error) = nitro_train::store::open(&format!("redis://user:secret@127.0.0.1:{}/0", free_port()))
    else {
        panic!("no server, yet a store")
    };
    let message = error.to_string();
    assert!(message.contains("redis://127.0.0.1:") && !message.contains("secret"), "{message}");
}
