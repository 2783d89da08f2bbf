"""What becomes of workers, of their sessions and of what they offer."""
