"""Locks, documents and versions of rooms."""
