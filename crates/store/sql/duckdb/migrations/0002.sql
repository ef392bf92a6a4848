-- The highest `seq` that was given out before the newest rows were deleted: an order of arrival begins never again.
CREATE TABLE seq_floor (
    seq BIGINT NOT NULL
);
