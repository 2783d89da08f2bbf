"""The data of a room: its documents, the versions of them, and locks."""
