"""Documents that clients send, over REST and sockets alike."""
