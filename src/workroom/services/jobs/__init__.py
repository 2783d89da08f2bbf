"""Jobs: submission, reports, reading, operations."""
