-- Times are milliseconds since 1970-01-01T00:00:00Z. Of secrets, only SHA-256 and the first 12 characters are kept.

CREATE TABLE users (
    id           TEXT    NOT NULL PRIMARY KEY,
    email        TEXT    NOT NULL,
    email_folded TEXT    NOT NULL UNIQUE, -- lower case: emails are compared without it
    created_ms   INTEGER NOT NULL
) STRICT;

CREATE TABLE accounts (
    id                     TEXT    NOT NULL PRIMARY KEY,
    name                   TEXT    NOT NULL,
    usd_per_million_tokens REAL    NOT NULL DEFAULT 3.0,
    created_ms             INTEGER NOT NULL
) STRICT;

CREATE TABLE memberships (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role       TEXT NOT NULL CHECK (role IN ('member', 'admin', 'owner')),
    created_ms INTEGER NOT NULL,
    PRIMARY KEY (user_id, account_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memberships_by_account ON memberships (account_id);

CREATE TABLE servers (
    id             TEXT    NOT NULL PRIMARY KEY,
    account_id     TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name           TEXT    NOT NULL,
    retention_days INTEGER,               -- NULL keeps everything
    created_ms     INTEGER NOT NULL
) STRICT;
CREATE INDEX servers_by_account ON servers (account_id);

CREATE TABLE tool_modes (
    server_id TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    tool      TEXT NOT NULL,
    mode      TEXT NOT NULL CHECK (mode IN ('in_series', 'one_answer')),
    PRIMARY KEY (server_id, tool)
) STRICT, WITHOUT ROWID;

CREATE TABLE ingest_keys (
    id               TEXT    NOT NULL PRIMARY KEY,
    server_id        TEXT    NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    name             TEXT    NOT NULL,
    prefix           TEXT    NOT NULL,
    hash             BLOB    NOT NULL UNIQUE,
    limit_per_minute INTEGER NOT NULL DEFAULT 10000, -- payloads
    created_ms       INTEGER NOT NULL,
    revoked_ms       INTEGER
) STRICT;
CREATE INDEX ingest_keys_by_server ON ingest_keys (server_id);

CREATE TABLE access_tokens (
    id         TEXT    NOT NULL PRIMARY KEY,
    user_id    TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    account_id TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name       TEXT    NOT NULL,
    prefix     TEXT    NOT NULL,
    hash       BLOB    NOT NULL UNIQUE,
    scopes     TEXT    NOT NULL,          -- separated by one space
    created_ms INTEGER NOT NULL,
    expires_ms INTEGER,
    revoked_ms INTEGER
) STRICT;
CREATE INDEX access_tokens_by_account ON access_tokens (account_id);
CREATE INDEX access_tokens_by_user ON access_tokens (user_id);

CREATE TABLE login_links (
    hash       BLOB    NOT NULL PRIMARY KEY,
    user_id    TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    expires_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX login_links_by_user ON login_links (user_id);

CREATE TABLE logins (
    id          TEXT    NOT NULL PRIMARY KEY,
    cookie_hash BLOB    NOT NULL UNIQUE,
    user_id     TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    expires_ms  INTEGER NOT NULL
) STRICT;
CREATE INDEX logins_by_user ON logins (user_id);

-- Outlives what it tells of, so it refers to nothing.
CREATE TABLE audit_log (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms      INTEGER NOT NULL,
    account_id TEXT    NOT NULL,
    actor      TEXT    NOT NULL,          -- operator, or a user's id
    action     TEXT    NOT NULL,          -- for example key.revoke
    subject    TEXT    NOT NULL           -- the id of what it was done to
) STRICT;
CREATE INDEX audit_log_by_account ON audit_log (account_id, id);
