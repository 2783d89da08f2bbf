"""Commands about the server as a whole."""
