-- Lines of the ledger for all teams that an incident's provider concerns and that were neither told nor have a line of their own.
-- They are read as a line for each of their channels; see shared.go. An empty reason is found by judging the version.
-- Provider is the page's slug, known_as the one under which stacks know the provider.
CREATE TABLE hold_shared (
    id       {{id}},
    provider TEXT NOT NULL,
    known_as TEXT NOT NULL,
    incident TEXT NOT NULL,
    kind     TEXT NOT NULL,
    reason   TEXT NOT NULL DEFAULT '',
    text     TEXT NOT NULL DEFAULT '',
    version  BIGINT NOT NULL DEFAULT 0,
    at       BIGINT NOT NULL,
    UNIQUE (incident, kind, at)
);
CREATE INDEX hold_shared_known ON hold_shared (known_as, at);
CREATE INDEX hold_shared_at ON hold_shared (at);

-- A team's newest change, counted over all teams, and the newest shared line that was written out for it before that change.
ALTER TABLE team ADD COLUMN filed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE team ADD COLUMN written BIGINT NOT NULL DEFAULT 0;
CREATE INDEX team_filed ON team (filed);
UPDATE team SET filed = n.no FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS no FROM team) AS n WHERE n.id = team.id;
