//! Errors of stores.

use std::error::Error;
use std::io;

use nitro_core::{Artifact, Unit};

use crate::printable::{excerpt, list};

/// An error of opening, reading or writing a store.
///
/// Messages name the store and what to change about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what each field is")]
pub enum StoreError {
    /// The address has a scheme that no back end answers to.
    #[error("no kind of store is called `{scheme}://` in `{url}`: give a file path or redis://host:port/db")]
    Scheme { url: String, scheme: String },

    /// The store's name is empty.
    #[error("a store needs a name: give a file path or redis://host:port/db")]
    NoName,

    /// A name that another program reads as something else than a path.
    #[error("`{name}` is no store's name, since {meaning}: write `./{name}` for a file that is called so")]
    OtherMeaning { name: String, meaning: &'static str },

    /// A Redis address in a build without Redis.
    #[error(
        "`{url}` needs a trainer built with Redis: enable the Cargo feature `redis` of nitro-train or give a path"
    )]
    RedisNotBuilt { url: String },

    /// The Redis server does not answer.
    #[error("no Redis server answers at `{location}`: start it, or correct the address")]
    Unreachable { location: String, source: Box<dyn Error + Send + Sync> },

    /// The Redis server does not finish its answers.
    #[error(
        "the Redis server at `{location}` takes too long to answer: see what it is busy with, or name another"
    )]
    Slow { location: String, source: Box<dyn Error + Send + Sync> },

    /// Something else than a Redis server answers.
    #[error(
        "what answers at `{location}` is no Redis server that a store can be in ({said}): correct the address"
    )]
    NoRedis { location: String, said: String },

    /// The Redis server refuses a command, and says why.
    #[error(
        "the Redis server at `{location}` refuses what a store needs ({said}): change that, or name another server"
    )]
    ServerRefuses { location: String, said: String },

    /// The Redis server wants other credentials.
    #[error(
        "the Redis server at `{location}` refuses this user or password: write redis://USER:PASSWORD@host:port/db"
    )]
    Denied { location: String, source: Box<dyn Error + Send + Sync> },

    /// The Redis server has fewer databases.
    #[error(
        "the Redis server at `{location}` has no database of this number: write a smaller one, most servers have 0 to \
         15"
    )]
    NoSuchDatabase { location: String },

    /// The Redis server takes nothing more.
    #[error(
        "the Redis server at `{location}` is out of memory: raise its maxmemory; what it acknowledged is kept, and the \
         same command goes on"
    )]
    OutOfMemory { location: String },

    /// The path is a folder, pipe or device.
    #[error("store `{location}` is not a file: give the path of a file, such as `{location}/nitro.db`")]
    NotAFile { location: String },

    /// The file cannot be made, read or written.
    #[error(
        "store `{location}` cannot be opened for writing: make the folder and give write permission, or name another \
         file"
    )]
    NotWritable { location: String, source: io::Error },

    /// The file cannot be read.
    #[error("store `{location}` cannot be read: give read permission, or name another file")]
    NotReadable { location: String, source: io::Error },

    /// The file, or the server's key, holds something else.
    #[error("`{location}` is not a Nitro store and is left as it is: name another file, or move it away")]
    NotAStore { location: String },

    /// The file was a store but is not whole.
    #[error(
        "store `{location}` is damaged ({detail}): restore it from a copy, or move it away and record again"
    )]
    Damaged { location: String, detail: String },

    /// The file has a view, trigger or another thing that no store has.
    #[error(
        "store `{location}` has the {kind} `{}`, which is none of Nitro's: remove it ({}), or name another store",
        excerpt(name),
        removal(kind, name)
    )]
    Foreign { location: String, kind: String, name: String },

    /// No room on the disk.
    #[error(
        "the disk that store `{location}` is on is full: make room; what was kept is kept, and the same command goes on"
    )]
    DiskFull { location: String },

    /// The operating system lets the store grow no further, or cannot write it.
    #[error(
        "store `{location}` can no longer be written: make room on its disk, raise the limit on the size of files, or \
         mend the disk; what was kept is kept, and the same command goes on"
    )]
    NotWritten { location: String },

    /// The store was made by a newer program.
    #[error(
        "store `{location}` has format version {found}, this program reads up to {supported}: use a newer Nitro, or \
         name another store"
    )]
    Version { location: String, found: i64, supported: i64 },

    /// The store was made by an older program, of which there was no release.
    #[error(
        "store `{location}` has format version {found}, of which there was no release, and this program reads from \
         {oldest} on: record into another store"
    )]
    OldVersion { location: String, found: i64, oldest: i64 },

    /// Recordings from elsewhere were made with another declaration of the function.
    #[error(
        "{change} of `{function}` is declared otherwise in what comes into store `{location}`: record one of the two \
         again with the other's program, or keep them apart"
    )]
    OtherDeclaration { location: String, function: String, change: String },

    /// A feature has another unit in the store.
    #[error(
        "feature `{feature}` of `{function}` is in {known} in store `{location}`, and in {found} in what comes into \
         it: correct the unit, or `forget` the function there before"
    )]
    OtherUnit { location: String, function: String, feature: String, known: Unit, found: Unit },

    /// A pattern of inputs is none.
    #[error("`{pattern}` is no pattern of inputs: {problem}")]
    Pattern { pattern: String, problem: String },

    /// Another program holds the store.
    #[error("store `{location}` is locked by another program: wait until that one has finished")]
    Busy { location: String },

    /// The back end failed in another way.
    #[error("store `{location}` failed")]
    Backend { location: String, source: Box<dyn Error + Send + Sync> },

    /// There is nothing that could be copied.
    #[error("there is neither a store `{first}` nor a store `{second}`: one of them has to exist")]
    NeitherExists { first: String, second: String },

    /// A store would be copied to itself.
    #[error("`{first}` and `{second}` are the same store: name two")]
    SameStore { first: String, second: String },

    /// The store has nothing of this function.
    #[error(
        "store `{location}` has no recordings of function `{function}` ({known}): record or import it first"
    )]
    UnknownFunction { location: String, function: String, known: String },

    /// Measurements of a device or variant that was not registered.
    #[error("store `{location}` does not know {what} `{name}`: register it before its measurements")]
    Unregistered { location: String, what: &'static str, name: String },

    /// A name is none, appears twice, or is missing where another name refers to it.
    #[error("{what} `{}` {problem}", excerpt(name))]
    Name { what: String, name: String, problem: String },

    /// More than there is room for.
    #[error("{whose} has {count} {what}, and may have {most}: {advice}")]
    TooMany { whose: String, count: usize, what: &'static str, most: usize, advice: &'static str },

    /// Another program has written something that breaks the rules of this module.
    #[error("what store `{location}` holds cannot be used: correct it there, or name another store")]
    Unusable { location: String, source: Box<StoreError> },

    /// The text of generated code belongs to another digest.
    #[error("the text of artifact {digest} has the digest {found}: copy it again from where it came")]
    OtherArtifact { digest: Artifact, found: Artifact },

    /// A number that nothing can be learned from.
    #[error("{what} is {value}: it has to be {expected}")]
    Number { what: String, value: f64, expected: &'static str },

    /// An input comes with too many or too few features.
    #[error("input `{input}` of function `{function}` has {found} features, {expected} are registered")]
    FeatureCount { function: String, input: String, expected: usize, found: usize },

    /// Recordings from elsewhere have other input features.
    #[error(
        "function `{function}` has the features {expected} in store `{location}`, not {found}: name another store, or \
         change the columns"
    )]
    OtherFeatures { location: String, function: String, expected: String, found: String },

    /// The store holds another value under the same key.
    #[error(
        "{what} is {stored} in store `{location}`, not {given}: give it another name, or use another store"
    )]
    Conflict { location: String, what: String, stored: String, given: String },
}

