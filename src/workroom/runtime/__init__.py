"""Runs user code, the same everywhere."""
