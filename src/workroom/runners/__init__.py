"""Runs the server's own extensions: local worker processes, or a Celery fleet."""