/// Writes the statement with which the `sqlite3` program removes something.
fn removal(kind: &str, name: &str) -> String {
    let kind = if kind == "virtual table" { "table" } else { kind };
    format!("DROP {} \"{}\"", kind.to_uppercase(), excerpt(name))
}

impl StoreError {
    pub(super) fn unknown_function(location: &str, function: &str, known: &[String]) -> Self {
        let known = match known {
            [] => "it is empty".to_owned(),
            known => format!("it has {}", list(known)),
        };
        Self::UnknownFunction { location: location.to_owned(), function: function.to_owned(), known }
    }

    pub(super) fn unregistered(location: &str, what: &'static str, name: &str) -> Self {
        Self::Unregistered { location: location.to_owned(), what, name: name.to_owned() }
    }

    pub(super) fn conflict(
        location: &str,
        what: String,
        stored: impl ToString,
        given: impl ToString,
    ) -> Self {
        let (stored, given) = (stored.to_string(), given.to_string());
        Self::Conflict { location: location.to_owned(), what, stored, given }
    }
}

/// An error inside a back end, before it knows what the store is called.
pub(super) enum Fault<E> {
    /// An error of the database or its connection.
    Backend(E),
    /// An error of the request.
    Refused(StoreError),
}

impl<E> From<StoreError> for Fault<E> {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}
