"""HTTP and WebSocket connections held to their limits: how many, how large, how slow."""
