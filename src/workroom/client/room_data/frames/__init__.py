"""The frames of a room, for clients."""
