"""Accounts, tokens, names, and who may see or do what."""
