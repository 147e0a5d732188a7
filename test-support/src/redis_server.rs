//! A Redis server of the tests' own.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::tools::REDIS;

/// A Redis server that ends with the value.
pub struct Server {
    process: Child,
    port: u16,
    /// The folder of what it acknowledged; none keeps nothing.
    folder: Option<PathBuf>,
}

impl Server {
    /// Starts a server on a free port, or returns `None` where there is no `redis-server`, which leaves the test out.
    ///
    /// With a folder, a server that was killed has everything it acknowledged when it is there again.
    ///
    /// # Panics
    ///
    /// If it starts on no port.
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
    ///
    /// # Panics
    ///
    /// If that port is taken meanwhile.
    pub fn restart(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let again = Self::on(self.port, self.folder.take()).expect("it started before");
        *self = again.expect("its port is free again");
    }

    /// Tells the server something as another program would, past the store.
    ///
    /// # Panics
    ///
    /// If the server refuses it.
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

    /// Returns the address of its database 3.
    #[must_use]
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

/// Returns a port that nobody listens on at the moment.
///
/// # Panics
///
/// If there is none.
#[must_use]
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port").port()
}
