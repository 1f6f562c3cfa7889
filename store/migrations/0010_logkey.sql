-- The verifier key of the log that signed a checkpoint, so that it stays good when the log goes on under another key.
ALTER TABLE log_checkpoint ADD COLUMN key TEXT NOT NULL DEFAULT '';
