"""Files of structures: which formats are read and written, one frame at a time."""
