-- The newest time that a server's retention was applied.
CREATE TABLE retention_runs (
    server_id  TEXT    NOT NULL PRIMARY KEY REFERENCES servers (id) ON DELETE CASCADE,
    at_ms      INTEGER NOT NULL,
    before_ms  INTEGER NOT NULL,          -- what is older was to go
    failed     INTEGER NOT NULL,          -- 1: nothing went
    calls      INTEGER NOT NULL,
    agreements INTEGER NOT NULL,
    startups   INTEGER NOT NULL,
    rejections INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What the command line shows a running server to be let in as its operator. Each works once.
CREATE TABLE operator_passes (
    hash       BLOB    NOT NULL PRIMARY KEY,
    expires_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
