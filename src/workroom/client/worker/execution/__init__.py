"""Runs attempts: slots, their threads and processes, and what starts when."""
