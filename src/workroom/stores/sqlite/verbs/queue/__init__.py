"""The queue: what may leave it now, in what order, and what waits beside it."""
