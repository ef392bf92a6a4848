-- One file per tracked server. Times are milliseconds since 1970-01-01T00:00:00Z.
-- `seq` is one order of arrival, shared by calls, startups and agreements.

CREATE TABLE calls (
    seq            BIGINT    NOT NULL,
    received_ms    BIGINT    NOT NULL,
    key_id         VARCHAR   NOT NULL,
    session_id     VARCHAR   NOT NULL,
    client_name    VARCHAR   NOT NULL,
    tool_name      VARCHAR   NOT NULL,
    started_ms     BIGINT    NOT NULL,
    duration_ms    UINTEGER  NOT NULL,
    outcome        UTINYINT  NOT NULL, -- 0 ok, 1 bad_args, 2 tool_error, 3 crashed
    response_units UINTEGER  NOT NULL,
    is_empty       BOOLEAN   NOT NULL,
    args_hash      UBIGINT   NOT NULL  -- 48 bits; 0 stands for arguments that were not representable
);

-- A set of tools as clients see them, stored once per content.
CREATE TABLE surfaces (
    surface_id    INTEGER NOT NULL,
    content_hash  VARCHAR NOT NULL,
    first_seen_ms BIGINT  NOT NULL,
    last_seen_ms  BIGINT  NOT NULL
);

CREATE TABLE surface_tools (
    surface_id       INTEGER  NOT NULL,
    position         INTEGER  NOT NULL, -- place in the order of names, from 0
    tool_name        VARCHAR  NOT NULL,
    schema_bytes     UINTEGER NOT NULL,
    schema_hash      VARCHAR,
    description_hash VARCHAR,
    description_norm VARCHAR,
    policy           VARCHAR            -- none, authorization, identity; NULL where nothing was declared
);

CREATE TABLE startups (
    seq              BIGINT  NOT NULL,
    received_ms      BIGINT  NOT NULL,
    key_id           VARCHAR NOT NULL,
    session_id       VARCHAR NOT NULL,
    client_name      VARCHAR NOT NULL,
    surface_id       INTEGER NOT NULL,
    sdk              VARCHAR,
    mcp_sdk_version  VARCHAR,
    protocol_version VARCHAR,
    transport        VARCHAR,           -- stdio, http
    producer         VARCHAR NOT NULL
);

CREATE TABLE declared_agreements (
    startup_seq BIGINT    NOT NULL,
    field       VARCHAR   NOT NULL,
    tools       VARCHAR[] NOT NULL
);

CREATE TABLE agreements (
    seq         BIGINT   NOT NULL,
    received_ms BIGINT   NOT NULL,
    key_id      VARCHAR  NOT NULL,
    session_id  VARCHAR  NOT NULL,
    field       VARCHAR  NOT NULL,
    tool_a      VARCHAR  NOT NULL,
    tool_b      VARCHAR  NOT NULL,
    agreed      BOOLEAN  NOT NULL,
    checked_ms  BIGINT   NOT NULL,
    window_ms   UINTEGER NOT NULL
);

-- Payloads that broke a rule, counted; never what they held.
CREATE TABLE rejections (
    day      INTEGER NOT NULL, -- days since 1970, UTC, of arrival
    key_id   VARCHAR NOT NULL,
    producer VARCHAR NOT NULL,
    rule     VARCHAR NOT NULL,
    count    BIGINT  NOT NULL,
    last_ms  BIGINT  NOT NULL
);

-- What a repeated idempotency key is answered.
CREATE TABLE idempotency (
    key_id          VARCHAR NOT NULL,
    idempotency_key VARCHAR NOT NULL,
    received_ms     BIGINT  NOT NULL,
    answer          VARCHAR NOT NULL -- JSON
);
