-- Times are microseconds since 1970 in UTC, 0 where not known. Flags are 0 or 1. The words in double braces are the dialect's.

CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE source (
    provider      TEXT PRIMARY KEY,
    url           TEXT NOT NULL DEFAULT '',
    endpoint      TEXT NOT NULL DEFAULT '',
    platform      TEXT NOT NULL DEFAULT '',
    state         TEXT NOT NULL DEFAULT '',
    etag          TEXT NOT NULL DEFAULT '',
    last_modified TEXT NOT NULL DEFAULT '',
    body_hash     TEXT NOT NULL DEFAULT '',
    last_read     BIGINT NOT NULL DEFAULT 0,
    last_tried    BIGINT NOT NULL DEFAULT 0,
    next_due      BIGINT NOT NULL DEFAULT 0,
    failures      BIGINT NOT NULL DEFAULT 0,
    error         TEXT NOT NULL DEFAULT '',
    first_read    BIGINT NOT NULL DEFAULT 0,
    told          BIGINT NOT NULL DEFAULT 0,
    polls         BIGINT NOT NULL DEFAULT 0,
    hot           BIGINT NOT NULL DEFAULT 0,
    wanted        BIGINT NOT NULL DEFAULT 0,
    every         BIGINT NOT NULL DEFAULT 0,
    listed        BIGINT NOT NULL DEFAULT 1,
    claim_owner   TEXT NOT NULL DEFAULT '',
    claim_until   BIGINT NOT NULL DEFAULT 0,
    planned_at    BIGINT NOT NULL DEFAULT 0,
    components    {{bytes}}
);
CREATE INDEX source_due ON source (next_due) WHERE listed = 1;

CREATE TABLE body (
    sha     TEXT PRIMARY KEY,
    size    BIGINT NOT NULL,
    data    {{bytes}} NOT NULL,
    kept_at BIGINT NOT NULL
);

CREATE TABLE version (
    id        {{id}},
    provider  TEXT NOT NULL,
    incident  TEXT NOT NULL,
    number    BIGINT NOT NULL,
    previous  BIGINT NOT NULL DEFAULT 0,
    hash      TEXT NOT NULL,
    state     {{bytes}} NOT NULL,
    changes   {{bytes}} NOT NULL,
    fetched   TEXT NOT NULL,
    body      TEXT NOT NULL DEFAULT '',
    seen_at   BIGINT NOT NULL,
    last_seen BIGINT NOT NULL,
    leaf      BIGINT NOT NULL DEFAULT -1,
    UNIQUE (provider, incident, number)
);
CREATE UNIQUE INDEX version_once ON version (provider, incident, hash, seen_at);
CREATE INDEX version_body ON version (body);

CREATE TABLE incident (
    provider    TEXT NOT NULL,
    id          TEXT NOT NULL,
    kind        TEXT NOT NULL,
    title       TEXT NOT NULL,
    is_open     BIGINT NOT NULL,
    first_seen  BIGINT NOT NULL,
    changed_at  BIGINT NOT NULL,
    silent      BIGINT NOT NULL DEFAULT 0,
    missing     BIGINT NOT NULL DEFAULT 0,
    withdrawn   BIGINT NOT NULL DEFAULT 0,
    gone        BIGINT NOT NULL DEFAULT 0,
    unconfirmed BIGINT NOT NULL DEFAULT 0,
    windows     {{bytes}},
    version     BIGINT NOT NULL,
    versions    BIGINT NOT NULL,
    PRIMARY KEY (provider, id)
);
CREATE INDEX incident_seen ON incident (first_seen, provider, id);
CREATE INDEX incident_changed ON incident (changed_at);

CREATE TABLE team (
    id       TEXT PRIMARY KEY,
    name     TEXT NOT NULL DEFAULT '',
    secret   TEXT NOT NULL UNIQUE,
    timezone TEXT NOT NULL DEFAULT '',
    pinned   BIGINT NOT NULL DEFAULT 0,
    stack    {{bytes}},
    stack_at BIGINT NOT NULL DEFAULT 0,
    stack_by TEXT NOT NULL DEFAULT '',
    stack_no BIGINT NOT NULL DEFAULT 0
);

