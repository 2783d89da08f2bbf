"""Compares Workroom with other queues on one machine, in one run: `make bench-peers`."""
