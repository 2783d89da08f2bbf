"""Workers, their sessions and what they offer."""
