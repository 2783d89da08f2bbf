"""The task facade: jobs as tasks of a queue."""
