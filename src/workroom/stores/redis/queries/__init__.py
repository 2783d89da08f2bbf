"""Queries, each run by one function."""
