"""The server inside another ASGI application, with the users of that application."""
