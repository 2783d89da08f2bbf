"""The Python SDK: rooms, job handles, and the worker loop."""
