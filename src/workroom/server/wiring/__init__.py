"""The only place where the parts of the server are put together."""
