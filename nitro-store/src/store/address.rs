//! Addresses of stores.

use std::path::Path;

use super::StoreError;

/// A store's name as it was written, told apart by its kind.
pub(super) enum Address<'u> {
    /// An SQLite file of exactly this path.
    File(&'u Path),
    /// The address of a Redis server.
    Redis(&'u str),
}

/// Beginnings that SQLite or a server's client would read as more than a path, and what to write instead.
const OTHER_MEANINGS: [(&str, &str); 4] = [
    ("file:", "SQLite reads `file:` as the beginning of an address"),
    (":memory:", "SQLite keeps nothing of a store of this name"),
    ("redis:", "the address of a Redis server begins with redis://"),
    ("sqlite:", "a store's path is written without `sqlite:`"),
];

impl<'u> Address<'u> {
    /// Reads a store's name. A name that could be meant as something else than a file is refused before anything is
    /// made.
    pub(super) fn of(url: &'u str) -> Result<Self, StoreError> {
        match url.split_once("://") {
            Some(("redis", _)) => return Ok(Self::Redis(url)),
            Some((scheme, _)) if !scheme.contains(['/', '\\']) => {
                return Err(StoreError::Scheme { url: shown(url), scheme: scheme.to_owned() });
            }
            _ => {}
        }
        if url.trim().is_empty() {
            return Err(StoreError::NoName);
        }
        match OTHER_MEANINGS.iter().find(|(beginning, _)| url.starts_with(beginning)) {
            Some((_, meaning)) => Err(StoreError::OtherMeaning { name: shown(url), meaning }),
            None => Ok(Self::File(Path::new(url))),
        }
    }
}

/// The store's address as it may be shown: without user and password, and without what follows a `?`, which may
/// name them too.
pub fn shown(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (before, host) = rest.rsplit_once('@').unwrap_or(("", rest));
    // Of `?` before `@` nobody can tell which of the two belongs to a password.
    let host = if before.contains('?') { "…" } else { host.split('?').next().unwrap_or_default() };
    format!("{scheme}://{host}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_file_a_server_or_refused() {
        for file in ["nitro.db", "./file:u.db", "./:memory:", "a/x://y.db", "files.db", "C:/x.db", ":memory"]
        {
            assert!(
                matches!(Address::of(file), Ok(Address::File(path)) if path == Path::new(file)),
                "{file}"
            );
        }
        assert!(matches!(Address::of("redis://host/0"), Ok(Address::Redis("redis://host/0"))));
        for (name, said) in [
            ("", "needs a name"),
            (" \t", "needs a name"),
            (":memory:", "write `./:memory:`"),
            (":memory:?cache=shared", "keeps nothing"),
            ("file:u.db", "write `./file:u.db`"),
            ("file::memory:", "beginning of an address"),
            ("file:///tmp/u.db?mode=ro", "no kind of store is called `file://`"),
            ("redis:host", "begins with redis://"),
            ("sqlite:u.db", "without `sqlite:`"),
            ("Redis://host", "no kind of store"),
        ] {
            let refused = Address::of(name).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(refused.contains(said), "{name}: {refused}");
        }
    }

    #[test]
    fn an_address_is_shown_without_password() {
        for (url, expected) in [
            ("nitro.db", "nitro.db"),
            ("at@home/nitro.db", "at@home/nitro.db"),
            ("redis://host:6379/0", "redis://host:6379/0"),
            ("redis://user:secret@host/0", "redis://host/0"),
            ("rediss://:sec@ret@host", "rediss://host"),
            ("rediss://:sec/ret@host", "rediss://host"),
            ("redis+unix:///tmp/socket?pass=secret&db=1", "redis+unix:///tmp/socket"),
            ("redis://:sec?ret@host", "redis://…"),
            ("unix:///tmp/socket?pass=sec@ret", "unix://…"),
            ("redis://user:secret@", "redis://"),
        ] {
            assert_eq!(shown(url), expected, "{url}");
        }
    }
}
