"""Replaces parts of redis-py for speed; see README.md. `WORKROOM_FAST=0` turns it off."""
