-- The transparency log: leaves, the stored hashes of their Merkle tree, and the signed checkpoints.
CREATE TABLE log_leaf (
    idx  BIGINT PRIMARY KEY,
    data {{bytes}} NOT NULL
);
CREATE TABLE log_hash (
    idx  BIGINT PRIMARY KEY,
    hash {{bytes}} NOT NULL
);
CREATE TABLE log_checkpoint (
    size   BIGINT PRIMARY KEY,
    signed {{bytes}} NOT NULL,
    at     BIGINT NOT NULL,
    stamps TEXT NOT NULL DEFAULT '[]'
);
