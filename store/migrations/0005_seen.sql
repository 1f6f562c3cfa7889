-- When the newest version of an open incident was read again unchanged, and the leaf of the log that says so.
CREATE TABLE log_seen (
    version BIGINT NOT NULL,
    at      BIGINT NOT NULL,
    leaf    BIGINT NOT NULL,
    PRIMARY KEY (version, at)
);
