"""Quotas, disk space and bounded queues."""
