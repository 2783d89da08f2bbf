"""`workroom dev`: a server, and a worker that is replaced whenever its files change."""
