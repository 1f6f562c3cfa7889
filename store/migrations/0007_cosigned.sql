-- How many witnesses have cosigned a checkpoint of ours.
ALTER TABLE log_checkpoint ADD COLUMN cosigned BIGINT NOT NULL DEFAULT 0;
