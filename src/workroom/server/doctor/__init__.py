"""Checks everything that a server needs, before it starts and while it runs."""
