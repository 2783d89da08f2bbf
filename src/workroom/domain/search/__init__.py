"""Searching jobs: what a person types becomes terms, and each term matches jobs or not."""
