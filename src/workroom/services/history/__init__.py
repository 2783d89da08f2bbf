"""The history of a room: annotate, search, export, and act on many jobs at once."""
