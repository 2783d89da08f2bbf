"""Accounts, rooms, files, events and usage."""
