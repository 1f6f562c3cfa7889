-- Providers that people added by the address of their status page.
CREATE TABLE provider (
    slug  TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    at    BIGINT NOT NULL
);
