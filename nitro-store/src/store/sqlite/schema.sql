-- Format version 9 of a store. Everything is found by name; ids never leave the file.
CREATE TABLE function (
    id                    INTEGER PRIMARY KEY,
    name                  TEXT NOT NULL UNIQUE,
    default_variant       TEXT,
    default_configuration TEXT NOT NULL DEFAULT '' -- values of its tuning parameters, '' without any
) STRICT;

CREATE TABLE variant (
    id       INTEGER PRIMARY KEY,
    function INTEGER NOT NULL REFERENCES function (id),
    name     TEXT NOT NULL,
    UNIQUE (function, name)
) STRICT;

-- Which configurations a variant has, where that was listed.
CREATE TABLE space (
    variant INTEGER PRIMARY KEY REFERENCES variant (id),
    listed  TEXT NOT NULL -- its configurations, measured or not, as JSON
) STRICT;

-- The texts of configurations that are digests.
CREATE TABLE artifact (
    function INTEGER NOT NULL REFERENCES function (id),
    digest   TEXT NOT NULL, -- by which configurations name it
    text     TEXT NOT NULL, -- generated code
    PRIMARY KEY (function, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE feature (
    id       INTEGER PRIMARY KEY,
    function INTEGER NOT NULL REFERENCES function (id),
    name     TEXT NOT NULL,
    position INTEGER, -- NULL: the function no longer computes it
    UNIQUE (function, name)
) STRICT;

-- What features compute, constraints say and parameters are, of functions of which that is known.
CREATE TABLE meaning (
    function INTEGER PRIMARY KEY REFERENCES function (id),
    digests  TEXT NOT NULL -- by feature and variant, as JSON
) STRICT;

CREATE TABLE device (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE device_feature (
    device INTEGER NOT NULL REFERENCES device (id),
    name   TEXT NOT NULL,
    value  REAL NOT NULL,
    PRIMARY KEY (device, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE input (
    id       INTEGER PRIMARY KEY,
    function INTEGER NOT NULL REFERENCES function (id),
    name     TEXT NOT NULL,
    UNIQUE (function, name)
) STRICT;

CREATE TABLE input_feature (
    input   INTEGER NOT NULL REFERENCES input (id),
    feature INTEGER NOT NULL REFERENCES feature (id),
    value   REAL NOT NULL,
    PRIMARY KEY (input, feature)
) STRICT, WITHOUT ROWID;

CREATE TABLE measurement (
    input         INTEGER NOT NULL REFERENCES input (id),
    device        INTEGER NOT NULL REFERENCES device (id),
    variant       INTEGER NOT NULL REFERENCES variant (id),
    configuration TEXT NOT NULL, -- tuning parameters, '' without any
    outcome       TEXT NOT NULL CHECK (outcome IN ('time', 'failed', 'wrong', 'inadmissible')),
    time_ns       REAL CHECK (time_ns > 0 AND (outcome = 'time') = (time_ns IS NOT NULL)),
    spread_ns     REAL NOT NULL,
    repeats       INTEGER NOT NULL,
    reason        TEXT NOT NULL DEFAULT '', -- why it failed or is wrong, '' where unknown
    is_due        INTEGER NOT NULL DEFAULT 0, -- 1: to be measured again
    load          REAL, -- what others took of the processors that it needed, 0 to 1; NULL where unknown
    PRIMARY KEY (input, device, variant, configuration)
) STRICT, WITHOUT ROWID;

-- What features take to compute, where that was measured.
CREATE TABLE feature_time (
    input    INTEGER NOT NULL REFERENCES input (id),
    device   INTEGER NOT NULL REFERENCES device (id),
    times_ns TEXT NOT NULL, -- what each feature takes, by name, as JSON
    PRIMARY KEY (input, device)
) STRICT, WITHOUT ROWID;

-- What searches have evaluated, by name: of whatever function, device and input.
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
    parts         TEXT NOT NULL DEFAULT '', -- what its parts took, as JSON, '' where it has none
    load          REAL, -- as of a measurement
    PRIMARY KEY (function, device, input, variant, configuration)
) STRICT, WITHOUT ROWID;

-- The searches that have begun.
CREATE TABLE search (
    name       TEXT PRIMARY KEY,
    began_with TEXT NOT NULL -- what is the same for all who take part
) STRICT, WITHOUT ROWID;

-- Who measures what at present.
CREATE TABLE claim (
    function TEXT NOT NULL,
    device   TEXT NOT NULL,
    input    TEXT NOT NULL,
    owner    TEXT NOT NULL,
    until_s  REAL NOT NULL, -- seconds since 1970
    PRIMARY KEY (function, device, input)
) STRICT, WITHOUT ROWID;
