"""A model of room data that shares no code with the stores or the rules."""
