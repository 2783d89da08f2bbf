"""Frames in their binary form, for clients and servers alike."""
