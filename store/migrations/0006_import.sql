-- Checkpoints of the log whose archive was taken over, with the key that signed them; the own ones stand in log_checkpoint.
CREATE TABLE log_import (
    size   BIGINT PRIMARY KEY,
    key    TEXT NOT NULL,
    signed {{bytes}} NOT NULL,
    at     BIGINT NOT NULL,
    stamps TEXT NOT NULL DEFAULT '[]'
);
CREATE INDEX version_leaf ON version (leaf);
