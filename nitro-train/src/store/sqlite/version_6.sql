-- What format version 6 added.
CREATE TABLE evaluation (
    function      TEXT NOT NULL,
    device        TEXT NOT NULL,
    input         TEXT NOT NULL,
    variant       TEXT NOT NULL,
    configuration TEXT NOT NULL, -- tuning parameters, '' without any
    outcome       TEXT NOT NULL CHECK (outcome IN ('time', 'failed', 'wrong', 'inadmissible')),
    time_ns       REAL CHECK (time_ns > 0 AND (outcome = 'time') = (time_ns IS NOT NULL)),
    spread_ns     REAL NOT NULL,
    repeats       INTEGER NOT NULL,
    reason        TEXT NOT NULL, -- why it failed or is wrong, '' where unknown
    PRIMARY KEY (function, device, input, variant, configuration)
) STRICT, WITHOUT ROWID;

CREATE TABLE search (
    name       TEXT PRIMARY KEY,
    began_with TEXT NOT NULL -- what is the same for all who take part
) STRICT, WITHOUT ROWID;
