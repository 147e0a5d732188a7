-- What format version 7 added.
CREATE TABLE artifact (
    function INTEGER NOT NULL REFERENCES function (id),
    digest   TEXT NOT NULL, -- by which configurations name it
    text     TEXT NOT NULL, -- generated code
    PRIMARY KEY (function, digest)
) STRICT, WITHOUT ROWID;

ALTER TABLE evaluation ADD COLUMN parts TEXT NOT NULL DEFAULT ''; -- what its parts took, as JSON, '' where it has none
