-- How long, in seconds, an open incident that nobody acknowledged may go unmentioned in a destination; 0: no reminders.
ALTER TABLE destination ADD COLUMN remind BIGINT NOT NULL DEFAULT 0;
