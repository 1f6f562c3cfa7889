-- The checkpoints that outsiders have confirmed: few among many.
CREATE INDEX log_checkpoint_confirmed ON log_checkpoint (size) WHERE stamps <> '[]' OR cosigned > 0;
