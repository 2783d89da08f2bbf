"""Commands for the machine of the server, which start or examine it or copy its data."""
