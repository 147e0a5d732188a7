-- What format version 9 added.
ALTER TABLE measurement ADD COLUMN is_due INTEGER NOT NULL DEFAULT 0;

CREATE TABLE meaning (
    function INTEGER PRIMARY KEY REFERENCES function (id),
    digests  TEXT NOT NULL -- by feature and variant, as JSON
) STRICT;
