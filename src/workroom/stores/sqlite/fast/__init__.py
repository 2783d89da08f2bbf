"""Settings of the SQLite library that Python does not offer. See the README."""
