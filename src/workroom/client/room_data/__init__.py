"""Locks, documents and versions of a room, for clients."""
