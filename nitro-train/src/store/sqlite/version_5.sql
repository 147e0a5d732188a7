-- What format version 5 added.
CREATE TABLE feature_time (
    input    INTEGER NOT NULL REFERENCES input (id),
    device   INTEGER NOT NULL REFERENCES device (id),
    times_ns TEXT NOT NULL, -- what each feature takes, by name, as JSON
    PRIMARY KEY (input, device)
) STRICT, WITHOUT ROWID;
