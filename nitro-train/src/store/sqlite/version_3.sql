-- What format version 3 added.
ALTER TABLE function ADD COLUMN default_configuration TEXT NOT NULL DEFAULT '';
