//! The protocol: commands, and answers that are bounded in time, bytes and values before they are believed.
//!
//! The client of the `redis` crate has a timeout for each read alone, so that a server that drips bytes holds it for
//! ever, and takes as much as it is sent. Its commands, pipelines and conversions run over this connection in its
//! place.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use redis::{ConnectionAddr, ConnectionLike, RedisError, RedisResult, Value};

/// The longest that a server may take to accept a connection, to take a command and to answer it. Each MiB adds a
/// second.
const TIMEOUT: Duration = Duration::from_secs(15);
/// The bounds of the answers to one command or transaction: no store has more, and memory does.
const LIMITS: Limits = Limits { bytes: 512 << 20, values: 1 << 23 };
/// The most bytes of a line; a value has its length before it and is none.
const MAX_LINE_BYTES: usize = 64 << 10;
/// The deepest that lists lie in lists. The commands of a store have two in the list of a transaction.
const MAX_DEPTH: usize = 8;
/// Bytes asked for at once.
const CHUNK_BYTES: usize = 64 << 10;

/// The bounds of answers.
struct Limits {
    bytes: u64,
    /// Lists and what is in them, some hundred bytes each in memory.
    values: u64,
}

/// The two ends of a connection with a clock.
trait Transport {
    /// Time since some beginning.
    fn now(&self) -> Duration;
    /// Sends some of the bytes, within this time.
    fn send(&mut self, bytes: &[u8], within: Duration) -> io::Result<usize>;
    /// Receives some bytes, within this time.
    fn receive(&mut self, into: &mut [u8], within: Duration) -> io::Result<usize>;
}

struct Tcp {
    stream: TcpStream,
    began: Instant,
}

impl Transport for Tcp {
    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    fn send(&mut self, bytes: &[u8], within: Duration) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(within))?;
        self.stream.write(bytes)
    }

    fn receive(&mut self, into: &mut [u8], within: Duration) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(within))?;
        self.stream.read(into)
    }
}

/// A connection to a server.
pub(super) struct Wire {
    exchange: Exchange<Tcp>,
    database: i64,
}

impl Wire {
    /// Connects, and says who asks and of which database.
    pub(super) fn connect(url: &str) -> RedisResult<Self> {
        let client = redis::Client::open(url)?;
        let (info, settings) =
            (client.get_connection_info(), client.get_connection_info().redis_settings().clone());
        let ConnectionAddr::Tcp(host, port) = info.addr() else {
            return Err(io::Error::new(ErrorKind::Unsupported, "only redis://host:port/db is read").into());
        };
        let stream = connect(host, *port)?;
        stream.set_nodelay(true)?;
        let exchange = Exchange::over(Tcp { stream, began: Instant::now() }, LIMITS);
        let mut wire = Self { exchange, database: settings.db() };
        if let Some(password) = settings.password() {
            let mut login = redis::cmd("AUTH");
            if let Some(user) = settings.username() {
                login.arg(user);
            }
            login.arg(password).exec(&mut wire)?;
        }
        if wire.database != 0 {
            redis::cmd("SELECT").arg(wire.database).exec(&mut wire)?;
        }
        Ok(wire)
    }
}

