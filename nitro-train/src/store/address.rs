//! What a store is called.

/// The store's address as it may be shown: without user and password, and without what follows a `?`, which may name them too.
pub(crate) fn shown(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (before, host) = rest.rsplit_once('@').unwrap_or(("", rest));
    // Of `?` before `@` nobody can tell which of the two belongs to a password.
    let host = if before.contains('?') { "…" } else { host.split('?').next().unwrap_or_default() };
    format!("{scheme}://{host}")
}

#[cfg(test)]
mod tests {
    use super::shown;

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
