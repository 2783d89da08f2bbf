"""Messages between the servers that share one Redis."""
