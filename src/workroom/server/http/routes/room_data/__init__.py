"""The routes of a room's documents, their versions and locks."""
