"""Locks, documents and versions in SQLite."""
