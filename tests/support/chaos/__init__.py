"""Faults, and the check of what was recorded while they happened."""
