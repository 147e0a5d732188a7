-- What format version 10 took out.
DROP TABLE post;
