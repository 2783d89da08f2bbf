"""Faster replacements for parts of FastAPI, uvicorn and python-socketio: see README.md."""
