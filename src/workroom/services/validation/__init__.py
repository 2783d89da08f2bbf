"""Checks schemas, and values against schemas."""
