"""Shared by the tests of several files: clients, servers and extensions."""
