-- What format version 2 added.
ALTER TABLE measurement ADD COLUMN reason TEXT NOT NULL DEFAULT '';

CREATE TABLE claim (
    function TEXT NOT NULL,
    device   TEXT NOT NULL,
    input    TEXT NOT NULL,
    owner    TEXT NOT NULL,
    until_s  REAL NOT NULL, -- seconds since 1970
    PRIMARY KEY (function, device, input)
) STRICT, WITHOUT ROWID;
