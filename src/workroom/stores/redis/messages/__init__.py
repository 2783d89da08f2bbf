"""What scripts receive and return: codec, layouts, and the conversion to domain values."""
