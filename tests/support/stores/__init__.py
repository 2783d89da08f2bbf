"""Stores on Valkey, opened for the conformance suites."""
