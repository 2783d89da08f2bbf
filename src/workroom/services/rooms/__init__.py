"""Rooms, their chat and their files."""
