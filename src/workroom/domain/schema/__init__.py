"""JSON Schemas and values: validation cost, secrets and concurrency keys."""
