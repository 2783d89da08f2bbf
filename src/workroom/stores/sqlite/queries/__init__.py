"""Answers queries from connections that cannot write."""
