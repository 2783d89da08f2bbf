"""JSON documents that the server sends: each shape beside the function that renders it.

mypy checks the functions against the shapes; nothing is validated while serving.
"""
