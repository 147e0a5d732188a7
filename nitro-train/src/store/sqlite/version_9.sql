-- What format version 9 added.
ALTER TABLE measurement ADD COLUMN is_due INTEGER NOT NULL DEFAULT 0;
ALTER TABLE measurement ADD COLUMN load REAL; -- what others took of the processors, 0 to 1; NULL where unknown
ALTER TABLE evaluation ADD COLUMN load REAL;

CREATE TABLE meaning (
    function INTEGER PRIMARY KEY REFERENCES function (id),
    digests  TEXT NOT NULL -- by feature and variant, as JSON
) STRICT;