-- Which teams a provider concerns. provider '*' stands for all; from_kind is 'stack', 'rule' or 'subscription'.
CREATE TABLE team_provider (
    provider  TEXT NOT NULL,
    team      TEXT NOT NULL,
    from_kind TEXT NOT NULL,
    PRIMARY KEY (provider, team, from_kind)
);
CREATE INDEX team_provider_team ON team_provider (team);

CREATE TABLE team_rule (
    id        {{id}},
    team      TEXT NOT NULL,
    kind      TEXT NOT NULL,
    provider  TEXT NOT NULL DEFAULT '',
    component TEXT NOT NULL DEFAULT '',
    region    TEXT NOT NULL DEFAULT '',
    by_whom   TEXT NOT NULL DEFAULT '',
    at        BIGINT NOT NULL DEFAULT 0,
    UNIQUE (team, kind, provider, component, region)
);

CREATE TABLE destination (
    id           TEXT PRIMARY KEY,
    platform     TEXT NOT NULL,
    workspace    TEXT NOT NULL DEFAULT '',
    channel      TEXT NOT NULL DEFAULT '',
    name         TEXT NOT NULL DEFAULT '',
    team         TEXT NOT NULL,
    paused       TEXT NOT NULL DEFAULT '',
    paused_at    BIGINT NOT NULL DEFAULT 0,
    operator     BIGINT NOT NULL DEFAULT 0,
    quiet        TEXT NOT NULL DEFAULT '',
    quiet_except TEXT NOT NULL DEFAULT '',
    timezone     TEXT NOT NULL DEFAULT '',
    digest       TEXT NOT NULL DEFAULT '',
    digest_at    TEXT NOT NULL DEFAULT '',
    next_post    BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX destination_team ON destination (team);
CREATE INDEX destination_workspace ON destination (platform, workspace);

CREATE TABLE subscription (
    id          {{id}},
    destination TEXT NOT NULL,
    team        TEXT NOT NULL,
    target      TEXT NOT NULL,
    provider    TEXT NOT NULL DEFAULT '',
    component   TEXT NOT NULL DEFAULT '',
    filter      TEXT NOT NULL,
    created_by  TEXT NOT NULL DEFAULT '',
    created_at  BIGINT NOT NULL DEFAULT 0,
    UNIQUE (destination, target, provider, component)
);
CREATE INDEX subscription_team ON subscription (team);

CREATE TABLE mute (
    id          {{id}},
    destination TEXT NOT NULL,
    provider    TEXT NOT NULL DEFAULT '',
    incident    TEXT NOT NULL DEFAULT '',
    until       BIGINT NOT NULL,
    by_whom     TEXT NOT NULL DEFAULT '',
    UNIQUE (destination, provider, incident)
);

CREATE TABLE delivery (
    seq          {{id}},
    id           TEXT NOT NULL UNIQUE,
    destination  TEXT NOT NULL,
    team         TEXT NOT NULL,
    incident     TEXT NOT NULL,
    provider     TEXT NOT NULL,
    state        TEXT NOT NULL,
    reason       TEXT NOT NULL DEFAULT '',
    desired      BIGINT NOT NULL DEFAULT 0,
    applied      BIGINT NOT NULL DEFAULT 0,
    edited       BIGINT NOT NULL DEFAULT 0,
    edited_at    BIGINT NOT NULL DEFAULT 0,
    root_id      TEXT NOT NULL DEFAULT '',
    thread_id    TEXT NOT NULL DEFAULT '',
    generation   BIGINT NOT NULL DEFAULT 0,
    parent       TEXT NOT NULL DEFAULT '',
    finish       BIGINT NOT NULL DEFAULT 0,
    no_edit      BIGINT NOT NULL DEFAULT 0,
    no_thread    BIGINT NOT NULL DEFAULT 0,
    reconcile    BIGINT NOT NULL DEFAULT 0,
    fresh_root   BIGINT NOT NULL DEFAULT 0,
    intent_part  TEXT NOT NULL DEFAULT '',
    intent_at    BIGINT NOT NULL DEFAULT 0,
    intent_first BIGINT NOT NULL DEFAULT 0,
    lease_owner  TEXT NOT NULL DEFAULT '',
    lease_until  BIGINT NOT NULL DEFAULT 0,
    swept_at     BIGINT NOT NULL DEFAULT 0,
    not_before   BIGINT NOT NULL DEFAULT 0,
    attempts     BIGINT NOT NULL DEFAULT 0,
    acked_by     TEXT NOT NULL DEFAULT '',
    acked_at     BIGINT NOT NULL DEFAULT 0,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL
);
CREATE INDEX delivery_gap ON delivery (not_before, seq) WHERE state = 'active' AND (applied < desired OR edited < desired);
CREATE INDEX delivery_waiting ON delivery (destination, seq) WHERE state = 'active' AND root_id = '';
CREATE INDEX delivery_destination ON delivery (destination, updated_at);
CREATE INDEX delivery_root ON delivery (destination, root_id);
CREATE INDEX delivery_team ON delivery (team, provider, updated_at);
CREATE INDEX delivery_incident ON delivery (incident);

CREATE TABLE part (
    delivery   TEXT NOT NULL,
    version    BIGINT NOT NULL,
    raise_key  TEXT NOT NULL,
    message_id TEXT NOT NULL DEFAULT '',
    sent_at    BIGINT NOT NULL DEFAULT 0,
    skipped    TEXT NOT NULL DEFAULT '',
    repeats    BIGINT NOT NULL DEFAULT 0,
    archive    BIGINT NOT NULL DEFAULT 0,
    bare       BIGINT NOT NULL DEFAULT 0,
    alert      {{bytes}} NOT NULL,
    PRIMARY KEY (delivery, version)
);
CREATE UNIQUE INDEX part_once ON part (delivery, raise_key);
CREATE INDEX part_message ON part (message_id) WHERE message_id <> '';

CREATE TABLE hold (
    id          {{id}},
    destination TEXT NOT NULL DEFAULT '',
    team        TEXT NOT NULL DEFAULT '',
    incident    TEXT NOT NULL DEFAULT '',
    kind        TEXT NOT NULL DEFAULT '',
    reason      TEXT NOT NULL,
    text        TEXT NOT NULL DEFAULT '',
    at          BIGINT NOT NULL,
    UNIQUE (destination, team, incident, kind, reason, at)
);
CREATE INDEX hold_at ON hold (at);
CREATE INDEX hold_team ON hold (team, at);

CREATE TABLE feed_item (
    seq          {{id}},
    id           TEXT NOT NULL UNIQUE,
    provider     TEXT NOT NULL,
    incident     TEXT NOT NULL,
    update_id    TEXT NOT NULL DEFAULT '',
    kind         TEXT NOT NULL,
    impact       TEXT NOT NULL DEFAULT '',
    phase        TEXT NOT NULL DEFAULT '',
    title        TEXT NOT NULL,
    text         TEXT NOT NULL,
    components   TEXT NOT NULL,
    regions      TEXT NOT NULL,
    posted_at    BIGINT NOT NULL,
    published_at BIGINT NOT NULL UNIQUE,
    version      BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX feed_item_provider ON feed_item (provider, published_at);

CREATE TABLE note (
    id       {{id}},
    name     TEXT NOT NULL,
    text     TEXT NOT NULL,
    provider TEXT NOT NULL DEFAULT '',
    at       BIGINT NOT NULL,
    ended    BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX note_standing ON note (name) WHERE ended = 0;

CREATE TABLE token (
    id         {{id}},
    name       TEXT NOT NULL,
    team       TEXT NOT NULL DEFAULT '',
    scopes     TEXT NOT NULL,
    hash       TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    last_used  BIGINT NOT NULL DEFAULT 0,
    revoked    BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE temp (
    kind  TEXT NOT NULL,
    name  TEXT NOT NULL,
    value {{bytes}},
    until BIGINT NOT NULL,
    PRIMARY KEY (kind, name)
);
CREATE INDEX temp_until ON temp (until);

CREATE TABLE install (
    platform   TEXT NOT NULL,
    workspace  TEXT NOT NULL,
    enterprise TEXT NOT NULL DEFAULT '',
    name       TEXT NOT NULL DEFAULT '',
    app        TEXT NOT NULL DEFAULT '',
    bot        TEXT NOT NULL DEFAULT '',
    installer  TEXT NOT NULL DEFAULT '',
    scopes     TEXT NOT NULL,
    sealed     {{bytes}} NOT NULL,
    at         BIGINT NOT NULL,
    PRIMARY KEY (platform, enterprise, workspace)
);
