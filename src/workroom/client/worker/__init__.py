"""The worker: receives, runs and reports jobs."""
