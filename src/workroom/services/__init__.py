"""Use cases: load, decide, apply in one atomic step, publish, dispatch."""
