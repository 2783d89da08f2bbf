"""Which job runs next, and how many at once."""
