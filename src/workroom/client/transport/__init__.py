"""HTTP, identity and the socket connection to the server."""
