"""Socket.IO: what clients send, what they receive, and the limits of their sockets."""
