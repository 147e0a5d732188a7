-- What format version 4 added.
CREATE TABLE space (
    variant INTEGER PRIMARY KEY REFERENCES variant (id),
    listed  TEXT NOT NULL -- its configurations, measured or not, as JSON
) STRICT;
