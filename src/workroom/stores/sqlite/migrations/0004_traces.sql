-- the W3C traceparent of a submit, which is carried to the worker
ALTER TABLE jobs ADD COLUMN trace TEXT;
