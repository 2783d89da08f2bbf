"""Streams, subscriptions and messages between servers."""
