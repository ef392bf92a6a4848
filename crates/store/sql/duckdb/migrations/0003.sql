-- What is settled, worked out: derived from the tables above, never the other way round. Everything here may be emptied
-- (with `worked` set back to 0) and is worked out again.

CREATE TABLE worked (
    upto_seq  BIGINT NOT NULL, -- every call and startup up to this one is in the tables below
    latest_ms BIGINT NOT NULL  -- the latest end or arrival of a call in `worked_calls`
);
INSERT INTO worked VALUES (0, 0);

-- Names as numbers from 1.
CREATE TABLE tool_numbers (tool INTEGER NOT NULL, name VARCHAR NOT NULL);
CREATE TABLE client_numbers (client INTEGER NOT NULL, name VARCHAR NOT NULL);

-- What a startup says of where its calls come from. Number 0 stands for calls without a startup.
CREATE TABLE sources (
    source           INTEGER NOT NULL,
    surface_id       INTEGER NOT NULL,
    sdk              VARCHAR,
    mcp_sdk_version  VARCHAR,
    protocol_version VARCHAR,
    transport        VARCHAR
);

CREATE TABLE worked_sessions (
    session      INTEGER NOT NULL,
    session_id   VARCHAR NOT NULL,
    first_seq    BIGINT  NOT NULL,
    first_ms     BIGINT,           -- start of its first call; NULL without calls
    last_ms      BIGINT,           -- start of its last call
    first_source INTEGER NOT NULL  -- of its first startup
);

-- Sessions in which something happened lately: their calls are in `open_calls`, those of all others in `worked_calls`.
CREATE TABLE open_sessions (
    session   INTEGER NOT NULL,
    latest_ms BIGINT  NOT NULL -- latest end or arrival
);

-- Calls with what is known about them from the calls around them.
CREATE TABLE worked_calls (
    seq             BIGINT    NOT NULL,
    session         INTEGER   NOT NULL,
    tool            INTEGER   NOT NULL,
    client          INTEGER   NOT NULL,
    source          INTEGER   NOT NULL,
    received_ms     BIGINT    NOT NULL,
    started_ms      BIGINT    NOT NULL,
    duration_ms     UINTEGER  NOT NULL,
    outcome         UTINYINT  NOT NULL,
    response_units  UINTEGER  NOT NULL,
    is_empty        BOOLEAN   NOT NULL,
    link_behind     UTINYINT  NOT NULL, -- 0 none, 1 retry, 2 follow-up
    run_steps       UINTEGER  NOT NULL,
    run_clean       BOOLEAN   NOT NULL,
    crowded         BOOLEAN   NOT NULL,
    begins_run      BOOLEAN   NOT NULL,
    run_lag_ms      BIGINT    NOT NULL, -- of a call that begins a run: from its start to the run's latest end or arrival
    begins_session  BOOLEAN   NOT NULL, -- whether it is the first call of its session,
    begins_tool     BOOLEAN   NOT NULL, -- of its tool in the session,
    begins_client   BOOLEAN   NOT NULL, -- of its client in the session,
    begins_lane     BOOLEAN   NOT NULL, -- of its tool and client in the session
    next_tool       INTEGER   NOT NULL  -- 0 when no call follows
);
CREATE TABLE open_calls AS FROM worked_calls;

-- Sums over `worked_calls`. Rows with one key are added up: what is taken back is there as a row of negative counts.
-- Hours and days are counted from 730 000 days before 1970.
CREATE TABLE cells (
    hour            INTEGER  NOT NULL,
    tool            INTEGER  NOT NULL,
    client          INTEGER  NOT NULL,
    source          INTEGER  NOT NULL,
    ok              INTEGER  NOT NULL,
    empty           INTEGER  NOT NULL,
    bad_args        INTEGER  NOT NULL,
    tool_error      INTEGER  NOT NULL,
    crashed         INTEGER  NOT NULL,
    units           BIGINT   NOT NULL,
    max_units       UINTEGER,
    first_ms        BIGINT,
    last_ms         BIGINT,
    newest_ms       BIGINT,
    crowded_calls   INTEGER  NOT NULL,
    sequence_calls  INTEGER  NOT NULL,
    failed_calls    INTEGER  NOT NULL,
    empty_calls     INTEGER  NOT NULL,
    strict_calls    INTEGER  NOT NULL,
    retried_calls   INTEGER  NOT NULL,
    followed_calls  INTEGER  NOT NULL,
    sessions        INTEGER  NOT NULL,
    tool_sessions   INTEGER  NOT NULL,
    client_sessions INTEGER  NOT NULL,
    lane_sessions   INTEGER  NOT NULL
);

-- Good calls with a follow-up behind them by the shape of their run, and clean runs by their length.
CREATE TABLE shapes (
    hour      INTEGER NOT NULL,
    tool      INTEGER NOT NULL,
    client    INTEGER NOT NULL,
    source    INTEGER NOT NULL,
    run_steps UINTEGER NOT NULL,
    run_clean BOOLEAN NOT NULL,
    followed  INTEGER NOT NULL,
    runs      INTEGER NOT NULL
);

-- Calls by bin of their duration, named by its lower edge.
CREATE TABLE latency_days (day INTEGER NOT NULL, tool INTEGER NOT NULL, client INTEGER NOT NULL, bin UINTEGER NOT NULL, calls INTEGER NOT NULL);
CREATE TABLE latency_hours (hour INTEGER NOT NULL, bin UINTEGER NOT NULL, calls INTEGER NOT NULL);

-- Uncrowded calls by the tool of the next call.
CREATE TABLE next_tools (hour INTEGER NOT NULL, client INTEGER NOT NULL, tool INTEGER NOT NULL, next_tool INTEGER NOT NULL, calls INTEGER NOT NULL);

-- When a startup was in use by a client: from its arrival and the calls it is the startup of.
CREATE TABLE uses (
    startup_seq BIGINT  NOT NULL,
    session     INTEGER NOT NULL,
    client      INTEGER NOT NULL,
    source      INTEGER NOT NULL,
    received_ms BIGINT  NOT NULL,
    own         BOOLEAN NOT NULL, -- whether the startup itself came from the client
    from_ms     BIGINT  NOT NULL,
    to_ms       BIGINT  NOT NULL, -- last start or arrival
    alone       BOOLEAN NOT NULL  -- whether it is the only row of its session
);

-- Accepted payloads up to `upto_seq` by day of arrival (days since 1970). Rows with one key are added up.
CREATE TABLE arrivals (
    day        BIGINT  NOT NULL,
    key_id     VARCHAR NOT NULL,
    calls      BIGINT  NOT NULL,
    startups   BIGINT  NOT NULL,
    agreements BIGINT  NOT NULL,
    last_ms    BIGINT  NOT NULL
);
