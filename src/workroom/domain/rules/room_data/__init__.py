"""What becomes of a room's documents, of their versions and of locks."""
