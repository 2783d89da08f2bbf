"""A backup of a data directory in one file, made while the server runs, and put back elsewhere."""
