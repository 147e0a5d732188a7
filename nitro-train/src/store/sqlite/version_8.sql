-- What format version 8 added.
CREATE TABLE post (
    board  TEXT NOT NULL, -- what they work on
    poster TEXT NOT NULL,
    text   TEXT NOT NULL,
    PRIMARY KEY (board, poster)
) STRICT, WITHOUT ROWID;
