"""Readiness, background tasks and graceful shutdown."""
