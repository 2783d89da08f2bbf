"""Builds the documentation site from docs/ and from the code: `make site`."""
