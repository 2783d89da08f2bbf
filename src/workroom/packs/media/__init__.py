"""Images and videos from slow, paid, limited services."""