/// Connects to the first of the host's addresses that takes it.
fn connect(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut last = io::Error::new(ErrorKind::NotFound, "the host has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, TIMEOUT) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

impl ConnectionLike for Wire {
    fn req_packed_command(&mut self, command: &[u8]) -> RedisResult<Value> {
        let mut answers = self.exchange.ask(command, 1)?;
        answers.pop().ok_or_else(|| foreign("it answers nothing"))
    }

    fn req_packed_commands(
        &mut self,
        commands: &[u8],
        offset: usize,
        count: usize,
    ) -> RedisResult<Vec<Value>> {
        let mut answers = self.exchange.ask(commands, offset + count)?;
        let wanted = answers.split_off(offset);
        // What the server refuses to queue makes it refuse the whole transaction, with less of a reason.
        for answer in answers {
            answer.extract_error()?;
        }
        Ok(wanted)
    }

    fn get_db(&self) -> i64 {
        self.database
    }

    fn check_connection(&mut self) -> bool {
        redis::cmd("PING").exec(self).is_ok()
    }

    fn is_open(&self) -> bool {
        true
    }
}

/// Commands and their answers over a transport.
struct Exchange<T> {
    transport: T,
    limits: Limits,
    /// Bytes that arrived and were not read yet, from `at` on.
    arrived: Vec<u8>,
    at: usize,
    /// The beginning of these answers, for their bound in time.
    began: Duration,
    bytes: u64,
    values: u64,
}

impl<T: Transport> Exchange<T> {
    fn over(transport: T, limits: Limits) -> Self {
        let began = transport.now();
        Self { transport, limits, arrived: Vec::new(), at: 0, began, bytes: 0, values: 0 }
    }

    /// Sends commands and reads so many answers.
    fn ask(&mut self, commands: &[u8], answers: usize) -> RedisResult<Vec<Value>> {
        (self.began, self.bytes, self.values) = (self.transport.now(), 0, 0);
        let mut rest = commands;
        while !rest.is_empty() {
            let sent = commands.len() - rest.len();
            let within = self.left(sent as u64)?;
            match self.transport.send(rest, within) {
                Ok(0) => return Err(io::Error::from(ErrorKind::WriteZero).into()),
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(timely(error).into()),
            }
        }
        self.began = self.transport.now();
        (0..answers).map(|_| self.value(0)).collect()
    }

    /// The time that is left when so many bytes have passed.
    fn left(&self, bytes: u64) -> RedisResult<Duration> {
        let allowed = TIMEOUT + Duration::from_secs(bytes >> 20);
        let left = allowed.saturating_sub(self.transport.now().saturating_sub(self.began));
        if left.is_zero() { Err(timely(ErrorKind::TimedOut.into()).into()) } else { Ok(left) }
    }

    /// Waits for more bytes.
    fn fill(&mut self) -> RedisResult<()> {
        if self.at == self.arrived.len() {
            self.arrived.clear();
            self.at = 0;
        }
        let before = self.arrived.len();
        let within = self.left(self.bytes)?;
        self.arrived.resize(before + CHUNK_BYTES, 0);
        let received = self.transport.receive(&mut self.arrived[before..], within);
        self.arrived.truncate(before + received.as_ref().map_or(0, |&count| count));
        match received {
            Ok(0) => Err(io::Error::from(ErrorKind::UnexpectedEof).into()),
            Ok(count) => {
                self.bytes += count as u64;
                match self.bytes > self.limits.bytes {
                    true => Err(foreign(format!("its answer has more than {} MiB", self.limits.bytes >> 20))),
                    false => Ok(()),
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
            Err(error) => Err(timely(error).into()),
        }
    }

    /// The next line, with its end.
    fn line(&mut self) -> RedisResult<Vec<u8>> {
        let mut looked_at = 0;
        loop {
            let rest = &self.arrived[self.at..];
            if let Some(end) = rest[looked_at..].iter().position(|&byte| byte == b'\n') {
                let line = rest[..=looked_at + end].to_vec();
                self.at += line.len();
                return if line.ends_with(b"\r\n") {
                    Ok(line)
                } else {
                    Err(foreign("a line ends without \\r\\n"))
                };
            }
            looked_at = rest.len();
            if looked_at > MAX_LINE_BYTES {
                return Err(foreign(format!("a line of its answer has more than {MAX_LINE_BYTES} bytes")));
            }
            self.fill()?;
        }
    }

    /// So many bytes and the end of their line. Memory is taken as they arrive.
    fn bulk(&mut self, length: u64) -> RedisResult<Value> {
        if length > self.limits.bytes {
            return Err(foreign(format!("it announces a value of {length} bytes")));
        }
        let whole = length as usize + 2;
        let mut value = Vec::new();
        while value.len() < whole {
            if self.at == self.arrived.len() {
                self.fill()?;
            }
            let count = (whole - value.len()).min(self.arrived.len() - self.at);
            value.extend_from_slice(&self.arrived[self.at..self.at + count]);
            self.at += count;
        }
        if !value.ends_with(b"\r\n") {
            return Err(foreign("a value is longer than its length says"));
        }
        value.truncate(length as usize);
        Ok(Value::BulkString(value))
    }

    fn value(&mut self, depth: usize) -> RedisResult<Value> {
        self.values += 1;
        if self.values > self.limits.values {
            return Err(foreign(format!("its answer has more than {} values", self.limits.values)));
        }
        let line = self.line()?;
        match line[0] {
            b'$' | b'*' => {}
            b'+' | b'-' | b':' => {
                let text = String::from_utf8_lossy(&line);
                return redis::parse_redis_value(text.as_bytes()).map_err(|_| foreign(quoted(&line)));
            }
            _ => return Err(foreign(quoted(&line))),
        }
        let length =
            std::str::from_utf8(&line[1..]).ok().and_then(|text| text.trim_end().parse::<i64>().ok());
        match (length.ok_or_else(|| foreign(quoted(&line)))?, line[0]) {
            (-1, _) => Ok(Value::Nil),
            (length @ 0.., b'$') => self.bulk(length as u64),
            (0.., _) if depth == MAX_DEPTH => {
                Err(foreign(format!("it answers lists in lists, {MAX_DEPTH} deep")))
            }
            // The list grows as its values arrive: what is announced is not to be trusted with memory.
            (length @ 0.., _) => {
                (0..length).map(|_| self.value(depth + 1)).collect::<RedisResult<_>>().map(Value::Array)
            }
            _ => Err(foreign(quoted(&line))),
        }
    }
}

/// Quotes a line that no server of Redis writes.
fn quoted(line: &[u8]) -> String {
    format!("it says `{}`", crate::printable::excerpt(String::from_utf8_lossy(line).trim_end()))
}

/// An answer that no server of Redis gives; nothing is expected of another try.
fn foreign(what: impl Into<String>) -> RedisError {
    (redis::ErrorKind::Parse, "this is no answer of Redis", what.into()).into()
}

/// Turns either name of a timeout into one, with a word for the user.
fn timely(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            io::Error::new(ErrorKind::TimedOut, format!("no whole answer within {} s", TIMEOUT.as_secs()))
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that says the same text, or its parts again and again, with a pause before each.
    struct Script {
        now: Duration,
        begin: Vec<u8>,
        again: Vec<u8>,
        pause: Duration,
        received: u64,
    }

    impl Transport for Script {
        fn now(&self) -> Duration {
            self.now
        }

        fn send(&mut self, bytes: &[u8], _: Duration) -> io::Result<usize> {
            Ok(bytes.len())
        }

        fn receive(&mut self, into: &mut [u8], within: Duration) -> io::Result<usize> {
            if self.pause >= within {
                self.now += within;
                return Err(ErrorKind::WouldBlock.into());
            }
            self.now += self.pause;
            let own =
                if self.begin.is_empty() { self.again.clone() } else { std::mem::take(&mut self.begin) };
            let count = own.len().min(into.len());
            into[..count].copy_from_slice(&own[..count]);
            self.begin = if count < own.len() { own[count..].to_vec() } else { Vec::new() };
            self.received += count as u64;
            Ok(count)
        }
    }

    fn script(begin: impl AsRef<[u8]>, again: impl AsRef<[u8]>, pause: Duration) -> Exchange<Script> {
        let (begin, again) = (begin.as_ref().to_vec(), again.as_ref().to_vec());
        Exchange::over(Script { now: Duration::from_secs(1000), begin, again, pause, received: 0 }, SMALL)
    }

    const SMALL: Limits = Limits { bytes: 8 << 20, values: 10_000 };
    const QUICK: Duration = Duration::from_micros(1);

    /// A server that says its parts one by one.
    struct Parts(std::vec::IntoIter<Vec<u8>>);

    impl Transport for Parts {
        fn now(&self) -> Duration {
            Duration::ZERO
        }

        fn send(&mut self, bytes: &[u8], _: Duration) -> io::Result<usize> {
            Ok(bytes.len())
        }

        fn receive(&mut self, into: &mut [u8], _: Duration) -> io::Result<usize> {
            let part = self.0.next().unwrap_or_default();
            into[..part.len()].copy_from_slice(&part);
            Ok(part.len())
        }
    }

    #[test]
    fn answers_are_read_however_they_are_cut() {
        let text = b"*5\r\n$3\r\na\r\n\r\n:-7\r\n$-1\r\n*0\r\n*2\r\n+OK\r\n-ERR no\r\n";
        for size in [1, 2, 3, 7, 1000] {
            let parts: Vec<Vec<u8>> = text.chunks(size).map(<[u8]>::to_vec).collect();
            let found = Exchange::over(Parts(parts.into_iter()), SMALL).ask(b"GET", 1).unwrap().remove(0);
            let Value::Array(found) = found else { panic!("{size}: {found:?}") };
            let expected =
                [Value::BulkString(b"a\r\n".to_vec()), Value::Int(-7), Value::Nil, Value::Array(vec![])];
            assert_eq!(found[..4], expected, "{size}");
            let Value::Array(last) = &found[4] else { panic!("{found:?}") };
            assert!(last[0] == Value::Okay && matches!(last[1], Value::ServerError(_)));
        }
    }

    #[test]
    fn a_server_that_drips_or_says_nothing_is_left_after_a_while() {
        let second = Duration::from_secs(1);
        for (begin, again) in [("", "+"), ("$100000\r\n", "x"), ("*100000\r\n", ":1\r\n"), ("*2\r\n$", "1")] {
            let mut exchange = script(begin, again, second);
            let error = exchange.ask(b"GET", 1).unwrap_err();
            assert!(error.is_timeout(), "{begin}: {error}");
            assert!(exchange.transport.now <= Duration::from_secs(1000) + TIMEOUT + second, "{begin}");
        }
        let mut silent = script("", "x", Duration::MAX);
        assert!(silent.ask(b"GET", 1).unwrap_err().is_timeout());
        assert!(silent.transport.now <= Duration::from_secs(1000) + TIMEOUT);
        let error = script("+O", "", QUICK).ask(b"GET", 1).unwrap_err();
        assert!(error.is_connection_dropped(), "{error}");
    }

    #[test]
    fn a_long_answer_has_the_time_that_its_bytes_take() {
        // 64 KiB each 60 ms are a MiB in a little less than a second.
        let part = vec![b'x'; CHUNK_BYTES];
        let mut exchange = script("$67108864\r\n", part, Duration::from_millis(60));
        exchange.limits.bytes = 1 << 30;
        let error = exchange.ask(b"GET", 1).unwrap_err();
        assert!(error.to_string().contains("longer than its length says"), "{error}");
        assert!(exchange.transport.now > Duration::from_secs(1000) + 3 * TIMEOUT);
    }

    #[test]
    fn what_has_no_end_or_no_sense_is_refused_at_once_and_costs_little() {
        for (begin, again, said, most) in [
            ("+", "x", "line of its answer has more than", 2 * MAX_LINE_BYTES as u64),
            ("", "*1\r\n", "lists in lists", 100),
            ("$9999999999999\r\n", "x", "announces a value of 9999999999999 bytes", 100),
            ("$99999999999999999999999\r\n", "x", "it says `$9999", 100),
            ("*9000000000000000000\r\n", ":1\r\n", "more than 10000 values", 60_000),
            ("$-2\r\n", "x", "it says `$-2`", 100),
            ("*x\r\n", "x", "it says `*x`", 100),
            (":x\r\n", "x", "it says `:x`", 100),
            ("HTTP/1.1 400 Bad Request\r\n", "x", "it says `HTTP/1.1 400", 100),
            ("SSH-2.0\n", "x", "ends without", 100),
            ("\r\n", "x", "it says ``", 100),
            ("%1\r\n", "+a\r\n", "it says `%1`", 100),
            ("$1\r\nabc", "x", "longer than its length", 100),
        ] {
            let mut exchange = script(begin, again, Duration::ZERO);
            // A server that sends as much as is asked for.
            if !again.is_empty() && most > 1000 {
                exchange.transport.again = again.repeat(1000).into_bytes();
            }
            let error = exchange.ask(b"GET", 1).unwrap_err();
            assert!(error.to_string().contains(said), "{begin:?}: {error}");
            assert!(!error.is_io_error() && exchange.transport.received <= most, "{begin:?}");
        }
    }

    #[test]
    fn an_answer_of_more_bytes_than_any_store_has_is_refused() {
        let mut exchange = script("*8000000\r\n", "", Duration::ZERO);
        let value = vec![b'x'; 1 << 20];
        let mut one = format!("${}\r\n", value.len()).into_bytes();
        one.extend(&value);
        one.extend(b"\r\n");
        exchange.transport.again = one;
        let error = exchange.ask(b"GET", 1).unwrap_err();
        assert!(error.to_string().contains("more than 8 MiB"), "{error}");
    }
}
