"""The server: wiring, identity, wire schemas, routes and sockets."""
